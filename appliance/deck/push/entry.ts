import type { Clock } from "../../base/clock.ts";
import {
  type ChannelState,
  channelStateOf,
  type DeadManState,
  isOver,
  nextDeadManStep,
} from "./channel-state.ts";
import { type Acknowledgement, type HeldMessage, notAfter, shifted, upgraded } from "./held.ts";
import type { KeptChannel } from "./kept-channels.ts";
import type { Status } from "./push-body.ts";

/** The value of a channel, with its reported state. */
export interface ChannelEntry {
  /** Times are of the monotonic clock. */
  readonly held: HeldMessage;
  /** Wall clock minus monotonic clock when the value was set. */
  readonly offset: number;
  /** Whether it is from before the start: then its wall clock times are the true ones. */
  readonly isRestored: boolean;
  readonly state: ChannelState;
  readonly deadMan: DeadManState | undefined;
}

/**
 * The value of a channel. Times are epoch milliseconds, `expiresAt` null for a value that stays.
 */
export interface ChannelValue {
  channel: string;
  text: string;
  color: string | null;
  background: string | null;
  updatedAt: number;
  expiresAt: number | null;
  state: ChannelState;
  /** The fields from here on are there where the sender gave them. */
  icon?: string;
  /** The id of the site that it is about, where keys have to say it. */
  site?: string;
  status?: Status;
  id?: string;
  hold?: true;
  /** Whether its alarms wake the decks that show it. */
  wake?: true;
  ack?: Acknowledgement;
  /** The period of a dead-man's channel, in seconds. */
  period?: number;
  grace?: number;
  /** The time at which it will be late, or down, unless a push comes. */
  stepsAt?: number;
}

type Clocks = Pick<Clock, "now" | "monotonic" | "sure">;

const STEP_MS = 1_000;

/**
 * The offset that makes its times those of the wall clock, also when that was set since; its jitter
 * is none.
 */
export function wallClock({ offset }: ChannelEntry, clock: Clocks): number {
  const steps = Math.round((offsetOf(clock) - offset) / STEP_MS);
  return offset + steps * STEP_MS;
}

/** Wall clock minus monotonic clock. */
export function offsetOf(clock: Clocks): number {
  return clock.now() - clock.monotonic();
}

/**
 * The value for display.
 * @param times converts the times of the held value; `wall` makes them epoch milliseconds
 */
export function shownValue(
  held: HeldMessage,
  state: ChannelState,
  { now, wall }: { now: number; wall: number },
): Omit<ChannelValue, "channel"> {
  const epoch = (at: number) => Math.round(at + wall);
  const step = nextDeadManStep(held, now);
  // A message that fires does so beyond its time.
  const stays = held.expires === null || state === "firing";
  return {
    text: held.period !== null && isOver(held, now) ? "" : held.text,
    color: held.color,
    background: held.background,
    updatedAt: epoch(held.set),
    expiresAt: stays ? null : epoch(held.expires ?? 0),
    state,
    // A value that was kept by an earlier version has neither.
    ...(held.icon != null && { icon: held.icon }),
    ...(held.site != null && { site: held.site }),
    ...(held.status !== null && { status: held.status }),
    ...(held.id !== null && { id: held.id }),
    ...(held.hold && { hold: true as const }),
    ...(held.wake && { wake: true as const }),
    ...(held.ack !== null && { ack: { ...held.ack, at: epoch(held.ack.at) } }),
    ...(held.period !== null && { period: held.period, grace: held.grace }),
    ...(step !== null && { stepsAt: epoch(step) }),
  };
}

export function keptOf(channel: string, entry: ChannelEntry, clock: Clocks): KeptChannel {
  const { held, deadMan = null } = entry;
  return { ...shifted(held, wallClock(entry, clock)), channel, deadMan };
}

/** Restores a stored entry, with its last reported state. */
export function restored(
  { deadMan, ...kept }: Omit<KeptChannel, "channel">,
  clock: Clocks,
): ChannelEntry {
  const offset = offsetOf(clock);
  const now = clock.monotonic();
  const then = shifted(upgraded(kept), -offset);
  // A time in the future is corrected only by a sure clock.
  const held = clock.sure ? notAfter(now, then) : then;
  const told = deadMan ?? undefined;
  return { held, offset, isRestored: true, state: channelStateOf(held, told, now), deadMan: told };
}

/** Corrects the times of a restored entry, once the wall clock is right. */
export function rebased(entry: ChannelEntry, clock: Clocks): ChannelEntry {
  if (!entry.isRestored) return entry;
  const offset = offsetOf(clock);
  const held = notAfter(clock.monotonic(), shifted(entry.held, entry.offset - offset));
  return { ...entry, held, offset };
}

/** The parts of a channel that are more than its value. */
export function definitionOf({ deadMan, held }: ChannelEntry): string {
  const { period, grace, paused, wake, status, id, hold, ack } = held;
  return JSON.stringify([deadMan, period, grace, paused, wake, status, id, hold, ack]);
}
