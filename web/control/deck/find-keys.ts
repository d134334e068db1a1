import { placeName } from "../../../appliance/base/text/place-name.ts";
import type { DeckView, PlaceView } from "../../../appliance/control/wire.ts";
import { ACTION_WORDS } from "./fields/actions.ts";
import { widgetName } from "./fields/widgets.ts";

/** A key, zone, dial or the like that is set to something. */
export interface FoundKey {
  deck: string;
  slot: string;
  /** The place of its page; null when it is on all pages. */
  page: number | null;
  /** `Key 3 of Desk, Lights` */
  where: string;
  /** `Views of blog, today. When pressed: Show a page` */
  what: string;
}

type Settings = Pick<PlaceView, "widget" | "press" | "hold" | "turn">;

/** The most results; with more, another word of the search helps. */
export const MOST_FOUND = 20;

/** Finds keys on all decks and pages with all words of a query in their settings. */
export function findKeys(decks: readonly DeckView[], query: string): FoundKey[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  if (words.length === 0) return [];
  return decks
    .flatMap(everyKey)
    .filter(({ text }) => words.every((word) => text.includes(word)))
    .map(({ key }) => key);
}

function everyKey(deck: DeckView): { key: FoundKey; text: string }[] {
  const pages = deck.pages.flatMap(({ name, slots }, page) =>
    Object.entries(slots)
      // A slot that a page has below a key on all pages shows nowhere.
      .filter(([slot]) => deck.fixed[slot] === undefined)
      .map(([slot, settings]) => keyOf(deck, slot, settings, { page, name })),
  );
  const fixed = Object.entries(deck.fixed).map(([slot, settings]) =>
    keyOf(deck, slot, settings, { page: null, name: "all pages" }),
  );
  return [...pages, ...fixed].flatMap((key) => key ?? []);
}

function keyOf(
  deck: DeckView,
  slot: string,
  settings: Settings,
  { page, name }: { page: number | null; name: string },
): { key: FoundKey; text: string } | undefined {
  const what = describe(settings);
  if (what === "") return undefined;
  const pageName = deck.pages.length > 1 ? `, ${name}` : "";
  const where = `${placeName(slot)} of ${deck.name}${pageName}`;
  const text = `${where} ${what} ${valuesOf(settings)}`.toLowerCase();
  return { key: { deck: deck.id, slot, page, where, what }, text };
}

/** The widget and the actions of a place, in a few words; empty when there are none. */
export function describe(settings: Settings): string {
  const { widget } = settings;
  const shows = widget.type === "empty" ? [] : [widgetName(widget)];
  const does = (["press", "hold", "turn"] as const).flatMap((gesture) => {
    const action = settings[gesture];
    return action === undefined ? [] : `When ${DONE[gesture]}: ${ACTION_WORDS[action.do].name}`;
  });
  return [...shows, ...does].join(". ");
}

const DONE = { press: "pressed", hold: "held", turn: "turned" } as const;

/** The fields that name widget and action: `describe` has words for them. */
const KINDS: ReadonlySet<string> = new Set(["type", "do"]);

/** The typed values: texts, labels, channels, addresses. */
function valuesOf({ widget, press, hold, turn }: Settings): string {
  return [widget, press, hold, turn]
    .flatMap((part) => Object.entries(part ?? {}))
    .flatMap(([field, value]) => (typeof value !== "string" || KINDS.has(field) ? [] : value))
    .join(" ");
}
