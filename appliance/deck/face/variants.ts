import { type Misfit, schemas } from "../../base/input/schema.ts";
import { invalidField, type Refusal } from "../../base/refusal.ts";

/** A JSON Schema; its `description` says what it takes, to end the sentence "field …". */
type FieldSchema = object;

/** The JSON Schema of one of several shapes, which the field `tag` tells apart by its `name`. */
interface Variant {
  readonly properties: Readonly<Record<string, FieldSchema>>;
}

/**
 * @param tag the field that names the variant
 * @param required the fields it needs, and `optional` those it may have; it takes no others
 */
export function variant(
  tag: string,
  name: string,
  required: Record<string, FieldSchema> = {},
  optional: Record<string, FieldSchema> = {},
): Variant {
  return {
    type: "object",
    properties: { [tag]: { const: name }, ...required, ...optional },
    required: [tag, ...Object.keys(required)],
    additionalProperties: false,
  } as Variant;
}

/** JSON Schema of a text that is one of a few. */
export function oneOf(...values: string[]): FieldSchema {
  return { enum: values, description: `must be one of ${values.join(", ")}` };
}

/**
 * Makes what reads values of several shapes.
 * @param what what a value of them is called in a message
 * @returns throws {Refusal} `invalid_field`; the field is a path that begins with `at`
 */
export function variants<T>(
  tag: string,
  what: string,
  shapes: readonly Variant[],
  formats: Record<string, (text: string) => boolean> = {},
): (input: unknown, at: string) => T {
  const names = shapes.map(({ properties }) => (properties[tag] as { const: string }).const);
  const misfitOf = schemas({ discriminator: true, verbose: true, formats })({
    type: "object",
    discriminator: { propertyName: tag },
    oneOf: shapes,
  });
  return (input, at) => {
    const misfit = misfitOf(input);
    if (misfit === undefined) return input as T;
    if (misfit.keyword === "discriminator")
      throw invalidField(`${at}.${tag}`, `must be one of ${names.join(", ")}.`);
    throw explain(misfit, at, what);
  };
}

function explain(error: Misfit, at: string, what: string): Refusal {
  const path = `${at}${error.instancePath.replaceAll("/", ".")}`;
  switch (error.keyword) {
    case "required":
      return invalidField(`${path}.${error.params.missingProperty}`, "is missing.");
    case "additionalProperties":
      return invalidField(
        `${path}.${error.params.additionalProperty}`,
        `is not a field of this type of ${what}.`,
      );
    default: {
      // Where a name is what does not fit, it is in an object that is fine.
      const field = error.propertyName === undefined ? path : `${path}.${error.propertyName}`;
      return invalidField(field, `${error.parentSchema?.description ?? "must be an object"}.`);
    }
  }
}
