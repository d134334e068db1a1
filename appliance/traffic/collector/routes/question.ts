import type { ParsedUrlQuery } from "node:querystring";
import { type Day, parseDay } from "../../../base/calendar.ts";
import { HttpError } from "../../../base/http/errors.ts";
import { anyOf, conditionsOf } from "../../../base/input/conditions.ts";
import { type Condition, within } from "../../../base/text/condition.ts";
import { COUNTED_OF } from "../../../base/text/dimensions.ts";
import { type Filter, MAX_RANGE_DAYS } from "../../../store/store.ts";
import { queryValue } from "../counting/payload.ts";

/** A range of days, both ends included; `single` for a question about one day. */
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

/**
 * `where` and `of` of a `/stats` query.
 * @param bound conditions that hold in any case; none unless given
 * @throws {HttpError} 400
 */
export function statsFilter(query: ParsedUrlQuery, bound: readonly Condition[] = []): Filter {
  const given = [query.where ?? []].flat().filter((text) => text !== "");
  const where = conditionsOf(given, invalid);
  const of = queryValue(query, "of") ?? "views";
  const counted = COUNTED_OF.find((name) => name === of);
  if (counted === undefined) throw invalid(`\`of\` must be ${anyOf(COUNTED_OF)}.`);
  return { of: counted, where: within(bound, where) };
}

export function invalid(message: string): HttpError {
  return new HttpError(400, "invalid_parameter", message);
}
