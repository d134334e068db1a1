import type { Clock } from "../base/clock.ts";
import { type ChannelState, channelStateOf, type DeadManState } from "./channel-state.ts";
import { type HeldMessage, notAfter, shifted, upgraded } from "./held.ts";
import type { KeptChannel } from "./kept-channels.ts";

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
