import { DIMENSION_CARDS } from "../../../appliance/base/text/dimensions.ts";

/** The name of a dimension and its place on the page. */
export interface DimensionFacts {
  name: string;
  title: string;
  /** its name on the tab of its card, where the card says the rest */
  tab: string;
  /** the card it is a tab of */
  group: string;
}

const KNOWN = new Map<string, DimensionFacts & { order: number }>();
/** The list of pages by their time in sight, which is asked for when it is looked at. */
export const READ_PAGES = "read";

for (const [group, name, title, tab = title] of DIMENSION_CARDS) {
  KNOWN.set(name, { name, title, tab, group, order: KNOWN.size });
  if (name === "entry")
    KNOWN.set(READ_PAGES, {
      ...{ name: READ_PAGES, title: "Pages by time on page", tab: "By time", group },
      order: KNOWN.size,
    });
}

/** `new_thing` → `New thing`, for dimensions a newer collector may send. */
function factsOf(name: string): DimensionFacts & { order: number } {
  const words = name.replaceAll("_", " ");
  const title = words.charAt(0).toUpperCase() + words.slice(1);
  return KNOWN.get(name) ?? { name, title, tab: title, group: "More", order: KNOWN.size };
}

/** The dimension that is drawn as a heatmap, and not as a list. */
export const HOURS_OF_WEEK = "dowhour";

/** Whether a part of the page of its own stands in the place of its rows. */
export const isDrawnApart = (name: string): boolean =>
  name === HOURS_OF_WEEK || name === READ_PAGES;

/** The dimension that is told in a line of its own. */
export const LEFT_OUT = "left_out";

/** Counters have no values to break down. */
const ELSEWHERE = new Set([
  ...["pv", "uv", "sessions", "bounce", "engaged", "app", "bot", "event_value"],
  LEFT_OUT,
]);

/** The dimensions to break down, in the order of the page. */
export function breakdownDimensions(names: Iterable<string>): DimensionFacts[] {
  return [...names]
    .filter((name) => !ELSEWHERE.has(name))
    .map(factsOf)
    .sort((a, b) => a.order - b.order);
}

/** The name of a dimension, for people. */
export const titleOf = (name: string): string => factsOf(name).title;
