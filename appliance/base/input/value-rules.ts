import { documentKind, objectOf } from "../documents.ts";
import { OTHER } from "../names.ts";
import { invalidField } from "../refusal.ts";
import { MAX_VALUE_RULES, MERGEABLE, type ValueRule } from "../text/dimensions.ts";
import { storable, storedPath } from "../text/storable.ts";
import { exactly, listOf, oneAmong, type SchemaOf, TEXT } from "./schema.ts";
import { shape } from "./shape.ts";

export interface ValueRules {
  /** The rules for what comes. No `to` of them is a `from`. */
  readonly rules: readonly ValueRule[];
  /** The same for what is settled already: they go once all of it is made one. */
  readonly due: readonly ValueRule[];
}

/** A value that blocks can keep, whoever wrote the document. */
const VALUE: SchemaOf<string> = {
  type: "string",
  maxLength: 128,
  pattern: String.raw`^[^\p{Cc}\p{Cs}]+$`,
};
const RULES = {
  ...listOf(objectOf({ dimension: oneAmong(...MERGEABLE), from: VALUE, to: VALUE })),
  maxItems: MAX_VALUE_RULES,
};

export const VALUE_RULES = documentKind<ValueRules>(
  "value_rules",
  objectOf({ rules: RULES, due: RULES }),
  {
    of: "site",
    bound: { count: 10_000, bytes: 524_288, together: 8 * 1_048_576 },
    full: {
      code: "rule_limit",
      message: "The rules for values of all sites are too long together. Forget some.",
    },
    inBackup: "kept",
  },
);

const NAMED = {
  dimension: { enum: MERGEABLE, description: `must be one of ${MERGEABLE.join(", ")}` },
  from: TEXT,
};
const shapedName = shape<Pick<ValueRule, "dimension" | "from">>(exactly(NAMED));
const shapedRule = shape<ValueRule>(exactly({ ...NAMED, to: TEXT }));

/** The value that a rule is for, as it is stored. @throws {Refusal} `invalid_field` */
export function readRuleName(input: unknown): Pick<ValueRule, "dimension" | "from"> {
  const { dimension, from } = shapedName(input);
  return { dimension, from: storedValue(dimension, "from", from) };
}

/** A rule, its values as they are stored. @throws {Refusal} `invalid_field` */
export function readValueRule(input: unknown): ValueRule {
  const { dimension, ...given } = shapedRule(input);
  const from = storedValue(dimension, "from", given.from);
  const to = storedValue(dimension, "to", given.to);
  if (from === to) throw invalidField("to", "must be another value: these two are one already.");
  return { dimension, from, to };
}

function storedValue(
  dimension: ValueRule["dimension"],
  field: "from" | "to",
  text: string,
): string {
  if (dimension === "path" && !text.startsWith("/"))
    throw invalidField(field, "must be a path that begins with a slash, like /about.");
  const value = dimension === "path" ? storedPath(storable(text)) : storable(text);
  if (value.trim() === "" || value === OTHER)
    throw invalidField(field, "must be a value as a list shows it, and no sum of others.");
  return value;
}
