import { schemas } from "./schema.ts";

/**
 * A kind of what is set and kept, declared once, beside the code whose it is. A document is JSON and has an id
 * of its own among its kind.
 */
export interface DocumentKind<Body> {
  /** Its name where it is kept. */
  readonly name: string;
  /** @throws {Error} with a sentence where it is not what its kind says */
  read(id: string, body: unknown): Body;
}

/** A document of some kind. */
export interface Document<Body> {
  readonly id: string;
  readonly body: Body;
}

/** The id of whatever there is one of. */
export const ONLY = "only";

/** The kind of which another admin token leaves no more than one. */
export const SESSION = "session";

const compile = schemas({ allErrors: false });

/** @param schema a JSON Schema of what Body is */
export function documentKind<Body>(name: string, schema: object): DocumentKind<Body> {
  const misfitOf = compile(schema);
  return {
    name,
    read(id, body) {
      const misfit = misfitOf(body);
      if (misfit === undefined) return body as Body;
      throw new Error(`the ${name} ${id} ${misfit.instancePath} ${misfit.message ?? "is off"}`);
    },
  };
}

/** Schemas of what many kinds have. */
export const TEXT = { type: "string" } as const;
export const FLAG = { type: "boolean" } as const;
export const NUMBER = { type: "number" } as const;

/** A schema of an object that has all of these, and may have more: a later release may have added it. */
export function objectOf(properties: Readonly<Record<string, object>>): object {
  return { type: "object", properties, required: Object.keys(properties) };
}

export function orNull(schema: object): object {
  return { anyOf: [schema, { type: "null" }] };
}
