import { type Clock, LONGEST_TIMER_MS } from "../../base/clock.ts";
import type { Documents } from "../../base/documents.ts";
import { CHANNEL_RULE, isChannelName, PING_WATCH } from "../../base/names.ts";
import { invalidField, Refusal } from "../../base/refusal.ts";
import { type Cancel, Signal } from "../../base/signal.ts";
import type { Icons } from "../../base/text/icons.ts";
import {
  awaitsSeeing,
  type ChannelState,
  channelStateOf,
  type DeadManState,
  deadManState,
  isAlarm,
  isSameAlarm,
  nextDeadManStep,
} from "./channel-state.ts";
import {
  type ChannelEntry,
  type ChannelValue,
  definitionOf,
  keptOf,
  offsetOf,
  rebased,
  restored,
  shownValue,
  wallClock,
} from "./entry.ts";
import {
  type Acknowledger,
  type HeldMessage,
  isKept,
  type Looks,
  nothing,
  pushed,
  watched,
} from "./held.ts";
import { KEPT_CHANNELS, type KeptChannel, KeptChannels } from "./kept-channels.ts";
import type { Push, Status, WatchFields } from "./push-body.ts";
import { cleanText } from "./text.ts";

/** A channel is in another state; `waiting` is one that holds nothing. */
interface ChannelStep {
  channel: string;
  from: ChannelState | "waiting";
  to: ChannelState | "waiting";
  /** Whether the step should be seen: a new message may fire after another. */
  alarm: boolean;
}

interface PushResult {
  value: ChannelValue;
  replaced: number;
  truncated: boolean;
}

/**
 * A sign of life of a sender. Without a text, the last one stays, unless it was about a failure that is over.
 */
interface Ping extends WatchFields {
  status: Status;
  text?: string;
  /** The id of the run that begins or ends; an end without ends all. */
  run?: string;
}

const MAX_CHANNELS = KEPT_CHANNELS.bound.count;

/**
 * The name in its one form, lower case.
 * @throws {Refusal} `invalid_channel`
 */
export function channelName(raw: string): string {
  if (isChannelName(raw)) return raw.toLowerCase();
  throw new Refusal("invalid_channel", `A channel name has ${CHANNEL_RULE}.`);
}

/** The text after a ping: its own, or the last one, unless that was about a failure or a beginning that is over. */
function textAfter(
  before: HeldMessage | undefined,
  text: string | undefined,
  status: Status,
): Pick<HeldMessage, "text" | "textOf"> {
  if (text !== undefined) return { text: cleanText(text).text, textOf: status };
  const of = before?.textOf ?? null;
  const isOver = (of === "fail" && status === "ok") || (of === "start" && status !== "start");
  if (before === undefined || isOver) return { text: "", textOf: null };
  return { text: before.text, textOf: of };
}

/**
 * The channels and their values, by normalized name. Watched and held channels survive a restart; others do not.
 */
export class Channels {
  /** The value or the state of the channel of this name is another. */
  readonly changed = new Signal<string>();
  /** Emits each change of state once, after `changed`. */
  readonly stepped = new Signal<ChannelStep>();
  readonly #clock: Clock;
  readonly #kept: KeptChannels | undefined;
  readonly #icons: Pick<Icons, "check"> | undefined;
  readonly #startedAt: number;
  readonly #channels = new Map<string, ChannelEntry>();
  readonly #stopListening: Cancel;
  #cancelTimer: Cancel = () => {};

  /**
   * @param kept the storage of channels; none unless given
   * @param icons the icons that may be pushed; any unless given
   */
  constructor(clock: Clock, kept?: KeptChannels, icons?: Pick<Icons, "check">) {
    this.#clock = clock;
    this.#kept = kept;
    this.#icons = icons;
    this.#startedAt = clock.monotonic();
    this.#stopListening = clock.becameSure.on(() => this.#learnTime());
  }

  /** Creates the channels with those in the store. */
  static async open({
    clock,
    documents,
    icons,
  }: {
    clock: Clock;
    documents: Documents<KeptChannel>;
    icons?: Pick<Icons, "check">;
  }): Promise<Channels> {
    const stored = (await documents.list()).map(({ body }) => body);
    const channels = new Channels(clock, new KeptChannels(documents, clock), icons);
    for (const { channel, ...kept } of stored.slice(0, MAX_CHANNELS))
      channels.#channels.set(channel, restored(kept, clock));
    channels.#tell();
    return channels;
  }

