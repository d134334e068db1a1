import type { Clock } from "../base/clock.ts";
import type { Told } from "../release/told.ts";
import { nextNight } from "./night.ts";
import type { Wish } from "./record.ts";
import { outcomeKey } from "./view.ts";

/** The clock and all else that the time of a wish depends on. */
export interface Times {
  readonly clock: Clock;
  /** 0–1. */
  readonly random: () => number;
  /** The zone in which it is night. */
  readonly timeZone: () => string;
}

/** That a release be installed, from now on. */
export function newWish(
  what: Pick<Wish, "release" | "when" | "isByItself">,
  told: Told,
  times: Times,
): Wish {
  const minute = Math.floor(times.random() * 60);
  const restartsAt = what.when === "tonight" ? nightFor({ minute }, times) : null;
  const first = { failures: 0, retryAt: null, asked: null };
  return { ...what, minute, restartsAt, before: lastKey(told), ...first };
}

/** The next night, epoch milliseconds. */
export function nightFor(
  { minute }: Pick<Wish, "minute">,
  { clock, timeZone }: Pick<Times, "clock" | "timeZone">,
): number {
  return nextNight(clock.now(), minute, timeZone());
}

/** The request to the updater for a wish since the machine was started. */
export function askedFor(wish: Wish | null, { boot }: Pick<Clock, "boot">) {
  return wish?.asked?.boot === boot ? wish.asked.ask : undefined;
}

/**
 * When the box restarts for a wish, epoch milliseconds.
 * @param ends of the countdown, monotonic; null before it began
 */
export function restartFor(wish: Wish | null, ends: number | null, clock: Clock): number | null {
  if (wish === null || askedFor(wish, clock) === "start") return null;
  if (wish.when === "tonight") return wish.restartsAt;
  return ends === null ? null : Math.round(clock.now() + ends - clock.monotonic());
}

/** Tells the last outcome from the one before; null where there was none. */
export function lastKey({ last }: Told): string | null {
  return last === undefined ? null : outcomeKey(last);
}
