import { parseDay } from "../calendar.ts";
import { closed, documentKind, objectOf } from "../documents.ts";
import { invalidField } from "../refusal.ts";
import { MARK_LIMITS, type Marks } from "../text/marks.ts";
import { shape } from "./shape.ts";

/** @param ofText further rules of a mark's text */
const marksOf = (ofText: object) =>
  objectOf({
    marks: {
      type: "array",
      maxItems: MARK_LIMITS.marks,
      description: `must be a list of at most ${MARK_LIMITS.marks} marks`,
      items: {
        ...objectOf({
          day: {
            type: "string",
            pattern: String.raw`^\d{4}-\d{2}-\d{2}$`,
            description: "must be a day like 2026-01-31",
          },
          text: {
            type: "string",
            minLength: 1,
            maxLength: MARK_LIMITS.text,
            description: `must be a text of 1 to ${MARK_LIMITS.text} characters`,
            ...ofText,
          },
        }),
        description: "must be an object with day and text",
      },
    },
  });

/** The marks of a site, ascending by day. */
export const MARKS = documentKind<Marks>("marks", marksOf({}), {
  of: "site",
  bound: { count: 10_000, bytes: 98_304, together: 32 * 1_048_576 },
  inBackup: "kept",
});

const shaped = shape<Marks>(closed(marksOf({ pattern: "\\S" })));

/** Marks as an owner sets them, in the order of their days. @throws {Refusal} `invalid_field` */
export function readMarks(input: unknown): Marks {
  const { marks } = shaped(input);
  for (const [place, { day }] of marks.entries())
    if (parseDay(day) === undefined)
      throw invalidField(`marks.${place}.day`, "must be a day like 2026-01-31.");
  return {
    marks: marks
      .map(({ day, text }) => ({ day, text: text.trim() }))
      .sort((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0)),
  };
}