  /**
   * Gives the channel a new value; the last write wins.
   * @param site the id of the site that it is about, where keys have to say it
   * @throws {Refusal} `invalid_channel`; `invalid_field` for what does not go with the channel;
   * `channel_limit` when every place holds a live value.
   */
  set(channel: string, push: Push, site: string | null = null): PushResult {
    const name = channelName(channel);
    const { text, replaced, truncated } = cleanText(push.text);
    const { color = null, background = null, icon = null } = push;
    if (icon !== null) this.#icons?.check(icon, "icon");
    const textOf = push.status ?? null;
    const entry = this.#push(name, push, { text, textOf, color, background, icon, site });
    return { value: this.#describe(name, entry), replaced, truncated };
  }

  /**
   * Takes a sign of life, which makes the channel a dead-man's one. A firing message stays, unless the ping has a period.
   * @throws as `set`
   */
  ping(channel: string, { text, run, ...ping }: Ping): void {
    const name = channelName(channel);
    const known = this.#channels.get(name);
    const before = known?.held;
    const isUnwatched = ping.period === undefined && before?.period === null;
    if (isUnwatched && known?.state === "firing") return;
    const { color = null, background = null, icon = null, site = null } = before ?? {};
    const isWatched = ping.period !== undefined || (before?.period ?? null) !== null;
    const looks = { ...textAfter(before, text, ping.status), color, background, icon, site };
    this.#push(name, isWatched ? ping : { ...PING_WATCH, ...ping }, looks, run);
  }

  /**
   * Watches a channel, or pauses that; one that holds nothing is declared. Resumed, it is as new.
   * @throws {Refusal} `invalid_channel`, `invalid_field`, `channel_limit`
   */
  watch(channel: string, change: WatchFields & { paused?: boolean }): ChannelValue {
    const name = channelName(channel);
    const before = this.#channels.get(name)?.held;
    const held = watched(before ?? nothing(this.#clock.monotonic()), change);
    if (before === undefined && held.period === null)
      throw invalidField("period", "is missing: say within which time this channel is heard of.");
    const isTold = change.paused !== undefined || (before?.period ?? null) === null;
    return this.#describe(name, this.#settle(name, held, { isTold }));
  }

  /**
   * Acknowledges a message that fires, or that the channel is down.
   * @returns false when there is nothing to see
   */
  acknowledge(channel: string, by: Acknowledger): boolean {
    const entry = this.#channels.get(channel);
    if (entry === undefined || !awaitsSeeing(entry.held, entry.state)) return false;
    const ack = { ...by, at: this.#clock.monotonic() };
    this.#settle(channel, { ...entry.held, ack });
    return true;
  }

  /** The value, live or expired; undefined while the channel waits for one. */
  get(channel: string): ChannelValue | undefined {
    const entry = this.#channels.get(channel);
    return entry && this.#describe(channel, entry);
  }

  /** Back to waiting. Clearing an empty channel changes nothing. */
  clear(channel: string): void {
    const entry = this.#channels.get(channel);
    if (entry === undefined) return;
    this.#drop(channel, entry);
    this.#awaitNext();
    this.#announce({ channel, from: entry.state, to: "waiting", alarm: false });
  }

  /** Every channel that holds a value, by name. */
  list(): ChannelValue[] {
    const names = [...this.#channels].sort(([a], [b]) => (a < b ? -1 : 1));
    return names.map(([channel, entry]) => this.#describe(channel, entry));
  }

  /** Stops the timer, and stores pending changes. */
  async close(): Promise<void> {
    this.#cancelTimer();
    this.#stopListening();
    await this.#kept?.close();
  }

  #push(name: string, push: Omit<Push, "text">, value: Looks, run?: string): ChannelEntry {
    const before = this.#channels.get(name);
    const now = this.#clock.monotonic();
    const isDown = before?.deadMan === "down";
    const held = pushed(before?.held, push, value, { now, isDown, run });
    const isTold = push.status !== "start";
    return this.#settle(name, held, { isTold, isPushed: true });
  }

  /**
   * Sets the new value of a channel, and reports it.
   * @param isTold whether sender or owner has reported the state, so that no step of time is held back
   * @param isPushed whether it is a new value
   * @throws {Refusal} `channel_limit`
   */
  #settle(
    name: string,
    held: HeldMessage,
    { isTold = false, isPushed = false } = {},
  ): ChannelEntry {
    const now = this.#clock.monotonic();
    const before = this.#channels.get(name);
    const putOut = before === undefined ? this.#putOutOldest() : undefined;
    const wasDown = before?.deadMan === "down";
    // The start of a run is no report about the time before it.
    const told = isPushed && !wasDown ? "up" : before?.deadMan;
    const deadMan = isTold ? deadManState(held, now) : this.#deadManOf(held, told);
    const down = { before: wasDown, after: deadMan === "down" };
    const isKnown = isPushed && before !== undefined && isSameAlarm(before.held, held, down);
    const settled = isKnown ? { ...held, ack: before.held.ack } : held;
    const state = channelStateOf(settled, deadMan, now);
    const isFresh = isPushed || before === undefined;
    const { offset, isRestored } = isFresh
      ? { offset: offsetOf(this.#clock), isRestored: false }
      : before;
    const entry = { held: settled, offset, isRestored, state, deadMan };
    this.#channels.set(name, entry);
    this.#keep(name, entry, before);
    this.#awaitNext();
    if (putOut !== undefined)
      this.#announce({ channel: putOut, from: "expired", to: "waiting", alarm: false });
    const from = before?.state ?? "waiting";
    const isNews = isPushed ? !isKnown : from !== state;
    this.#announce({ channel: name, from, to: state, alarm: isNews && isAlarm(settled, state) });
    return entry;
  }

  /** Reports changes by time alone. */
  #tell(): void {
    const now = this.#clock.monotonic();
    const steps = [...this.#channels].flatMap(([channel, entry]) => {
      const deadMan = this.#deadManOf(entry.held, entry.deadMan);
      const to = channelStateOf(entry.held, deadMan, now);
      const from = entry.state;
      if (to === from) return [];
      const next = { ...entry, deadMan, state: to };
      this.#channels.set(channel, next);
      this.#keep(channel, next, entry);
      return [{ channel, from, to, alarm: isAlarm(entry.held, to) }];
    });
    this.#awaitNext();
    for (const step of steps) this.#announce(step);
  }

  #announce(step: ChannelStep): void {
    this.changed.emit(step.channel);
    if (step.from !== step.to || step.alarm) this.stepped.emit(step);
  }

  #awaitNext(): void {
    this.#cancelTimer();
    const now = this.#clock.monotonic();
    const moments = [...this.#channels.values()].flatMap(({ held }) => [
      held.expires ?? [],
      nextDeadManStep(held, now) ?? [],
      held.period === null ? [] : this.#steadyFrom(held),
    ]);
    const next = Math.min(...moments.flat().filter((moment) => moment > now));
    if (next === Number.POSITIVE_INFINITY) return;
    // The wait is rounded up: timers drop fractions, and one that fires too early would fire again at once.
    const wait = Math.min(Math.ceil(next - now), LONGEST_TIMER_MS);
    this.#cancelTimer = this.#clock.after(wait, () => this.#tell());
  }

  /** The end of the grace in which senders may come back after a restart of the box. */
  #steadyFrom({ grace }: HeldMessage): number {
    return this.#startedAt + grace * 1_000;
  }

