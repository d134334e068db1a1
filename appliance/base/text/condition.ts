import { DIMENSIONS, type Dimension, OF_EVENTS, WITHOUT_DETAIL } from "./dimensions.ts";

export const TESTS = ["is", "not", "begins"] as const;

/** A property that a view or an event has to have. Those with `is` of one dimension are alternatives. */
export interface Condition {
  readonly dimension: Dimension;
  readonly test: (typeof TESTS)[number];
  readonly value: string;
}

/** The most conditions of a question. */
export const MAX_CONDITIONS = 8;

/** The parts of `path:begins:/blog/`, whose value may hold colons; empty where they are missing. */
export function conditionParts(text: string): [dimension: string, test: string, value: string] {
  const [, dimension = "", test = "", value = ""] = /^([^:]*):?([^:]*):?(.*)$/s.exec(text) ?? [];
  return [dimension, test, value];
}

/** `path:begins:/blog/` */
export function conditionText({ dimension, test, value }: Condition): string {
  return `${dimension}:${test}:${value}`;
}

/** A dimension that conditions may have, by its name; undefined for any other name. */
export function filterable(name: string): Dimension | undefined {
  return DIMENSIONS.find((one) => one === name && !WITHOUT_DETAIL.has(one));
}

/** Whether events are counted by all dimensions, and no views. */
export function asksForEvents(where: readonly Condition[]): boolean {
  return where.some(({ dimension, test }) => test !== "not" && OF_EVENTS.has(dimension));
}
