import { FIELD_LIMITS } from "../../base/input/deck-fields.ts";
import { entryOf } from "../../base/input/json.ts";
import { invalidField, orElse, Refusal } from "../../base/refusal.ts";
import type { SlotSettings } from "./slot-settings.ts";

/** Settings by slot; unnamed slots are empty. */
export type SlotsByName = Record<string, SlotSettings>;

export interface Page {
  /** The name, unique on its deck regardless of case. */
  name: string;
  slots: SlotsByName;
}

export interface Layout {
  /** 1 to `FIELD_LIMITS.pages`. */
  pages: Page[];
  /** Slots on all pages, which replace those of each page. */
  fixed: SlotsByName;
}

/** Pages by their place: one that is not named keeps its name. */
export interface LayoutChange {
  pages?: readonly { name?: string; slots: SlotsByName }[] | undefined;
  fixed?: SlotsByName | undefined;
}

/** A page, by its place from 0, by its name, or relative to the present one. */
export type PageChoice = number | string;

interface SlotPlace {
  slot: string;
  /** The place of the page; `all` for all pages. */
  page: number | "all";
}

/** The settings of a slot that has not been set. */
export const EMPTY: SlotSettings = { widget: { type: "empty" } };
/** Names that turn pages, which no page can have. */
const TURNS = { next: 1, previous: -1 };

export function onePage(slots: SlotsByName): Layout {
  return { pages: [{ name: "Page 1", slots }], fixed: {} };
}

export function mapSlots(
  slots: SlotsByName,
  change: (slot: SlotSettings) => SlotSettings,
): SlotsByName {
  return Object.fromEntries(Object.entries(slots).map(([slot, set]) => [slot, change(set)]));
}

/** The settings of a slot while the page at `page` shows. */
export function slotOn({ pages, fixed }: Layout, page: number, slot: string): SlotSettings {
  return fixed[slot] ?? pages[page]?.slots[slot] ?? EMPTY;
}

/** Everything that slots of any page are set to. */
export function allSlots({ pages, fixed }: Layout): SlotSettings[] {
  return [fixed, ...pages.map(({ slots }) => slots)].flatMap((slots) => Object.values(slots));
}

/**
 * The place of a page; the first follows the last.
 * @throws {Refusal} `not_found`
 */
export function findPage({ pages }: Layout, which: PageChoice, shown: number): number {
  const turn = typeof which === "string" ? entryOf<number>(TURNS, which) : undefined;
  if (turn !== undefined) return (shown + turn + pages.length) % pages.length;
  const place =
    typeof which === "number"
      ? which
      : pages.findIndex(({ name }) => isSameName(name, which.trim()));
  if (pages[place] !== undefined) return place;
  const names = pages.map(({ name }) => name).join(", ");
  throw new Refusal("not_found", `There is no page ${which}. The deck has: ${names}.`);
}

/** The page with a slot that `isMeant`: the present one if it has one, otherwise the first. */
export function pageWith(
  layout: Layout,
  shown: number,
  isMeant: (settings: SlotSettings) => boolean,
): number | undefined {
  const has = (page: number) => {
    const slots = Object.keys({ ...layout.pages[page]?.slots, ...layout.fixed });
    return slots.some((slot) => isMeant(slotOn(layout, page, slot)));
  };
  return [shown, ...layout.pages.keys()].find(has);
}

/** A slot that is set on one page is no longer the same on all. */
export function withSlot(
  layout: Layout,
  { slot, page }: SlotPlace,
  settings: SlotSettings,
): Layout {
  if (page === "all") return { ...layout, fixed: { ...layout.fixed, [slot]: settings } };
  const { [slot]: _, ...fixed } = layout.fixed;
  const pages = layout.pages.map((each, place) =>
    place === page ? { ...each, slots: { ...each.slots, [slot]: settings } } : each,
  );
  return { pages, fixed };
}

