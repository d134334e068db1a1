import { DAY_MS, HOUR_MS } from "../../base/calendar.ts";
import type { Failure } from "./record.ts";

const MINUTE_MS = 60_000;
export const WEEK_MS = 7 * DAY_MS;

/** Let's Encrypt gives 5 certificates for one name in 7 days: one of them is left to its owner. */
export const ORDERS_A_WEEK = 4;
/** The limit for other CAs, whose certificates may last for a day, and are renewed after half of it. */
export const ORDERS_A_WEEK_ELSEWHERE = 25;
/** A clock that was an hour off when it was ordered, and the other way since, makes a week no shorter. */
export const ORDERS_WINDOW_MS = WEEK_MS + 3 * HOUR_MS;
/** Let's Encrypt takes 5 failed validations of one name in an hour. */
export const VALIDATIONS_AN_HOUR = 5;
/** The CA counts each failure by its own clock: the power may go before the box has the answer. */
export const VALIDATIONS_WINDOW_MS = HOUR_MS + MINUTE_MS;
export const TESTS_AN_HOUR = 10;
/**
 * The shortest time between two updates, since providers block clients that repeat themselves. After a change of address,
 * one update may come sooner.
 */
export const DNS_EVERY_MS = 10 * MINUTE_MS;
export const DNS_MOVED_MS = MINUTE_MS;

/** Pauses after failures, from Let's Encrypt's integration guide. The last one repeats. */
const BACK_OFF_MS: readonly number[] = [MINUTE_MS, 10 * MINUTE_MS, 100 * MINUTE_MS, DAY_MS];

/**
 * The failure after `before`. A wait that the other side requests is obeyed, up to a week.
 * @param random 0–1, so that boxes with a common failure do not try again at the same time
 */
export function failedAgain(
  before: Failure | null,
  {
    now,
    random,
    retryAfterMs = 0,
  }: { now: number; random: number; retryAfterMs?: number | undefined },
): Failure {
  const count = (before?.count ?? 0) + 1;
  const wait = BACK_OFF_MS[Math.min(count, BACK_OFF_MS.length) - 1] ?? DAY_MS;
  const asked = Math.min(Math.max(retryAfterMs, 0), WEEK_MS);
  return { count, at: now, waitMs: Math.round(Math.max(wait * (1 + random / 10), asked)) };
}

/** The time of the next try. */
export const againAt = ({ at, waitMs }: Pick<Failure, "at" | "waitMs">): number => at + waitMs;

/** The times within the last `windowMs`. */
export function recent(times: readonly number[], windowMs: number, now: number): number[] {
  return times.filter((at) => at > now - windowMs);
}

/** The time at which one more is allowed; 0: now. */
export function nextFreeAt(
  times: readonly number[],
  { most, windowMs, now }: { most: number; windowMs: number; now: number },
): number {
  const inWindow = recent(times, windowMs, now).sort((a, b) => a - b);
  const freed = inWindow[inWindow.length - most];
  return freed === undefined ? 0 : freed + windowMs;
}
