import type { ParsedUrlQuery } from "node:querystring";
import { COUNTED_OF } from "../../store/blocks/day-table.ts";
import { DETAIL_DIMENSIONS } from "../../store/blocks/detail.ts";
import { type Condition, TESTS } from "../../store/blocks/filter.ts";
import type { Filter } from "../../store/queries.ts";
import { queryValue, storable, storedPath } from "../counting/payload.ts";
import { invalid } from "./range.ts";

const MAX_CONDITIONS = 8;
/** Long enough for whatever is stored, with room for what a stored value would be cut by. */
const MAX_VALUE = 1_024;

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

/** `path:begins:/blog/`, whose value may hold colons. */
function conditionOf(text: string): Condition {
  const [, name = "", asked = "", value = ""] = /^([^:]*):?([^:]*):?(.*)$/s.exec(text) ?? [];
  const dimension = DETAIL_DIMENSIONS.find((one) => one === name);
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
  // A page is asked for as its address shows it; what a path begins with may well end in a slash.
  return {
    dimension,
    test,
    value: dimension === "path" && test !== "begins" ? storedPath(stored) : stored,
  };
}

function oneOf(names: readonly string[]): string {
  return `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}
