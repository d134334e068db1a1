declare const of: unique symbol;

/** A JSON Schema, with the type of what fits it: what is kept is declared once, and read with care. */
interface SchemaOf<T> {
  readonly [of]?: T;
  readonly [keyword: string]: unknown;
}
export type Fitting<Schema> = Schema extends SchemaOf<infer T> ? T : never;

type Fields = Readonly<Record<string, SchemaOf<unknown>>>;

export const flag: SchemaOf<boolean> = { type: "boolean" };

export function textUpTo<T extends string = string>(maxLength: number): SchemaOf<T> {
  return { type: "string", maxLength };
}

export function oneAmong<T extends string | number>(...values: T[]): SchemaOf<T> {
  return { enum: values };
}

export function integerFrom(minimum: number, maximum = Number.MAX_SAFE_INTEGER): SchemaOf<number> {
  return { type: "integer", minimum, maximum };
}

export function number(minimum: number): SchemaOf<number> {
  return { type: "number", minimum, maximum: Number.MAX_SAFE_INTEGER };
}

export function orNone<T>(schema: SchemaOf<T>): SchemaOf<T | null> {
  return { anyOf: [schema, { type: "null" }] };
}

export function listOf<T>(items: SchemaOf<T>, maxItems: number): SchemaOf<readonly T[]> {
  return { type: "array", maxItems, items };
}

/** An object that has all of these fields, and may have the optional ones. */
export function withFields<All extends Fields, Some extends Fields = Record<never, never>>(
  all: All,
  some?: Some,
): SchemaOf<
  { readonly [Name in keyof All]: Fitting<All[Name]> } & {
    readonly [Name in keyof Some]?: Fitting<Some[Name]>;
  }
> {
  return { type: "object", properties: { ...all, ...some }, required: Object.keys(all) };
}
