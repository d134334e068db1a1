import type { Clock } from "../base/clock.ts";
import type { UpdaterState } from "../release/updater-state.ts";
import type { Wish } from "./record.ts";
import { nextNight } from "./schedule.ts";
import { outcomeKey } from "./view-of.ts";

/** The clock, and other facts that the time of a wish depends on. */
export interface WishTimes {
  readonly clock: Clock;
  /** 0–1. */
  readonly random: () => number;
  /** The zone in which it is night. */
  readonly timeZone: () => string;
}

/** A new wish for a release. */
export function newWish(
  what: Pick<Wish, "release" | "when" | "isByItself" | "before">,
  times: WishTimes,
): Wish {
  const minute = Math.floor(times.random() * 60);
  const restartsAt = what.when === "tonight" ? nightFor({ minute }, times) : null;
  const first = { failures: 0, retryAt: null, requested: null };
  return { ...what, minute, restartsAt, ...first };
}

/** The next night, epoch milliseconds. */
export function nightFor(
  { minute }: Pick<Wish, "minute">,
  { clock, timeZone }: Pick<WishTimes, "clock" | "timeZone">,
): number {
  return nextNight(clock.now(), minute, timeZone());
}

/** The request to the updater for a wish since the machine was started. */
export function requestedFor(wish: Wish | null, { boot }: Pick<Clock, "boot">) {
  return wish?.requested?.boot === boot ? wish.requested.request : undefined;
}

/**
 * The time at which the box restarts for a wish, epoch milliseconds.
 * @param ends of the countdown, monotonic; null before it began
 */
export function restartFor(wish: Wish | null, ends: number | null, clock: Clock): number | null {
  if (wish === null || requestedFor(wish, clock) === "arm") return null;
  if (wish.when === "tonight") return wish.restartsAt;
  return ends === null ? null : Math.round(clock.now() + ends - clock.monotonic());
}

/** A key that identifies the last outcome; null without one. */
export function lastKey({ last }: UpdaterState): string | null {
  return last === undefined ? null : outcomeKey(last);
}
