import {
  type Condition,
  conditionParts,
  conditionText,
  filterable,
  isOfPart,
  MAX_CONDITIONS,
  TESTS,
} from "../text/condition.ts";
import { DIMENSIONS } from "../text/dimensions.ts";
import { storable, storedPath } from "../text/storable.ts";

/** The longest value of a condition: longer than all stored ones, with room for the part that storing cuts off. */
const MAX_VALUE = 1_024;

/** The most bytes of all conditions that are kept with a site. */
const MAX_KEPT_BYTES = 1_024;

/**
 * Conditions as questions give them: `path:is:/about`.
 * @param refuse makes the error of a sentence that says what is wrong with `where`
 */
export function conditionsOf(
  texts: readonly string[],
  refuse: (sentence: string) => Error,
): Condition[] {
  if (texts.length > MAX_CONDITIONS)
    throw refuse(`\`where\` may be given ${MAX_CONDITIONS} times at most. Leave some out.`);
  return texts.map((text) => conditionOf(text, refuse));
}

function conditionOf(text: string, refuse: (sentence: string) => Error): Condition {
  const [name, asked, value] = conditionParts(text);
  const dimension = filterable(name);
  if (dimension === undefined)
    throw refuse(
      `\`where\` must begin with a dimension that views have, like path:is:/about: ${anyOf(DIMENSIONS.filter(filterable))}.`,
    );
  const test = TESTS.find((one) => one === asked);
  if (test === undefined)
    throw refuse(`\`where=${dimension}\` must go on with ${anyOf(TESTS)}, like ${dimension}:is:….`);
  if (value.length > MAX_VALUE)
    throw refuse(
      `A value of \`where\` has at most ${MAX_VALUE} characters. \`begins\` finds values by their first ones, \`has\` by any.`,
    );
  const stored = storable(value);
  if (stored === "")
    throw refuse(`\`where=${dimension}:${test}\` needs a value, like ${dimension}:${test}:….`);
  // A path is normalized like a stored one; a part of a path may end in a slash.
  return {
    dimension,
    test,
    value: dimension === "path" && !isOfPart(test) ? storedPath(stored) : stored,
  };
}

/** `a, b or c` */
export function anyOf(names: readonly string[]): string {
  return `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}

/** Conditions as they are kept with a site. @throws what `refuse` makes */
export function keptConditions(
  texts: readonly string[],
  refuse: (sentence: string) => Error,
): string[] {
  const kept = conditionsOf(texts, refuse).map(conditionText);
  if (Buffer.byteLength(JSON.stringify(kept)) > MAX_KEPT_BYTES)
    throw refuse("These filters are too long together. Leave some out.");
  return kept;
}
