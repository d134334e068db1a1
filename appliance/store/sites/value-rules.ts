import type { ValueRules } from "../../base/input/value-rules.ts";
import type { ValueRule } from "../../base/text/dimensions.ts";
import type { Dimension, Hit } from "../log/record.ts";

/** By dimension, values and what each counts as. */
export type ValueMap = ReadonlyMap<Dimension, ReadonlyMap<string, string>>;

export const NO_VALUE_RULES: ValueRules = { rules: [], due: [] };

/** Rules that go round, as no owner can set them, are none: settling by them would have no end. */
export function valueMap(rules: readonly ValueRule[]): ValueMap {
  const map = new Map<Dimension, Map<string, string>>();
  for (const { dimension, from, to } of rules) {
    const ofDimension = map.get(dimension) ?? new Map<string, string>();
    map.set(dimension, ofDimension.set(from, to));
  }
  for (const ofDimension of map.values())
    for (const [from, to] of [...ofDimension]) if (ofDimension.has(to)) ofDimension.delete(from);
  return map;
}

const known = new WeakMap<ValueRules, ValueMap>();

/** The values of a hit as they count by the rules of its site, which are made ready for the first. */
export function ruledValues<V extends Hit["values"]>(values: V, rules: ValueRules): V {
  let map = known.get(rules);
  if (map === undefined) {
    map = valueMap(rules.rules);
    known.set(rules, map);
  }
  for (const [at, [dimension, text]] of values.entries()) {
    const to = map.get(dimension)?.get(text);
    if (to !== undefined) return renamed(values, map, at) as unknown as V;
  }
  return values;
}

function renamed(values: Hit["values"], map: ValueMap, from: number) {
  return values.map(([dimension, text], at) => [
    dimension,
    at < from ? text : (map.get(dimension)?.get(text) ?? text),
  ]);
}

/** Adds a rule, for what comes and for what is there. @returns "cycle" where `to` counts as `from` already */
export function withRule({ rules, due }: ValueRules, rule: ValueRule): ValueRules | "cycle" {
  const { dimension } = rule;
  const next = rules.find((one) => one.dimension === dimension && one.from === rule.to);
  if (next?.to === rule.from) return "cycle";
  const whole = { ...rule, to: next?.to ?? rule.to };
  return { rules: added(rules, whole), due: added(due, whole) };
}

/** One `to` is no other's `from`, so that a value is looked up once. */
function added(rules: readonly ValueRule[], rule: ValueRule): ValueRule[] {
  const isIt = (one: ValueRule, text: string) =>
    one.dimension === rule.dimension && text === rule.from;
  const others = rules
    .filter((one) => !isIt(one, one.from))
    .map((one) => (isIt(one, one.to) ? { ...one, to: rule.to } : one))
    .filter((one) => one.from !== one.to);
  return [...others, rule];
}
