/** One statement, in SQL that SQLite and PostgreSQL both understand where it is not an engine's own. */
export interface Statement {
  /** Values are `$1`, `$2`, … */
  readonly text: string;
  readonly values?: readonly unknown[];
}

/** Runs a statement. @returns its rows, by the names of columns; none where it has none */
export type Rows = <T extends object>(text: string, values?: readonly unknown[]) => Promise<T[]>;

/**
 * Work on a database of either engine, within one transaction: it yields statements that do not need each
 * other's rows, and is given the rows of each.
 */
export type Steps<T> = Generator<readonly Statement[], T, readonly (readonly object[])[]>;

/** @param all runs several statements at once */
export async function runSteps<T>(
  all: (statements: readonly Statement[]) => Promise<readonly (readonly object[])[]>,
  steps: Steps<T>,
): Promise<T> {
  let step = steps.next([]);
  while (!step.done) step = steps.next(await all(step.value));
  return step.value;
}

/** The same for statements without waiting. */
export function runStepsNow<T>(
  run: (statement: Statement) => readonly object[],
  steps: Steps<T>,
): T {
  let step = steps.next([]);
  while (!step.done) step = steps.next(step.value.map(run));
  return step.value;
}

/** A step of one statement. @returns its rows */
export function* rowsIn<Row extends object>(
  text: string,
  values: readonly unknown[] = [],
): Steps<readonly Row[]> {
  const [rows = []] = yield [{ text, values }];
  return rows as readonly Row[];
}

/**
 * Statements that write rows, several in each.
 * @param types the types of the columns, where the statement does not say them
 * @param text makes a statement of `($1, $2), ($3, $4)`
 */
export function manyRows(
  rows: readonly (readonly unknown[])[],
  { atOnce, types = [] }: { readonly atOnce: number; readonly types?: readonly string[] },
  text: (tuples: string) => string,
): Statement[] {
  const statements: Statement[] = [];
  for (let at = 0; at < rows.length; at += atOnce) {
    const values: unknown[] = [];
    const cell = (value: unknown, column: number) => {
      const type = types[column];
      const parameter = `$${values.push(value)}`;
      return type === undefined ? parameter : `CAST(${parameter} AS ${type})`;
    };
    const tuples = rows.slice(at, at + atOnce).map((row) => `(${row.map(cell).join()})`);
    statements.push({ text: text(tuples.join()), values });
  }
  return statements;
}

/** A secret of a database, which the first process makes. */
export function* databaseSecret(name: string, make: () => Uint8Array): Steps<Uint8Array> {
  const find = () => rowsIn<{ value: string }>("SELECT value FROM meta WHERE key = $1", [name]);
  const [known] = yield* find();
  if (known !== undefined) return Buffer.from(known.value, "hex");
  yield* rowsIn("INSERT INTO meta (key, value) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING", [
    name,
    Buffer.from(make()).toString("hex"),
  ]);
  const [made] = yield* find();
  return Buffer.from(made?.value ?? "", "hex");
}
