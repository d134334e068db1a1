import { DEFAULT_TTL } from "../../base/names.ts";
import { invalidField } from "../../base/refusal.ts";
import type { Push, Status, WatchFields } from "./push-body.ts";

/** The key or person that has acknowledged an alarm. */
export type Acknowledger = { by: "key"; deck: string; slot: string } | { by: "owner" | "mqtt" };

/** The acknowledgement of an alarm, and its time. */
export type Acknowledgement = Acknowledger & { at: number };

/** The value of a channel. All times are milliseconds of one clock, whichever. */
export interface HeldMessage {
  readonly text: string;
  /** The state with which the text came: of a failure or a beginning it goes with the end of that. */
  readonly textOf: Status | null;
  readonly color: string | null;
  readonly background: string | null;
  /** Name of an icon. */
  readonly icon: string | null;
  /** The id of the site that the text is about, where keys have to say it. */
  readonly site: string | null;
  /** The time of its push or declaration. */
  readonly set: number;
  /** The time at which the text expires; null for never. */
  readonly expires: number | null;
  readonly status: Status | null;
  /** The sender's own id of the message. */
  readonly id: string | null;
  /** Stays until it is acknowledged. */
  readonly hold: boolean;
  /** The seconds within which a dead-man's channel expects a push; null for any other. */
  readonly period: number | null;
  /** Seconds that it may be late. */
  readonly grace: number;
  readonly paused: boolean;
  /** An alarm of it wakes the decks that show it. */
  readonly wake: boolean;
  /**
   * The beginning of its period: the last push that began no run, or the first beginning where there
   * was none. Null while there is neither since it was declared or resumed.
   */
  readonly heard: number | null;
  /** The beginning of the unfinished run, or of the first of several; null for none. */
  readonly started: number | null;
  /** The beginnings of unfinished runs that have an id, by that, in their order. */
  readonly runs: Readonly<Record<string, number>>;
  readonly ack: Acknowledgement | null;
}

export type Looks = Pick<HeldMessage, "text" | "textOf" | "color" | "background" | "icon" | "site">;

/** The watching of a channel in seconds; `period` is null for one that is not watched. */
interface ChannelWatch {
  readonly period: number | null;
  readonly grace: number;
}

const MIN_USUAL_GRACE = 60;

/** The value of a channel that was only declared. */
export function nothing(now: number): HeldMessage {
  return {
    text: "",
    textOf: null,
    color: null,
    background: null,
    icon: null,
    site: null,
    set: now,
    expires: null,
    status: null,
    id: null,
    hold: false,
    period: null,
    grace: 0,
    paused: false,
    wake: false,
    heard: null,
    started: null,
    runs: {},
    ack: null,
  };
}

/** A message of an earlier version in the form of this one. */
export function upgraded<H extends HeldMessage>(held: H): H {
  const { wake = false, textOf = null, runs = {}, started } = held;
  const begun = started === undefined && held.status === "start" ? held.heard : (started ?? null);
  return { ...held, wake, textOf, runs, started: begun };
}

/**
 * The value of a channel after a push, apart from its acknowledgement.
 * @param now on the clock of the times of the value before
 * @param isDown whether it was down, since the start of a run ends no alarm
 * @throws {Refusal} `invalid_field` for a field that does not fit the channel
 */
export function pushed(
  before: HeldMessage | undefined,
  push: Omit<Push, "text">,
  value: Looks,
  { now, isDown, run }: { now: number; isDown: boolean; run?: string | undefined },
): HeldMessage {
  const begins = push.status === "start";
  const alarm = begins && isDown ? before : undefined;
  const { status = null, id = null } = alarm ?? push;
  const watch = watchAfter(push, before);
  const hold = alarm?.hold ?? push.hold ?? (id !== null && id === before?.id && before.hold);
  const ttl = ttlAfter(push.ttl, watch, hold && status !== "ok");
  return {
    ...value,
    ...watch,
    set: now,
    expires: ttl === 0 ? null : now + ttl * 1_000,
    ...timesAfter(before, watch.period !== null, { now, begins, isDown, run }),
    status,
    id,
    hold,
    paused: false,
    wake: push.wake ?? before?.wake ?? false,
    ack: null,
  };
}

