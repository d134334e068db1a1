import { DAY_MS, HOUR_MS, parseDay } from "../../base/calendar.ts";

const MINUTE_MS = 60_000;
/** A number of seconds, or of parts of one, since 1970. */
const NUMBER = /^\d{9,20}(?:\.\d{1,20})?$/;
/** ISO 8601 without signs between: `20260131T120000Z`. */
const BASIC = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)/i;
/** The date and the time of day, which may be missing or end early, and what follows them; Go names the zone behind its offset. */
const TIME =
  /^(\d{4})[-/](\d\d)[-/](\d\d)(?:(?:[Tt]| {1,2})(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?)? ?(\S{0,9})(?:(?<=[+-]\d{4}) \S{1,5})?$/;
const OFFSET = /^([+-])(\d\d)(?::?(\d\d)(?::?(\d\d))?)?$/;
/** The farthest offset that a database writes, in hours. */
const MAX_OFFSET = 15;

/**
 * The moment of a text that another program wrote: ISO 8601, as PostgreSQL and MySQL write it (`2026-01-31 12:00:00.123+00`)
 * or Go (`2026-01-31 12:00:00 +0000 UTC`), or a number since 1970 in seconds or smaller units. UTC unless it names an offset: `Z`, `+05`, `+0530`, `+05:30`.
 * @returns epoch milliseconds; NaN for none
 */
export function momentIn(text: string): number {
  const trimmed = text.trim().replace(BASIC, "$1-$2-$3T$4:$5:$6");
  if (NUMBER.test(trimmed)) return momentOfNumber(Number(trimmed));
  const [, year, month, day, hours = "0", minutes = "0", seconds = "0", fraction = "0", zone = ""] =
    TIME.exec(trimmed) ?? [];
  const date = parseDay(`${year}-${month}-${day}`);
  const [hour, minute, second] = [Number(hours), Number(minutes), Number(seconds)];
  // 24:00 is the end of a day, and 60 a leap second, which is of the day that it ends.
  const isTime = hour * 60 + minute <= 24 * 60 && minute < 60 && second <= 60;
  if (date === undefined || !isTime) return Number.NaN;
  const wall = date * DAY_MS + hour * HOUR_MS + minute * MINUTE_MS + Math.min(59, second) * 1_000;
  return wall + Number(fraction.padEnd(3, "0").slice(0, 3)) - offsetIn(zone);
}

/** Milliseconds that a zone is ahead of UTC; NaN for what is none. */
function offsetIn(zone: string): number {
  if (zone === "" || /^(?:Z|UTC|GMT)$/i.test(zone)) return 0;
  const [, sign, hours, minutes = "0", seconds = "0"] = OFFSET.exec(zone) ?? [];
  const [hour, minute, second] = [Number(hours), Number(minutes), Number(seconds)];
  if (!(hour <= MAX_OFFSET && minute < 60 && second < 60)) return Number.NaN;
  const ahead = hour * HOUR_MS + minute * MINUTE_MS + second * 1_000;
  return sign === "-" ? -ahead : ahead;
}

/** A number since 1970 in seconds, or in milli-, micro- or nanoseconds, which its size tells. */
function momentOfNumber(n: number): number {
  if (n < 1e11) return Math.floor(n * 1_000);
  if (n < 1e14) return Math.floor(n);
  return Math.floor(n < 1e17 ? n / 1e3 : n / 1e6);
}
