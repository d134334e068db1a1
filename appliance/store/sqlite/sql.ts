import type { Rows, Statement } from "../sql.ts";
import type { Database, Prepared } from "./database.ts";

/** The most prepared statements, more than those that recur. */
const MOST_PREPARED = 256;
/** Prepared statements by text. */
const PREPARED = new WeakMap<Database, Map<string, Prepared>>();

/** A statement, prepared once for each connection. It is others', too: it runs to its end before anything else does. */
export function prepared(db: Database, text: string): Prepared {
  const all = PREPARED.get(db) ?? new Map<string, Prepared>();
  PREPARED.set(db, all);
  const known = all.get(text);
  if (known !== undefined) return known;
  if (all.size >= MOST_PREPARED) all.clear();
  const statement = db.prepare(text);
  all.set(text, statement);
  return statement;
}

/** Runs a statement of both engines. @returns its rows, if it has any */
export function run(db: Database, { text, values = [] }: Statement): object[] {
  const statement = prepared(db, text);
  const named = Object.fromEntries(values.map((value, i) => [i + 1, value]));
  if (statement.reader) return statement.all(named) as object[];
  statement.run(named);
  return [];
}

export function runAll(db: Database, statements: readonly Statement[]): void {
  for (const statement of statements) run(db, statement);
}

export function rowsOf(db: Database): Rows {
  return async <T extends object>(text: string, values: readonly unknown[] = []) =>
    run(db, { text, values }) as T[];
}