function timesAfter(
  before: HeldMessage | undefined,
  isWatched: boolean,
  {
    now,
    begins,
    isDown,
    run,
  }: { now: number; begins: boolean; isDown: boolean; run: string | undefined },
): Pick<HeldMessage, "heard" | "started" | "runs"> {
  if (!isWatched) return { heard: null, started: null, runs: {} };
  // An end without an id ends all.
  const known = run === undefined && !begins ? {} : (before?.runs ?? {});
  const { [run ?? ""]: _, ...others } = known;
  if (!begins) return { heard: now, started: firstOf(others), runs: others };
  const runs = run === undefined ? others : newest({ ...others, [run]: now });
  const started = isDown ? (before?.started ?? now) : (firstOf(others) ?? now);
  return { heard: before?.heard ?? now, started, runs };
}

/** The most runs at a time that are told apart. */
const MOST_RUNS = 8;

function newest(runs: HeldMessage["runs"]): HeldMessage["runs"] {
  return Object.fromEntries(Object.entries(runs).slice(-MOST_RUNS));
}

function firstOf(runs: HeldMessage["runs"]): number | null {
  const times = Object.values(runs);
  return times.length === 0 ? null : Math.min(...times);
}

/**
 * The value of a channel after a change of its watching. A resumed channel is like a new one; a paused one needs no
 * acknowledgement.
 * @throws {Refusal} `invalid_field`
 */
export function watched(
  before: HeldMessage,
  { paused, ...fields }: WatchFields & { paused?: boolean },
): HeldMessage {
  const watch = watchAfter(fields, before);
  if (watch.period === null && paused !== undefined)
    throw invalidField("period", "is missing: say within which time this channel is heard of.");
  const isPaused = watch.period !== null && (paused ?? before.paused);
  const isUnheard = watch.period === null || (before.paused && !isPaused);
  return {
    ...before,
    ...watch,
    wake: fields.wake ?? before.wake,
    paused: isPaused,
    heard: isUnheard ? null : before.heard,
    started: isUnheard ? null : before.started,
    runs: isUnheard ? {} : before.runs,
    ack: isPaused ? null : before.ack,
  };
}

/**
 * The watching of a channel after a push: a period brings its grace with it, and both stay.
 * @throws {Refusal} `invalid_field`
 */
function watchAfter(
  { period, grace }: WatchFields,
  before: ChannelWatch | undefined,
): ChannelWatch {
  if (period === 0) return { period: null, grace: 0 };
  if (period !== undefined) return { period, grace: grace ?? usualGrace(period) };
  const kept = before ?? { period: null, grace: 0 };
  if (grace === undefined) return { period: kept.period, grace: kept.grace };
  if (kept.period === null) throw invalidField("grace", "needs a period: send both.");
  return { period: kept.period, grace };
}

function usualGrace(period: number): number {
  return Math.max(MIN_USUAL_GRACE, Math.round(period / 5));
}

/**
 * Seconds until a text expires, 0 for never, which is the default for watched and held channels.
 * @throws {Refusal} `invalid_field` when it would expire before its channel is down
 */
function ttlAfter(
  ttl: number | undefined,
  { period, grace }: ChannelWatch,
  isHeld: boolean,
): number {
  if (ttl === undefined) return period !== null || isHeld ? 0 : DEFAULT_TTL;
  if (period !== null && ttl !== 0 && ttl < period + grace)
    throw invalidField(
      "ttl",
      `must be 0 or at least ${period + grace}, the period and the grace of this channel together.`,
    );
  return ttl;
}

/** Whether it stays over a restart. */
export function isKept({ period, hold }: HeldMessage): boolean {
  return period !== null || hold;
}

/** The same with times of another clock, which is ahead by `ms`. */
export function shifted(held: HeldMessage, ms: number): HeldMessage {
  const { expires } = held;
  return { ...timed(held, (at) => at + ms), expires: expires === null ? null : expires + ms };
}

/** A message without times in the future, which a fast clock may have set; it expires when it was to. */
export function notAfter(now: number, held: HeldMessage): HeldMessage {
  return timed(held, (at) => Math.min(at, now));
}

/** A message with other times than those at which something happened. */
function timed(held: HeldMessage, time: (at: number) => number): HeldMessage {
  const { set, heard, started, runs, ack } = held;
  return {
    ...held,
    runs: Object.fromEntries(Object.entries(runs).map(([run, at]) => [run, time(at)])),
    set: time(set),
    heard: heard === null ? null : time(heard),
    started: started === null ? null : time(started),
    ack: ack === null ? null : { ...ack, at: time(ack.at) },
  };
}
