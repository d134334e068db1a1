/** One statement, in SQL that SQLite and PostgreSQL both understand where it is not an engine's own. */
export interface Statement {
  /** Values are `$1`, `$2`, … */
  readonly text: string;
  readonly values?: readonly unknown[];
}
