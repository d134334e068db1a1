import { BOUNDS, DECK_LIMIT } from "../../../base/bounds.ts";
import type { DeckRow } from "../../rows.ts";
import type { Database } from "../database.ts";
import { put, within } from "./table.ts";

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

/** @throws {Refusal} `deck_limit` */
export function saveDecks(db: Database, decks: readonly DeckRow[]): void {
  const rows = decks.map(({ id, model, serial, name, brightness, widgets, settings, checked }) => ({
    ...{ id, model, serial, name, brightness, widgets, settings },
    checked: Number(checked),
  }));
  within(db, DECKS, () => put(db, "deck", "id", rows));
}

/** Forgets a deck; one that is not known is no error. */
export function removeDeck(db: Database, id: string): void {
  db.prepare("DELETE FROM deck WHERE id = ?").run(id);
}
