import type { ParsedUrlQuery } from "node:querystring";
import { type Day, parseDay } from "../../base/calendar.ts";
import { HttpError } from "../../http/errors.ts";
import { MAX_RANGE_DAYS } from "../../store/store.ts";
import { queryValue } from "../counting/payload.ts";

/** Inclusive days; `single` when one day was asked for. */
interface StatsRange {
  readonly from: Day | "first";
  readonly to: Day;
  readonly single: boolean;
}

/** `day`, or `from` and `to`, of a `/stats` query; today by default. @throws {HttpError} 400 */
export function statsRange(query: ParsedUrlQuery, today: Day): StatsRange {
  const from = queryValue(query, "from");
  const to = dayParameter(query, "to");
  if (from === undefined) {
    if (to !== null) throw invalid("`to` needs `from`: give the first day of the range too.");
    const day = dayParameter(query, "day") ?? today;
    return { from: day, to: day, single: true };
  }
  if (from === "first") return { from, to: to ?? today, single: false };
  return { ...checked(dayParameter(query, "from"), to ?? today), single: false };
}

/** `from` and `to` of a survey query; an omitted end is open (null). @throws {HttpError} 400 */
export function surveyRange(query: ParsedUrlQuery): { from: Day | null; to: Day | null } {
  const from = dayParameter(query, "from");
  const to = dayParameter(query, "to");
  if (from !== null && to !== null && from > to) throw invalid("`from` is after `to`.");
  return { from, to };
}

function checked(from: Day | null, to: Day): { from: Day; to: Day } {
  if (from === null) throw invalid("`from` must be a date like 2026-01-31, or `first`.");
  if (from > to) throw invalid("`from` is after `to`, or after today.");
  if (to - from >= MAX_RANGE_DAYS)
    throw invalid(`A range has at most ${MAX_RANGE_DAYS} days. Ask for less.`);
  return { from, to };
}

function dayParameter(query: ParsedUrlQuery, key: string): Day | null {
  const text = queryValue(query, key);
  if (text === undefined) return null;
  const day = parseDay(text);
  if (day === undefined) throw invalid(`\`${key}\` must be a date like 2026-01-31.`);
  return day;
}

export function invalid(message: string): HttpError {
  return new HttpError(400, "invalid_parameter", message);
}
