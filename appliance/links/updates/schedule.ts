import { DAY_MS, HOUR_MS } from "../../base/calendar.ts";
import type { Clock } from "../../base/clock.ts";
import { timeOfDay } from "../../base/time-zone.ts";
import type { Wish } from "./record.ts";

const MINUTE_MS = 60_000;

/** The earliest time of a check, and the range after it, in which boxes are spread. */
const CHECKS = {
  first: { after: 10 * MINUTE_MS, within: DAY_MS },
  next: { after: 6.5 * DAY_MS, within: DAY_MS },
  /** The host did not answer. */
  again: { after: 0.5 * DAY_MS, within: DAY_MS },
};

/** The time of the next check, epoch milliseconds. @param random 0–1 */
export function nextCheck(now: number, which: keyof typeof CHECKS, random: number): number {
  const { after, within } = CHECKS[which];
  return Math.round(now + after + random * within);
}

const RETRIES_MS = [10_000, MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, 60 * MINUTE_MS];
/** The tries of an immediate restart, so that it does not come as a surprise an hour later. */
const RETRIES_NOW = 3;

/**
 * The time of the next try of a failed fetch, epoch milliseconds; undefined for never.
 * @param failures in a row, this one included
 */
export function nextTry(now: number, failures: number, when: Wish["when"]): number | undefined {
  const waits = when === "now" ? RETRIES_MS.slice(0, RETRIES_NOW) : RETRIES_MS;
  const wait = waits[failures - 1];
  return wait === undefined ? undefined : now + wait;
}

/** The hour with the fewest visitors. */
const NIGHT_HOUR = 4;

/**
 * The next time of so many minutes past four.
 * @param minute 0–59, which spreads the restarts of boxes
 * @returns epoch milliseconds after `now`
 */
export function nextNight(now: number, minute: number, timeZone: string): number {
  const wanted = NIGHT_HOUR * HOUR_MS + minute * MINUTE_MS;
  const ahead = (at: number) => (wanted - timeOfDay(at, timeZone) + DAY_MS) % DAY_MS;
  const night = now + (ahead(now) || DAY_MS);
  // The result is an hour off where the clocks change in between.
  const off = ahead(night);
  const right = off > DAY_MS / 2 ? night + off - DAY_MS : night + off;
  return right > now ? right : right + DAY_MS;
}

export interface WishTimes {
  readonly clock: Clock;
  /** 0–1. */
  readonly random: () => number;
  /** The zone in which it is night. */
  readonly timeZone: () => string;
}

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
