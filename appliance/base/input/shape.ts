import { Ajv, type ErrorObject, type Options, type ValidateFunction } from "ajv";
import { isHost, isSiteId, looksLikeSiteId, siteIdOf, siteIdProblem } from "../names.ts";
import { invalidField, type Refusal } from "../refusal.ts";
import type { SchemaOf } from "./schema.ts";

/** The place where a value does not match its schema. */
export type Misfit = ErrorObject;

/**
 * Makes validators of JSON Schemas, with options of Ajv. A schema is compiled for the first value, since compiling all
 * of them would take a third of a start, and memory.
 * @returns a function from a schema to its validator, which returns the first error of a value, or undefined
 */
export function schemas(
  options: Options,
): (schema: object) => (input: unknown) => Misfit | undefined {
  let ajv: Ajv | undefined;
  return (schema) => {
    let fits: ValidateFunction | undefined;
    return (input) => {
      // Our schemas are known to be valid, and compiling the schema of schemas takes longer than all of them.
      ajv ??= new Ajv({ ...options, meta: false, validateSchema: false });
      fits ??= ajv.compile(schema);
      return fits(input) ? undefined : fits.errors?.[0];
    };
  };
}

const misfitOf = schemas({
  verbose: true,
  discriminator: true,
  formats: {
    "new-site-id": (text: string) => isSiteId(siteIdOf(text)),
    "site-id": (text: string) => looksLikeSiteId(siteIdOf(text)),
    host: isHost,
  },
});

/**
 * Makes a reader for values of one shape. Each part of `schema` has a `description` of valid values, the end of the
 * sentence "field …"; objects take no other fields.
 * @throws {Refusal} `invalid_field` naming the field
 */
export function shape<T>(schema: SchemaOf<T> | object): (input: unknown) => T {
  const misfit = misfitOf({ additionalProperties: false, type: "object", ...schema });
  return (input) => {
    const found = misfit(input);
    if (found !== undefined) throw explain(found);
    return input as T;
  };
}

function explain(error: Misfit): Refusal {
  const path = error.instancePath.replaceAll("/", ".").slice(1);
  const within = (field: string) => (path === "" ? field : `${path}.${field}`);
  switch (error.keyword) {
    case "required":
      return invalidField(within(error.params.missingProperty), "is missing.");
    case "additionalProperties":
      return invalidField(within(error.params.additionalProperty), "is no field that is known.");
    default:
      if (error.params.format === "new-site-id")
        return invalidField(path, siteIdProblem(String(error.data)));
      return invalidField(
        // Where the name of a property is invalid, the path is that of its object.
        error.propertyName === undefined ? path || "body" : within(error.propertyName),
        `${error.parentSchema?.description ?? "must be a JSON object"}.`,
      );
  }
}
