import type { Script, Statement } from "../../sql.ts";

export interface Sql {
  /**
   * One statement; rows by column name: int8 and numeric as number, bytea as Uint8Array. Arrays go in
   * as JS arrays: `unnest($1::int[], $2::text[])`.
   */
  rows<T extends object>(text: string, values?: readonly unknown[]): Promise<T[]>;
  /** Several at once, without waiting in between. @returns the rows of each */
  all(statements: readonly Statement[]): Promise<readonly (readonly object[])[]>;
}

/** SQL that runs in a transaction. */
export interface Transaction extends Sql {
  /** Where it does, see `placeText`. */
  readonly place: string;
}

/** Does the work of a script, all that it yields at once without waiting in between. */
export async function performOn<T>(sql: Pick<Sql, "all">, script: Script<T>): Promise<T> {
  for (let step = script.next([]); ; ) {
    if (step.done) return step.value;
    step = script.next(await sql.all(step.value));
  }
}

/** An array of numbers as PostgreSQL reads it. */
export function numbers(list: Iterable<number>): string {
  return `{${[...list].join(",")}}`;
}
