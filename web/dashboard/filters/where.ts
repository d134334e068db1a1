import {
  type Condition,
  conditionText,
  filterable,
} from "../../../appliance/base/text/condition.ts";
import type { Dimension } from "../../../appliance/base/text/dimensions.ts";
import { comparable } from "../traffic/hosts.ts";

/** Adds or removes a condition for a value. Dimensions without filters change nothing. */
export function toggled(
  where: Condition[],
  name: string,
  value: string,
  spellings = [value],
): Condition[] {
  const dimension = pressable(name);
  if (dimension === undefined) return where;
  const others = where.filter((one) => !isAsked(one, dimension, value));
  if (others.length < where.length) return others;
  return [...where, ...spellings.map((value): Condition => ({ dimension, test: "is", value }))];
}

export function isAsked(one: Condition, name: string, value: string): boolean {
  const { dimension, test } = one;
  return (
    test === "is" &&
    dimension === pressable(name) &&
    comparable(dimension, one.value) === comparable(dimension, value)
  );
}

/** Conditions that say one thing, in the order of their first ones: a host has several spellings. */
export function alike(where: Condition[]): Condition[][] {
  const groups = new Map<string, Condition[]>();
  for (const one of where) {
    const { dimension, test, value } = one;
    const key = conditionText({ dimension, test, value: comparable(dimension, value) });
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()];
}

/** The same without the newest condition. */
export function withoutNewest(where: Condition[]): Condition[] {
  const newest = alike(where).at(-1) ?? [];
  return where.filter((one) => !newest.includes(one));
}

/** The dimension that a press on a value asks for, by the list it is in; undefined where filters do not know it. */
export const pressable = (list: string): Dimension | undefined =>
  filterable(list === "entry" ? "path" : list);

/** The same for the same conditions. */
export const whereKey = (where: readonly Condition[]): string =>
  JSON.stringify(where.map(conditionText));

/** Whether a condition is none of those that a shared link is bound to. */
export const isFree =
  (bound: readonly Condition[]) =>
  (one: Condition): boolean =>
    bound.every((other) => conditionText(other) !== conditionText(one));
