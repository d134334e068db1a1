import type { Bound } from "./bounds.ts";
import type { SchemaOf } from "./input/schema.ts";
import { type Misfit, schemas } from "./input/shape.ts";
import { Refusal, type RefusalCode } from "./refusal.ts";

/** Schemas that many kinds share. */
export { closed, FLAG, mapOf, NUMBER, objectOf, orNull, TEXT } from "./input/schema.ts";

/**
 * A kind of documents, declared once, beside the code that uses it, for the store, a start, a backup and a restore. A
 * document is JSON, and has an id that is unique within its kind.
 */
export interface DocumentKind<Body = unknown> {
  /** The name under which it is kept. */
  readonly name: string;
  /** A JSON Schema of Body. */
  readonly schema: object;
  /** The form of its ids, as a regular expression; any unless given. */
  readonly idPattern?: string;
  /** Each has a file beside its JSON, which is read when it is needed. */
  readonly hasFile?: true;
  /** The most documents, and the most bytes of one, or of its file. */
  readonly bound: Bound;
  /** The refusal beyond the bound; undefined where callers check the bound themselves. */
  readonly full?: { readonly code: RefusalCode; readonly message: string };
  /**
   * `kept`: a backup has them, and a restore takes them. `own`: a whole backup alone has them, for a machine that becomes
   * this one again. `left`: they stay with the machine.
   */
  readonly inBackup: "kept" | "own" | "left";
  /**
   * `fleet`: it belongs to all processes on one database. `site`: the same, and ids are numbers of sites: a document is
   * deleted with its site, and a restore gives it the new number. Otherwise it belongs to the box.
   */
  readonly of?: "fleet" | "site";
  /** Carries the type alone: no kind has a value here. */
  readonly body?: Body;
}

export interface Document<Body> {
  readonly id: string;
  readonly body: Body;
  /** A number that grows with each change; 0 for a document of a restore, unchanged since. */
  readonly revision: number;
  /** Bytes of its file; 0 where it has none. */
  readonly size: number;
}

/** A change of documents of one kind: those to add, or to replace by their id, and the ids of those to remove. */
export interface DocumentsWanted<Body> {
  readonly put?: readonly (Pick<Document<Body>, "id" | "body"> & {
    readonly file?: Uint8Array;
  })[];
  readonly remove?: readonly string[];
}

/** The documents of one kind, where they are kept. */
export interface Documents<Body> {
  /** All documents, the oldest first. Rejects where one is invalid. */
  list(): Promise<Document<Body>[]>;
  /**
   * Makes all of a change, durably, or nothing of it. Rejects with the kind's `Refusal` where there would be more than
   * may be.
   */
  change(wanted: DocumentsWanted<Body>): Promise<void>;
  /** The bytes of a document's file; null where there is no document. */
  file(id: string): Promise<Uint8Array | null>;
}

/** The id of the document of a kind that has only one. */
export const ONLY = "only";

/** The kind of which another admin token leaves no more than one. */
export const SESSION = "session";

const compile = schemas({ allErrors: false });
const compileKnown = schemas({ allErrors: false, removeAdditional: true });
const checks = new WeakMap<object, (body: unknown) => Misfit | undefined>();

/** @param schema carries the type of a body, or `Body` is named */
export function documentKind<Body>(
  name: string,
  schema: SchemaOf<Body> | object,
  rules: Omit<DocumentKind<Body>, "name" | "schema" | "body">,
): DocumentKind<Body> {
  return { name, schema, ...rules };
}

/**
 * Parses a body of a kind from JSON.
 * @throws {Error} with a sentence where it is not what its kind says
 */
export function readDocument<Body>(
  { name, schema }: Pick<DocumentKind<Body>, "name" | "schema" | "body">,
  id: string,
  json: string,
): Body {
  const check = checks.get(schema) ?? compile(schema);
  checks.set(schema, check);
  const body: unknown = JSON.parse(json);
  const misfit = check(body);
  if (misfit === undefined) return body as Body;
  throw new Error(`the ${name} ${id} ${misfit.instancePath} ${misfit.message ?? "is off"}`);
}

/** The same; undefined where it is invalid. */
export function bodyOf<Body>(
  kind: Pick<DocumentKind<Body>, "name" | "schema" | "body">,
  id: string,
  json: string,
): Body | undefined {
  try {
    return readDocument(kind, id, json);
  } catch {
    return undefined;
  }
}

/** The same without fields that no closed schema names: those of a later release. */
export function knownPart<Body>(
  { schema }: Pick<DocumentKind<Body>, "schema" | "body">,
  json: string,
): Body | undefined {
  try {
    const body: unknown = JSON.parse(json);
    return compileKnown(schema)(body) === undefined ? (body as Body) : undefined;
  } catch {
    return undefined;
  }
}

/** The error beyond the bound of a kind. */
export function tooMuch({ name, full }: Pick<DocumentKind, "name" | "full">): Error {
  return full === undefined
    ? new Error(`there may be no more of the kind ${name}`)
    : new Refusal(full.code, full.message);
}
