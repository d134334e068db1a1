import { runSteps, type Statement, type Steps } from "../../sql.ts";

export interface Sql {
  /**
   * One statement; rows by column name: int8 and numeric as number, bytea as Uint8Array. Arrays go in
   * as JS arrays: `unnest($1::int[], $2::text[])`.
   */
  rows<T extends object>(text: string, values?: readonly unknown[]): Promise<T[]>;
  /** Runs statements without waiting in between. @returns the rows of each */
  all(statements: readonly Statement[]): Promise<readonly (readonly object[])[]>;
}

/** SQL that runs in a transaction. */
export interface Transaction extends Sql {
  /** The server that runs it, see `placeText`. */
  readonly place: string;
}

/** Does the work in the caller's transaction, if that is one. */
export function performOn<T>(sql: Pick<Sql, "all">, steps: Steps<T>): Promise<T> {
  return runSteps((statements) => sql.all(statements), steps);
}

/** An array of numbers as PostgreSQL reads it. */
export function numbers(list: Iterable<number>): string {
  return `{${[...list].join(",")}}`;
}
