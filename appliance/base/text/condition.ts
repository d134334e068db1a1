import { DIMENSIONS, type Dimension, rowsOf, WITHOUT_DETAIL } from "./dimensions.ts";

export const TESTS = ["is", "not", "begins", "has"] as const;

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

/** Tests as people read them. */
export const TEST_NAMES = {
  is: "is",
  not: "is not",
  begins: "begins with",
  has: "contains",
} as const;

/** Whether a test looks for a part of values, as it is typed, and not for whole ones. */
export const isOfPart = (test: Condition["test"]): boolean => test === "begins" || test === "has";

/** `path:begins:/blog/` */
export function conditionText({ dimension, test, value }: Condition): string {
  return `${dimension}:${test}:${value}`;
}

/** The condition of a text like `path:is:/about`; undefined for a text that is none. */
export function readCondition(text: string): Condition | undefined {
  const [name, asked, value] = conditionParts(text);
  const dimension = filterable(name);
  const test = TESTS.find((one) => one === asked);
  return dimension && test && value !== "" ? { dimension, test, value } : undefined;
}

/** Reads texts like `path:is:/about`, and ignores invalid ones. */
export function readConditions(texts: readonly string[]): Condition[] {
  return texts.flatMap((text) => readCondition(text) ?? []);
}

/** A dimension that conditions may have, by its name; undefined for any other name. */
export function filterable(name: string): Dimension | undefined {
  return DIMENSIONS.find((one) => one === name && !WITHOUT_DETAIL.has(one));
}

/** The rows that all dimensions count: those that conditions ask for, or else views. */
export function rowsAsked(where: readonly Condition[]): ReturnType<typeof rowsOf> {
  const asked = where.flatMap(({ dimension, test }) => (test === "not" ? [] : [rowsOf(dimension)]));
  return asked.find((rows) => rows !== "views") ?? "views";
}

/** Conditions of which no more fits than fits `bound`, whatever is asked besides. */
export function within(bound: readonly Condition[], asked: readonly Condition[]): Condition[] {
  const alternatives = (of: Condition) =>
    asked.filter(({ dimension, test }) => test === "is" && dimension === of.dimension);
  const own = bound.filter(({ test }) => test === "is");
  // Alternatives add up: those asked for rule out the bound ones that they do not name, and are not asked themselves.
  const replaced = own.flatMap(alternatives);
  const ruledOut = own.filter((one) => {
    const wanted = alternatives(one);
    return wanted.length > 0 && wanted.every(({ value }) => value !== one.value);
  });
  return [
    ...bound,
    ...asked.filter((one) => !replaced.includes(one)),
    ...ruledOut.map((one): Condition => ({ ...one, test: "not" })),
  ];
}
