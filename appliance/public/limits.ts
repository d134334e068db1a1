import { DAY_MS, HOUR_MS } from "../base/calendar.ts";
import type { Failure } from "./record.ts";

const MINUTE_MS = 60_000;
export const WEEK_MS = 7 * DAY_MS;

/** Let's Encrypt gives 5 certificates for one name in 7 days: one of them is left to its owner. */
export const ORDERS_A_WEEK = 4;
/** Of another CA, whose certificates may be of a day and are renewed at half of it. */
export const ORDERS_A_WEEK_ELSEWHERE = 25;
/** A clock that was an hour off when it was ordered, and the other way since, makes a week no shorter. */
export const ORDERS_WINDOW_MS = WEEK_MS + 3 * HOUR_MS;
/** Let's Encrypt takes 5 failed validations of one name in an hour. */
export const VALIDATIONS_AN_HOUR = 5;
/**
 * The CA counts each by its own clock, and when it has failed: the power may go before the box has
 * heard of it.
 */
export const VALIDATIONS_WINDOW_MS = HOUR_MS + MINUTE_MS;
export const TESTS_AN_HOUR = 10;
/**
 * Providers lock out who tells them the same again and again: so long between two updates, at least.
 * One that follows may come sooner: the home has another address.
 */
export const DNS_EVERY_MS = 10 * MINUTE_MS;
export const DNS_MOVED_MS = MINUTE_MS;

/** As Let's Encrypt's integration guide asks for; the last stays. */
const BACK_OFF_MS: readonly number[] = [MINUTE_MS, 10 * MINUTE_MS, 100 * MINUTE_MS, DAY_MS];

/**
 * Failed once more after `before`. The wait that the other side asked for is obeyed, up to a week.
 * @param random 0–1: boxes that failed together do not come back together
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

/** When to try again. */
export const againAt = ({ at, waitMs }: Pick<Failure, "at" | "waitMs">): number => at + waitMs;

/** Those of the last `windowMs`. */
export function recent(times: readonly number[], windowMs: number, now: number): number[] {
  return times.filter((at) => at > now - windowMs);
}

/** When there may be one more; 0: now. */
export function nextFreeAt(
  times: readonly number[],
  { most, windowMs, now }: { most: number; windowMs: number; now: number },
): number {
  const inWindow = recent(times, windowMs, now).sort((a, b) => a - b);
  const freed = inWindow[inWindow.length - most];
  return freed === undefined ? 0 : freed + windowMs;
}
