import { type Draft, readDraft } from "../../shared/draft.ts";

export type Tab = "start" | "deck" | "push" | "sites" | "box";

/**
 * The view that the page shows: all of it is in the address, so that a link shows the same page.
 */
export interface View {
  tab: Tab;
  /** id of the deck; empty for the first one */
  deck: string;
  /** the slot or input whose settings are open; empty for none */
  slot: string;
  /** id of the site whose page is open; empty for the list of all */
  site: string;
  /** what a link of the dashboard has filled in on that page, until something else is looked at */
  draft: Draft | null;
  /** which way of sending is shown */
  recipe: RecipeId;
  /** which group of what is the machine's */
  part: PartId;
}

/** The first steps of a box. */
const START = { id: "start", name: "Start" } as const;

const TABS: readonly { id: Tab; name: string }[] = [
  { id: "deck", name: "Deck" },
  { id: "push", name: "Push" },
  { id: "sites", name: "Sites" },
  { id: "box", name: "Machine" },
];

/** The sections of the menu, with the start while it is open or not done yet. */
export function tabsFor(tab: Tab, isStarting: boolean): readonly { id: Tab; name: string }[] {
  return tab === "start" || isStarting ? [START, ...TABS] : TABS;
}

export const RECIPES = [
  { id: "curl", name: "curl" },
  { id: "cron", name: "cron" },
  { id: "home-assistant", name: "Home Assistant" },
  { id: "node-red", name: "Node-RED" },
  { id: "python", name: "Python" },
] as const;

export type RecipeId = (typeof RECIPES)[number]["id"];

/** The groups of the section about the machine. */
export const PARTS = [
  { id: "machine", name: "This machine" },
  { id: "access", name: "Access" },
  { id: "public", name: "Public address" },
  { id: "places", name: "Places" },
  { id: "backups", name: "Backups" },
  { id: "connections", name: "Connections" },
  { id: "about", name: "About" },
] as const;

export type PartId = (typeof PARTS)[number]["id"];

/** The one that the bare section opens. */
export const FIRST_PART = PARTS[0].id;

/** Reads a view from the query of an address. Missing and invalid values become the default. */
export function parseView(query: string): View {
  const params = new URLSearchParams(query);
  const slot = params.get("slot") ?? "";
  return {
    tab: [START, ...TABS].find(({ id }) => id === params.get("tab"))?.id ?? "deck",
    deck: params.get("deck") ?? "",
    slot: /^[kzdbt]\d{1,3}$/.test(slot) ? slot : "",
    site: params.get("site") ?? "",
    draft: readDraft(params),
    recipe: RECIPES.find(({ id }) => id === params.get("send"))?.id ?? "curl",
    part: PARTS.find(({ id }) => id === params.get("part"))?.id ?? FIRST_PART,
  };
}

/** Whether an address names no section. */
export function isBare(query: string): boolean {
  const params = new URLSearchParams(query);
  return ["tab", "deck", "slot", "send"].every((name) => !params.has(name));
}

/** The query of a view, without defaults and drafts. It never has a token. */
export function formatView({ tab, deck, slot, site, recipe, part }: View): string {
  const params = new URLSearchParams();
  // The bare address opens what the box needs first.
  if (tab !== "deck" || deck + slot === "") params.set("tab", tab);
  if (deck !== "") params.set("deck", deck);
  if (slot !== "") params.set("slot", slot);
  if (tab === "sites" && site !== "") params.set("site", site);
  if (recipe !== "curl") params.set("send", recipe);
  if (tab === "box" && part !== FIRST_PART) params.set("part", part);
  const text = params.toString();
  return text === "" ? "" : `?${text}`;
}

/** Whether a query leads to the dashboard, signed in: `?go=dashboard`. */
export function leadsToDashboard(query: string): boolean {
  return new URLSearchParams(query).get("go") === "dashboard";
}
