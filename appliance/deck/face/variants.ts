import type { Fitting } from "../../base/input/schema.ts";
import { type Misfit, schemas } from "../../base/input/shape.ts";
import { invalidField, type Refusal } from "../../base/refusal.ts";

/**
 * The type of values of several shapes.
 * @param Tag the field with the name of the shape
 * @param Shapes name → schema of an object, as `exactly` makes it
 */
export type OneOf<Tag extends string, Shapes> = {
  [Name in keyof Shapes]: { [Field in Tag]: Name } & {
    -readonly [Field in keyof Fitting<Shapes[Name]>]: Fitting<Shapes[Name]>[Field];
  };
}[keyof Shapes];

/**
 * Makes a reader for values of several shapes.
 * @param tag the field with the name of the shape
 * @param what the name of such a value in messages
 * @returns a function that throws {Refusal} `invalid_field`; the field is a path that begins with `at`
 */
export function variants<T extends Readonly<Record<Tag, string>>, Tag extends string>(
  tag: Tag,
  what: string,
  shapes: Readonly<Record<T[Tag], object>>,
  formats: Record<string, (text: string) => boolean> = {},
): (input: unknown, at: string) => T {
  const names = Object.keys(shapes);
  const misfitOf = schemas({ discriminator: true, verbose: true, formats })({
    type: "object",
    discriminator: { propertyName: tag },
    oneOf: Object.entries<object>(shapes).map(([name, shape]) => {
      const { properties, required } = shape as { properties: object; required: string[] };
      return {
        ...shape,
        properties: { [tag]: { const: name }, ...properties },
        required: [tag, ...required],
      };
    }),
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
