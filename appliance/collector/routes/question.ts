import type { ParsedUrlQuery } from "node:querystring";
import { type Day, parseDay } from "../../base/calendar.ts";
import {
  type Condition,
  conditionParts,
  filterable,
  MAX_CONDITIONS,
  TESTS,
} from "../../base/text/condition.ts";
import { COUNTED_OF } from "../../base/text/dimensions.ts";
import { HttpError } from "../../http/errors.ts";
import { DETAIL_DIMENSIONS, type Filter, MAX_RANGE_DAYS } from "../../store/store.ts";
import { queryValue, storable, storedPath } from "../counting/payload.ts";

/** The longest value of a query: longer than all stored ones, with room for the part that storing cuts off. */
const MAX_VALUE = 1_024;

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

/** `where` and `of` of a `/stats` query. @throws {HttpError} 400 */
export function statsFilter(query: ParsedUrlQuery): Filter {
  const given = [query.where ?? []].flat().filter((text) => text !== "");
  if (given.length > MAX_CONDITIONS)
    throw invalid(`\`where\` may be given ${MAX_CONDITIONS} times at most. Leave some out.`);
  const of = queryValue(query, "of") ?? "views";
  const counted = COUNTED_OF.find((name) => name === of);
  if (counted === undefined) throw invalid(`\`of\` must be ${oneOf(COUNTED_OF)}.`);
  return { of: counted, where: given.map(conditionOf) };
}

function conditionOf(text: string): Condition {
  const [name, asked, value] = conditionParts(text);
  const dimension = filterable(name);
  if (dimension === undefined)
    throw invalid(
      `\`where\` must begin with a dimension that views have, like path:is:/about: ${oneOf(DETAIL_DIMENSIONS)}.`,
    );
  const test = TESTS.find((one) => one === asked);
  if (test === undefined)
    throw invalid(
      `\`where=${dimension}\` must go on with ${oneOf(TESTS)}, like ${dimension}:is:….`,
    );
  if (value.length > MAX_VALUE)
    throw invalid(
      `A value of \`where\` has at most ${MAX_VALUE} characters. \`begins\` finds values by their first ones.`,
    );
  const stored = storable(value);
  if (stored === "")
    throw invalid(`\`where=${dimension}:${test}\` needs a value, like ${dimension}:${test}:….`);
  // A path is normalized like a stored one; the beginning of a path may end in a slash.
  return {
    dimension,
    test,
    value: dimension === "path" && test !== "begins" ? storedPath(stored) : stored,
  };
}

function oneOf(names: readonly string[]): string {
  return `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}

export function invalid(message: string): HttpError {
  return new HttpError(400, "invalid_parameter", message);
}
