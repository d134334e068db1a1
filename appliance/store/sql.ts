/** One statement, in SQL that SQLite and PostgreSQL both understand where it is not an engine's own. */
export interface Statement {
  /** Values are `$1`, `$2`, … */
  readonly text: string;
  readonly values?: readonly unknown[];
}

/** Runs a statement. @returns its rows, by the names of columns; none where it has none */
export type Rows = <T extends object>(text: string, values?: readonly unknown[]) => Promise<T[]>;
