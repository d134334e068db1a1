import { BOUNDS, DECK_LIMIT } from "../../../base/bounds.ts";
import type { DeckRow } from "../../rows.ts";
import type { Database } from "../database.ts";
import { within } from "./within.ts";

/** Every deck that was ever known, in the order they came. */
export function deckSettings(db: Database): DeckRow[] {
  const rows = db
    .prepare(
      `SELECT id, model, serial, name, brightness, widgets, settings, checked
       FROM deck ORDER BY rowid`,
    )
    .all() as (Omit<DeckRow, "checked"> & { checked: number })[];
  return rows.map((row) => ({ ...row, checked: row.checked === 1 }));
}

const DECKS = {
  table: "deck",
  columns: ["id", "model", "serial", "name", "widgets", "settings"],
  bound: BOUNDS.decks,
  refused: { code: "deck_limit", message: DECK_LIMIT },
} as const;

/**
 * Adds decks, or replaces those of the same id.
 * @throws {Refusal} `deck_limit`
 */
export function saveDecks(db: Database, decks: readonly DeckRow[]): void {
  within(db, DECKS, () => putDecks(db, decks));
}

function putDecks(db: Database, decks: readonly DeckRow[]): void {
  const save = db.prepare(
    `INSERT INTO deck (id, model, serial, name, brightness, widgets, settings, checked)
     VALUES (:id, :model, :serial, :name, :brightness, :widgets, :settings, :checked)
     ON CONFLICT (id) DO UPDATE SET model = :model, serial = :serial, name = :name,
       brightness = :brightness, widgets = :widgets, settings = :settings, checked = :checked`,
  );
  for (const deck of decks) save.run({ ...deck, checked: deck.checked ? 1 : 0 });
}

/** Forgets a deck; one that is not known is no error. */
export function removeDeck(db: Database, id: string): void {
  db.prepare("DELETE FROM deck WHERE id = ?").run(id);
}
