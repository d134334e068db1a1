import type { Database } from "../database.ts";

/** What is kept of a deck. */
export interface DeckRow {
  readonly id: string;
  readonly model: string;
  readonly serial: string;
  readonly name: string;
  /** Percent. */
  readonly brightness: number;
  /** JSON: slot → widget. */
  readonly widgets: string;
}

/** Every deck that was ever known, in the order they came. */
export function deckSettings(db: Database): DeckRow[] {
  return db
    .prepare("SELECT id, model, serial, name, brightness, widgets FROM deck ORDER BY rowid")
    .all() as DeckRow[];
}

/** Adds decks, or replaces those of the same id. */
export function saveDecks(db: Database, decks: readonly DeckRow[]): void {
  const save = db.prepare(
    `INSERT INTO deck (id, model, serial, name, brightness, widgets)
     VALUES (:id, :model, :serial, :name, :brightness, :widgets)
     ON CONFLICT (id) DO UPDATE SET model = :model, serial = :serial, name = :name,
       brightness = :brightness, widgets = :widgets`,
  );
  for (const deck of decks) save.run(deck);
}

/** Forgets a deck; one that is not known is no error. */
export function removeDeck(db: Database, id: string): void {
  db.prepare("DELETE FROM deck WHERE id = ?").run(id);
}
