import { Ajv, type ErrorObject, type Options, type ValidateFunction } from "ajv";

/** Where a value does not fit its schema. */
export type Misfit = ErrorObject;

/**
 * Makes checks of JSON Schemas, `options` being those of Ajv. Nothing is compiled before the first
 * value comes: it would take a third of a start, and some memory.
 * @returns for a schema what tells the first misfit of a value, undefined where it fits
 */
export function schemas(
  options: Options,
): (schema: object) => (input: unknown) => Misfit | undefined {
  let ajv: Ajv | undefined;
  return (schema) => {
    let fits: ValidateFunction | undefined;
    return (input) => {
      // Our schemas are what they are: to compile the schema of schemas takes longer than all of them.
      ajv ??= new Ajv({ ...options, meta: false, validateSchema: false });
      fits ??= ajv.compile(schema);
      return fits(input) ? undefined : fits.errors?.[0];
    };
  };
}
