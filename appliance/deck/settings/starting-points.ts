import { FIELD_LIMITS } from "../../base/input/deck-fields.ts";
import { Refusal } from "../../base/refusal.ts";
import type { StatWidget } from "../face/widget.ts";
import type { Model, ModelSlot } from "../usb/model.ts";
import { addPage, type Layout, slotOn, withSlot } from "./pages.ts";
import type { SlotSettings } from "./slot-settings.ts";

/** The deck and its world that a starting point is made for. */
export interface StartingContext {
  readonly model: Pick<Model, "slots">;
  /** Ids. */
  readonly sites: readonly string[];
  /** Channels that hold a value. */
  readonly channels: readonly string[];
}

/** Makes as many slots as it likes, the most useful first. */
type StartingPoint = (surroundings: StartingContext) => SlotSettings[];

/** The starting points by their names in the Web UI. */
const STARTING_POINTS = {
  "my sites": mySites,
  home,
  "build status": buildStatus,
} as const satisfies Readonly<Record<string, StartingPoint>>;

export type StartingPointName = keyof typeof STARTING_POINTS;

export const STARTING_POINT_NAMES = Object.keys(STARTING_POINTS) as StartingPointName[];

/** Channels of a build, until others are known. */
const USUAL_BUILDS = ["build", "tests", "deploy"];

/**
 * Puts a starting point on the empty slots of a page, or on a new page where they are too few.
 * @param shown the place of the page
 * @returns the layout, and the place of the page that has it now
 * @throws {Refusal} `no_room`
 */
export function withStartingPoint(
  layout: Layout,
  shown: number,
  name: StartingPointName,
  surroundings: StartingContext,
): { layout: Layout; page: number } {
  const slots = fillable(surroundings.model.slots);
  if (slots.length === 0)
    throw new Refusal("no_room", "This deck has no displays, so there is nothing to show on it.");
  const wanted = STARTING_POINTS[name](surroundings);
  if (wanted.length === 0)
    throw new Refusal("no_room", "There is no site yet. Add one first, under Sites.");
  const here = emptyOn(layout, shown, slots);
  const free = slots.filter(({ slot }) => layout.fixed[slot] === undefined);
  const isNew = here.length < Math.min(wanted.length, free.length);
  if (!isNew && here.length > 0)
    return { layout: filled(layout, shown, here, wanted), page: shown };
  if (free.length === 0 || layout.pages.length >= FIELD_LIMITS.pages)
    throw new Refusal("no_room", "No key is free, and there is no room for another page.");
  const page = layout.pages.length;
  return { layout: filled(addPage(layout), page, free, wanted), page };
}

function filled(
  layout: Layout,
  page: number,
  slots: readonly ModelSlot[],
  wanted: readonly SlotSettings[],
): Layout {
  return slots
    .slice(0, wanted.length)
    .reduce((now, { slot }, i) => withSlot(now, { slot, page }, wanted[i] as SlotSettings), layout);
}

/** Slots to fill. Keys are before zones, which are wide, or cannot be pressed. */
function fillable(slots: readonly ModelSlot[]): ModelSlot[] {
  return [...slots].sort((a, b) => Number(a.kind === "zone") - Number(b.kind === "zone"));
}

function emptyOn(layout: Layout, page: number, slots: readonly ModelSlot[]): ModelSlot[] {
  return slots.filter(({ slot }) => {
    const { widget, press, hold, turn } = slotOn(layout, page, slot);
    return widget.type === "empty" && (press ?? hold ?? turn) === undefined;
  });
}

function mySites({ sites }: StartingContext): SlotSettings[] {
  const stat = (site: string, metric: StatWidget["metric"], period: StatWidget["period"]) => ({
    widget: { type: "stat", site, metric, period } as const,
  });
  // Each site gets one number before the first gets its second.
  return [
    ...sites.map((site) => stat(site, "uv", "day")),
    ...sites.map((site) => stat(site, "pv", "day")),
    ...sites.map((site) => stat(site, "pv", "now")),
  ].slice(0, Math.max(4, 2 * sites.length));
}

function home(): SlotSettings[] {
  return [
    { widget: { type: "clock" } },
    { widget: { type: "date" } },
    { widget: { type: "gauge", channel: "temperature", min: 0, max: 40, unit: "°C" } },
    { widget: { type: "push", channel: "door" } },
    { widget: { type: "icon", icon: "lightbulb", label: "Light" }, button: true },
    { widget: { type: "icon", icon: "moon", label: "Sleep" }, press: { do: "sleep" } },
  ];
}

function buildStatus({ channels }: StartingContext): SlotSettings[] {
  const builds = channels.length > 0 ? channels : USUAL_BUILDS;
  return builds.map((channel) => ({
    widget: { type: "push", channel, wake: true },
    press: { do: "acknowledge" },
  }));
}
