/** Guards for parsed JSON, and for names that come from elsewhere. */

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** Whether arrays and objects are nested deeper than `most`, in a text that may be JSON. */
export function isDeeperThan(text: string, most: number): boolean {
  let depth = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === QUOTE) isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (code === ARRAY || code === OBJECT) {
      if (++depth > most) return true;
    } else if (code === ARRAY + 2 || code === OBJECT + 2) depth--;
  }
  return false;
}
const [QUOTE, BACKSLASH, ARRAY, OBJECT] = [0x22, 0x5c, 0x5b, 0x7b];

/** Whether a value is a T. A guard of an object carries its type, so that a shape is declared once. */
export type Is<T = unknown> = (value: unknown) => value is T;
export type Guarded<Guard> = Guard extends Is<infer T> ? T : never;

export const isFlag: Is<boolean> = (value) => typeof value === "boolean";

/** A check for a list of values that pass another. */
export const isListOf =
  <T>(is: Is<T>): Is<readonly T[]> =>
  (value): value is readonly T[] =>
    Array.isArray(value) && value.every(is);

type Guards = Readonly<Record<string, Is>>;
type Fields<Of extends Guards> = { readonly [Name in keyof Of]: Guarded<Of[Name]> };

/** A check for a JSON object with these fields, which may have more. */
export const hasFields =
  <Of extends Guards>(fields: Of): Is<Fields<Of>> =>
  (value): value is Fields<Of> =>
    isObject(value) && Object.entries(fields).every(([name, is]) => is(value[name]));

/** A check for a JSON object with any fields that pass another. */
export const isMapOf =
  <T>(is: Is<T>): Is<Readonly<Record<string, T>>> =>
  (value): value is Readonly<Record<string, T>> =>
    isObject(value) && Object.values(value).every(is);

/** The JSON object that a text is; undefined where the text is anything else, or no T. */
export function objectIn<T extends object>(text: string | undefined, isT?: Is<T>): T | undefined {
  try {
    const read: unknown = JSON.parse(text ?? "");
    return isObject(read) && isT?.(read) !== false ? (read as T) : undefined;
  } catch {
    return undefined;
  }
}

/** The fields of a JSON object; none where the text is anything else. */
export function fieldsIn(text: string | undefined): Record<string, unknown> {
  return objectIn<Record<string, unknown>>(text) ?? {};
}

/** An entry of a table by a name from elsewhere. Every object has a `constructor`, too, which is no entry. */
export function entryOf<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/**
 * A string or number as text; empty for anything else. An object of parsed JSON may have a `toString` that is no
 * function, and `String` would throw.
 */
export function plainText(value: unknown): string {
  return typeof value === "number" ? String(value) : isText(value) ? value : "";
}
