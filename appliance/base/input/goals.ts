import { closed, documentKind, objectOf } from "../documents.ts";
import { invalidField } from "../refusal.ts";
import { GOAL_KINDS, GOAL_LIMITS, type Goal, type Goals } from "../text/goals.ts";
import { pagePath, storable } from "../text/storable.ts";
import { shape } from "./shape.ts";

const text = (maxLength: number, what: string) => ({
  type: "string",
  minLength: 1,
  maxLength,
  description: `must be ${what} of 1 to ${maxLength} characters`,
});
const GOAL = objectOf(
  {
    name: text(GOAL_LIMITS.name, "a text"),
    kind: { enum: GOAL_KINDS, description: "must be event or page" },
    value: text(GOAL_LIMITS.value, "an event's name or a page's path"),
  },
  { unit: text(GOAL_LIMITS.unit, "a unit, like € or kg,") },
);

/** The goals of a site, in the order in which they show. */
export const GOALS = documentKind<Goals>(
  "goals",
  objectOf({
    goals: {
      type: "array",
      maxItems: GOAL_LIMITS.goals,
      description: `must be a list of at most ${GOAL_LIMITS.goals} goals`,
      items: { ...GOAL, description: "must be an object with name, kind and value" },
    },
  }),
  {
    of: "site",
    bound: { count: 10_000, bytes: 32_768, together: 16 * 1_048_576 },
    inBackup: "kept",
  },
);

const shaped = shape<Goals>(closed(GOALS.schema));

/** Goals as an owner sets them, as they are stored. @throws {Refusal} `invalid_field` */
export function readGoals(input: unknown): Goals {
  return { goals: shaped(input).goals.map(asStored) };
}

/** @throws {Refusal} `invalid_field` */
function asStored({ name, kind, value, unit: given = "" }: Goal, place: number): Goal {
  const text = value.trim();
  const unit = storable(given.trim());
  if (kind === "page" && unit !== "")
    throw invalidField(`goals.${place}.unit`, "is for events, which may carry a number.");
  if (kind === "page" && !text.startsWith("/"))
    throw invalidField(
      `goals.${place}.value`,
      "must be a path that begins with a slash, like /thanks.",
    );
  if (text === "" || text === "*")
    throw invalidField(`goals.${place}.value`, "must name an event, or how it begins.");
  return {
    name: name.trim() || text,
    kind,
    value: kind === "page" ? storedPattern(text) : text,
    ...(unit !== "" && { unit }),
  };
}

/** A page, or how pages begin, as views are counted: decoded, without query and slashes at its end. A star stays, and what stands before it. */
export function storedPattern(text: string): string {
  if (!text.endsWith("*")) return pagePath(text);
  const begin = text.slice(0, -1);
  // A slash there is a part of how pages begin.
  return begin.endsWith("/") ? `${pagePath(begin)}/*`.replace("//", "/") : `${pagePath(begin)}*`;
}
