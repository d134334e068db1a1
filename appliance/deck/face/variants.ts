import { type Misfit, schemas } from "../../base/input/shape.ts";
import { invalidField, type Refusal } from "../../base/refusal.ts";

/** A JSON Schema. Its `description` has the valid values, as the end of the sentence "field …". */
type FieldSchema = object;

type Schemas = Readonly<Record<string, FieldSchema>>;

/** The fields of a shape: those it needs, and those it may have. It takes no others. */
interface Fields {
  readonly required: Schemas;
  readonly optional: Schemas;
}

export function fields(required: Schemas = {}, optional: Schemas = {}): Fields {
  return { required, optional };
}

/** JSON Schema of a text that is one of a few. */
export function oneOf(...values: string[]): FieldSchema {
  return { enum: values, description: `must be one of ${values.join(", ")}` };
}

/**
 * Makes a reader for values of several shapes.
 * @param tag the field with the name of the shape
 * @param what the name of such a value in messages
 * @returns a function that throws {Refusal} `invalid_field`; the field is a path that begins with `at`
 */
export function variants<T extends Readonly<Record<Tag, string>>, Tag extends string>(
  tag: Tag,
  what: string,
  shapes: Readonly<Record<T[Tag], Fields>>,
  formats: Record<string, (text: string) => boolean> = {},
): (input: unknown, at: string) => T {
  const names = Object.keys(shapes);
  const misfitOf = schemas({ discriminator: true, verbose: true, formats })({
    type: "object",
    discriminator: { propertyName: tag },
    oneOf: Object.entries<Fields>(shapes).map(([name, { required, optional }]) => ({
      type: "object",
      properties: { [tag]: { const: name }, ...required, ...optional },
      required: [tag, ...Object.keys(required)],
      additionalProperties: false,
    })),
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
      // Where the name of a property is invalid, the path is that of its object.
      const field = error.propertyName === undefined ? path : `${path}.${error.propertyName}`;
      return invalidField(field, `${error.parentSchema?.description ?? "must be an object"}.`);
    }
  }
}