/** Applies a change to a layout, and adds its further pages. */
export function mergedLayout(layout: Layout, { pages = [], fixed = {} }: LayoutChange): Layout {
  const merged = layout.pages.map((page, place) => {
    const { name = page.name, slots = {} } = pages[place] ?? {};
    return { name, slots: { ...page.slots, ...slots } };
  });
  const more = pages.slice(merged.length);
  const added = more.map(({ name = "", slots }) => ({ name, slots }));
  const onPages = new Set(pages.flatMap(({ slots }) => Object.keys(slots)));
  const stillFixed = Object.entries(layout.fixed).filter(([slot]) => !onPages.has(slot));
  return {
    pages: withOwnNames([...merged, ...added]),
    fixed: { ...Object.fromEntries(stillFixed), ...fixed },
  };
}

/**
 * Adds a page at the end.
 * @param name the next free `Page 2` when not given
 * @throws {Refusal} `invalid_field`, `page_limit`
 */
export function addPage(layout: Layout, name?: string): Layout {
  const { pages } = layout;
  if (pages.length >= FIELD_LIMITS.pages)
    throw new Refusal(
      "page_limit",
      `A deck has at most ${FIELD_LIMITS.pages} pages. Delete one first.`,
    );
  const given = name === undefined ? freeName(pages) : readPageName(name, pages);
  return { ...layout, pages: [...pages, { name: given, slots: {} }] };
}

/**
 * Renames a page, or moves it to another place among the others.
 * @throws {Refusal} `invalid_field`
 */
export function changePage(
  layout: Layout,
  place: number,
  { name, to = place }: { name?: string; to?: number },
): Layout {
  const others = without(layout.pages, place);
  const page = layout.pages[place] as Page;
  if (!Number.isInteger(to) || to < 0 || to > others.length)
    throw invalidField("to", `must be a whole number from 0 to ${others.length}.`);
  const renamed = name === undefined ? page : { ...page, name: readPageName(name, others) };
  return { ...layout, pages: [...others.slice(0, to), renamed, ...others.slice(to)] };
}

/** @throws {Refusal} `last_page` */
export function removePage(layout: Layout, place: number): Layout {
  if (layout.pages.length === 1)
    throw new Refusal("last_page", "A deck needs one page. Add another before you delete this.");
  return { ...layout, pages: without(layout.pages, place) };
}

/**
 * @param others the pages beside it
 * @throws {Refusal} `invalid_field`
 */
export function readPageName(raw: string, others: readonly Page[], at = "name"): string {
  const name = raw.trim();
  if (name === "" || [...name].length > FIELD_LIMITS.name)
    throw invalidField(at, `must have 1 to ${FIELD_LIMITS.name} characters.`);
  if (Object.hasOwn(TURNS, name.toLowerCase()))
    throw invalidField(at, `must not be "${name}": that word turns the page.`);
  if (others.some((other) => isSameName(other.name, name)))
    throw invalidField(at, `must be another: this deck has a page ${name}.`);
  return name;
}

/** Reads stored pages, within the limit, and with valid names. */
export function storedPages(pages: readonly Page[]): Page[] {
  const named = pages.map((page) => ({
    ...page,
    name: orElse(() => readPageName(page.name, []), ""),
  }));
  return withOwnNames(named.slice(0, FIELD_LIMITS.pages));
}

function without(pages: readonly Page[], place: number): Page[] {
  return pages.filter((_, other) => other !== place);
}

function isSameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function freeName(pages: readonly { name: string }[], base = "Page"): string {
  const names = new Set(pages.map(({ name }) => name.toLowerCase()));
  let number = base === "Page" ? pages.length + 1 : 2;
  while (names.has(`${base} ${number}`.toLowerCase())) number += 1;
  return `${base} ${number}`;
}

/** Renames pages of merged decks with equal names. */
function withOwnNames(pages: readonly Page[]): Page[] {
  const own: Page[] = [];
  for (const page of pages) {
    const isTaken = page.name === "" || own.some(({ name }) => isSameName(name, page.name));
    own.push(isTaken ? { ...page, name: freeName(own, page.name || "Page") } : page);
  }
  return own;
}
