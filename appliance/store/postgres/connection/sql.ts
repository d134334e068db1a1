import type { Sql } from "../../sql.ts";

/**
 * Statements on a server. Rows have int8 and numeric as number, bytea as Uint8Array. Arrays go in as JS arrays:
 * `unnest($1::int[], $2::text[])`.
 */
export interface ServerSql extends Sql {
  /** The server that runs them, see `placeText`. */
  readonly place: string;
}

/** An array of numbers as PostgreSQL reads it. */
export function numbers(list: Iterable<number>): string {
  return `{${[...list].join(",")}}`;
}
