import { placeName } from "../../base/text/place-name.ts";
import type { DeckView } from "../../deck/deck-view.ts";
import type { Decks } from "../../deck/decks.ts";
import type { Channels } from "../../deck/push/channels.ts";
import type { SlotSettings } from "../../deck/settings/slot-settings.ts";
import { LONGEST_STATE } from "./discovery.ts";
import { channelTopic, deckTopic, placesTopic, siteTopic } from "./topics.ts";

/** Today's figures of a site, the views of the last five minutes, and the state of its alarms. */
export interface SiteFigures {
  readonly views: number;
  readonly visitors: number;
  readonly live: number;
  /** States of the alarms that are on. */
  readonly alarms: Readonly<Record<string, boolean>>;
}

interface StateSources {
  readonly channels: Pick<Channels, "get" | "list">;
  readonly decks: Pick<Decks, "list">;
  /** Site → figures. A site without figures is not published. */
  readonly figures: ReadonlyMap<string, SiteFigures>;
  /** Undefined where nothing is fetched from elsewhere. */
  readonly places: PlacesState | undefined;
}

/** The names of places, and of those from which nothing comes. */
export interface PlacesState {
  readonly places: readonly string[];
  readonly troubled: readonly string[];
}

interface State {
  readonly payload: string;
  /** Epoch milliseconds when the state expires; null for one that does not. */
  readonly expiresAt: number | null;
}

/** The states of channels, sites and decks: by topic, as JSON. */
export function statesOf(base: string, sources: StateSources): Map<string, State> {
  const { channels, decks, figures, places } = sources;
  const names = new Set([
    ...shownChannels(decks),
    ...channels.list().map(({ channel }) => channel),
  ]);
  return new Map<string, State>([
    ...[...names].map((name) => [channelTopic(base, name), channelState(channels, name)] as const),
    ...[...figures].map(([site, told]) => [siteTopic(base, site), lasting(told)] as const),
    ...(places === undefined ? [] : [[placesTopic(base), lasting(places)] as const]),
    ...decks
      .list()
      .map(
        ({ id, connected, brightness, asleep, page, pages }) =>
          [
            deckTopic(base, id),
            lasting({ connected, brightness, sleep: asleep, page: pages[page]?.name ?? "" }),
          ] as const,
      ),
  ]);
}

/** Channels that a key of a known deck shows, by name. */
export function shownChannels(decks: Pick<Decks, "list">): string[] {
  const names = decks
    .list()
    .flatMap(({ pages, fixed }) => [fixed, ...pages.map(({ slots }) => slots)])
    .flatMap((slots) => Object.values(slots))
    .flatMap(({ widget }) => (widget.type === "push" ? [widget.channel] : []));
  return [...new Set(names)].sort();
}

/** Names of the channels whose silence is published. */
export function watchedChannels(channels: Pick<Channels, "list">): string[] {
  return channels.list().flatMap(({ channel, period }) => (period === undefined ? [] : [channel]));
}

/** Places of a deck that do something, or are marked as buttons. */
export function buttonsOf({ pages, fixed }: Pick<DeckView, "pages" | "fixed">) {
  const slots = [fixed, ...pages.map((page) => page.slots)].flatMap(Object.entries<SlotSettings>);
  const buttons = slots.filter(
    ([, { button, press, hold, turn }]) => button || press || hold || turn,
  );
  const names = new Set(buttons.map(([slot]) => slot));
  return [...names].sort().map((slot) => ({ slot, name: placeName(slot) }));
}

function lasting(state: object): State {
  return { payload: JSON.stringify(state), expiresAt: null };
}

function channelState(channels: Pick<Channels, "get">, name: string): State {
  const value = channels.get(name);
  if (value === undefined) return lasting({ channel: name, text: "", state: "waiting" });
  const isOver = value.state === "expired";
  // The topic says what it is about.
  const { site: _, ...told } = value;
  return {
    payload: JSON.stringify({ ...told, text: isOver ? "" : cut(value.text) }),
    expiresAt: isOver ? null : value.expiresAt,
  };
}

/** Counted as Home Assistant does: in code points. */
function cut(text: string): string {
  const characters = [...text];
  return characters.length <= LONGEST_STATE
    ? text
    : `${characters.slice(0, LONGEST_STATE - 1).join("")}…`;
}
