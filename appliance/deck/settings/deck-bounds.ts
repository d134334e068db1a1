import { tooMuch } from "../../base/documents.ts";
import { Refusal } from "../../base/refusal.ts";
import { DECKS, type DeckImport, type DeckSettings, withImport } from "./deck-settings.ts";

/**
 * A deck that is too large already may still become smaller.
 * @throws {Refusal} `invalid_field` when a change makes more of a deck than can be kept
 */
export function expectFits(after: DeckSettings, before: DeckSettings | undefined): void {
  const size = storedBytes(after);
  const { bytes } = DECKS.bound;
  if (size <= bytes || (before !== undefined && size <= storedBytes(before))) return;
  throw new Refusal(
    "invalid_field",
    `${after.name} would be set to more than ${bytes / 1_024} kB. Shorten the bodies and headers of its requests, or take some away.`,
  );
}

/**
 * All decks together may still become smaller, too.
 * @param here every deck there is
 * @throws {Refusal} `invalid_field` where one deck becomes too large, `deck_limit` where all do
 */
export function expectAllFit(imported: readonly DeckImport[], here: readonly DeckSettings[]): void {
  const decks = new Map(here.map((deck) => [deck.id, deck]));
  const before = bytesOf(here);
  for (const deck of imported) {
    const now = decks.get(deck.id);
    const after = withImport(now, deck);
    expectFits(after, now);
    decks.set(deck.id, after);
  }
  const { count, together } = DECKS.bound;
  const bytes = bytesOf(decks.values());
  const isMore = decks.size > count && decks.size > here.length;
  if (isMore || (bytes > together && bytes > before)) throw tooMuch(DECKS);
}

function bytesOf(decks: Iterable<DeckSettings>): number {
  return [...decks].reduce((sum, deck) => sum + storedBytes(deck), 0);
}

/** Bytes of the stored settings of a deck. */
function storedBytes(deck: DeckSettings): number {
  const { id: _, ...body } = deck;
  return Buffer.byteLength(JSON.stringify(body));
}