  /** Its state as a dead-man's channel, which makes no step while the time is not known. */
  #deadManOf(held: HeldMessage, told: DeadManState | undefined): DeadManState | undefined {
    const now = this.#clock.monotonic();
    const isSteady = this.#clock.sure && now >= this.#steadyFrom(held);
    return isSteady || held.period === null ? deadManState(held, now) : told;
  }

  #learnTime(): void {
    for (const [channel, entry] of this.#channels) {
      const moved = rebased(entry, this.#clock);
      this.#channels.set(channel, moved);
      this.#keep(channel, moved, entry);
    }
    this.#tell();
  }

  /** Stores a channel that survives a restart, at once where more than the value has changed. */
  #keep(channel: string, entry: ChannelEntry, before: ChannelEntry | undefined): void {
    const wasKept = before !== undefined && isKept(before.held);
    if (!isKept(entry.held) && !wasKept) return;
    const isSame = wasKept && definitionOf(before) === definitionOf(entry);
    const kept = isKept(entry.held) ? keptOf(channel, entry, this.#clock) : undefined;
    this.#kept?.note(channel, kept, !isSame);
  }

  #describe(channel: string, entry: ChannelEntry): ChannelValue {
    const now = this.#clock.monotonic();
    const { held, deadMan } = entry;
    const state = channelStateOf(held, this.#deadManOf(held, deadMan), now);
    return { channel, ...shownValue(held, state, { now, wall: wallClock(entry, this.#clock) }) };
  }

  /** Removes the value that has expired first when all places are taken. @returns its channel */
  #putOutOldest(): string | undefined {
    if (this.#channels.size < MAX_CHANNELS) return undefined;
    const now = this.#clock.monotonic();
    const [oldest] = [...this.#channels]
      .filter(([, { held, deadMan }]) => channelStateOf(held, deadMan, now) === "expired")
      .sort(([, a], [, b]) => (a.held.expires ?? 0) - (b.held.expires ?? 0));
    if (oldest === undefined) {
      throw new Refusal(
        "channel_limit",
        `${MAX_CHANNELS} channels already hold live values. Clear one, or give values a shorter ttl.`,
      );
    }
    this.#drop(...oldest);
    return oldest[0];
  }

  #drop(channel: string, entry: ChannelEntry): void {
    this.#channels.delete(channel);
    if (isKept(entry.held)) this.#kept?.note(channel, undefined, true);
  }
}
