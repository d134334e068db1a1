import { useEffect } from "preact/hooks";
import type { DeckView } from "../../../appliance/control/wire.ts";
import { deckPath } from "../addresses.ts";
import { ask } from "../api.ts";

/** Shorter than the shortest time after which a deck goes back to its first page. */
const EVERY_MS = 2_000;

/** Keeps a deck on the page that an owner sets up here, for as long as the owner does something. */
export function useStay({ id, page, homeAfterSeconds }: DeckView): void {
  useEffect(() => {
    if (page === 0 || homeAfterSeconds === null) return;
    let told = performance.now();
    const stay = () => {
      if (performance.now() - told < EVERY_MS) return;
      told = performance.now();
      // Should it fail, the deck goes back a little early.
      ask("PATCH", deckPath(id), { page }).catch(() => {});
    };
    const events = ["pointerdown", "pointermove", "keydown"] as const;
    for (const event of events) addEventListener(event, stay);
    return () => {
      for (const event of events) removeEventListener(event, stay);
    };
  }, [id, page, homeAfterSeconds]);
}
