/**
 * JSON Schemas that carry the type of what fits them, so that a shape is declared once. The `description` of a part ends
 * the sentence "field …" where a person is told that it does not fit.
 */

declare const of: unique symbol;

/** A JSON Schema of T. */
export interface SchemaOf<T> {
  readonly [of]?: T;
  readonly [keyword: string]: unknown;
}

/** The type of what fits a schema; unknown for one that does not carry it. */
export type Fitting<Schema> = Schema extends { readonly [of]?: infer T } ? T : unknown;

/** Schemas by the names of fields. */
export type Fields = Readonly<Record<string, object>>;
export type NoFields = Readonly<Record<never, never>>;

/** The type of an object that has all of these fields, and may have some. */
export type Having<All extends Fields, Some extends Fields = NoFields> = Flat<
  { readonly [Name in keyof All]: Fitting<All[Name]> } & {
    readonly [Name in keyof Some]?: Fitting<Some[Name]>;
  }
>;
type Flat<T> = { [Name in keyof T]: T[Name] };

export const TEXT: SchemaOf<string> = { type: "string", description: "must be a string" };
export const FLAG: SchemaOf<boolean> = { type: "boolean", description: "must be true or false" };
export const NUMBER: SchemaOf<number> = { type: "number", description: "must be a number" };

export function textUpTo<T extends string = string>(maxLength: number): SchemaOf<T> {
  return { type: "string", maxLength };
}

export function oneAmong<T extends string | number>(...values: readonly T[]): SchemaOf<T> {
  return { enum: values, description: `must be one of ${values.join(", ")}` };
}

export function integerFrom(minimum: number, maximum = Number.MAX_SAFE_INTEGER): SchemaOf<number> {
  return { type: "integer", minimum, maximum };
}

export function numberFrom(minimum: number): SchemaOf<number> {
  return { type: "number", minimum, maximum: Number.MAX_SAFE_INTEGER };
}

export function listOf<T>(items: SchemaOf<T>, maxItems?: number): SchemaOf<readonly T[]> {
  return { type: "array", items, ...(maxItems !== undefined && { maxItems }) };
}

/**
 * A schema of an object that has all of these, and may have more: a later release may have added it.
 * @param some fields that it may lack
 */
export function objectOf<All extends Fields, Some extends Fields = NoFields>(
  all: All,
  some?: Some,
): SchemaOf<Having<All, Some>> {
  return { type: "object", properties: { ...all, ...some }, required: Object.keys(all) };
}

/** A schema of an object without any other field. */
export function exactly<All extends Fields, Some extends Fields = NoFields>(
  all: All,
  some?: Some,
): SchemaOf<Having<All, Some>> {
  return { ...objectOf(all, some), additionalProperties: false };
}

/** A schema of an object with any names, and fields of one schema. */
export function mapOf<Part extends object>(
  schema: Part,
): SchemaOf<Readonly<Record<string, Fitting<Part>>>> {
  return { type: "object", additionalProperties: schema };
}

/** The same schema without additional fields. */
export function closed<Schema extends object>(schema: Schema): Schema {
  const { properties, ...rest } = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, closedPart(value)]),
  );
  const added = properties === undefined ? {} : { properties, additionalProperties: false };
  return { ...rest, ...added } as Schema;
}

function closedPart(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closedPart);
  return typeof value === "object" && value !== null ? closed(value) : value;
}

export function orNull<Schema extends object>(schema: Schema): SchemaOf<Fitting<Schema> | null> {
  return { anyOf: [schema, { type: "null" }] };
}

/** The same for one with a type, whose own description is told. */
export function nullable<Schema extends object>(schema: Schema): SchemaOf<Fitting<Schema> | null> {
  return { ...schema, nullable: true };
}
