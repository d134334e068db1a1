import {
  type Condition,
  conditionParts,
  conditionText,
  filterable,
  TESTS,
} from "../../../appliance/base/text/condition.ts";
import type { Dimension } from "../../../appliance/base/text/dimensions.ts";

/** Reads all parameters like `where=path:is:/about`, and ignores invalid ones. */
export function parseWhere(params: URLSearchParams): Condition[] {
  return params.getAll("where").flatMap((text) => {
    const [name, asked, value] = conditionParts(text);
    const dimension = filterable(name);
    const test = TESTS.find((one) => one === asked);
    return dimension && test && value !== "" ? [{ dimension, test, value }] : [];
  });
}

/** Adds or removes a condition for a value. Dimensions without filters change nothing. */
export function toggled(where: Condition[], name: string, value: string): Condition[] {
  const dimension = pressable(name);
  if (dimension === undefined) return where;
  const others = where.filter((one) => !isAsked(one, dimension, value));
  return others.length < where.length ? others : [...where, { dimension, test: "is", value }];
}

export function isAsked(one: Condition, name: string, value: string): boolean {
  return one.test === "is" && one.dimension === pressable(name) && one.value === value;
}

/** The dimension that a press on a value asks for, by the list it is in; undefined where filters do not know it. */
export const pressable = (list: string): Dimension | undefined =>
  filterable(list === "entry" ? "path" : list);

/** The same for the same conditions. */
export const whereKey = (where: readonly Condition[]): string =>
  JSON.stringify(where.map(conditionText));
