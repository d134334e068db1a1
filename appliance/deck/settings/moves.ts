import { invalidField } from "../../base/refusal.ts";
import type { DeckSettings } from "./deck-settings.ts";
import { findPage, slotOn, withSlot } from "./pages.ts";

/** A slot or an input of a deck; where no page is named, as on the page that shows. */
interface Spot {
  readonly deck: DeckSettings;
  /** The place of the page that shows. */
  readonly shown: number;
  readonly slot: string;
  readonly page?: number | "all" | undefined;
}

interface Located {
  slot: string;
  page: number | "all";
}

/**
 * Lets two slots change places with all they are set to, or one become as the other.
 * @returns the decks that change by it, one or two
 * @throws {Refusal} `not_found`, `invalid_field`
 */
export function moved(from: Spot, to: Spot, isCopy: boolean): DeckSettings[] {
  // A slot that is the same on all pages is the visible one, and so the one to move.
  const source = located(
    from.deck.fixed[from.slot] === undefined ? from : { ...from, page: "all" },
  );
  const target = located(to);
  const isOneDeck = from.deck.id === to.deck.id;
  if (isOneDeck && isSamePlace(source, target))
    throw invalidField("slot", "is where it came from. Name another slot, page or deck.");
  const taken = slotAt(from.deck, source);
  const given = slotAt(to.deck, target);
  const changed = { ...to.deck, ...withSlot(to.deck, target, taken) };
  if (isCopy) return [changed];
  const giver = isOneDeck ? changed : from.deck;
  const emptied = { ...giver, ...withSlot(giver, source, given) };
  return isOneDeck ? [emptied] : [emptied, changed];
}

/** @throws {Refusal} `not_found` */
function located({ deck, shown, slot, page }: Spot): Located {
  if (typeof page === "number") return { slot, page: findPage(deck, page, shown) };
  return { slot, page: page ?? (deck.fixed[slot] === undefined ? shown : "all") };
}

function slotAt(deck: DeckSettings, { slot, page }: Located) {
  return slotOn(deck, page === "all" ? 0 : page, slot);
}

function isSamePlace(a: Located, b: Located): boolean {
  return a.slot === b.slot && (a.page === b.page || a.page === "all" || b.page === "all");
}
