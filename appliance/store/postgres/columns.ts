type Cell = number | string | Uint8Array;

/**
 * Rows as the arrays that `unnest($1::int[], $2::bigint[])` makes rows of again: one statement, however
 * many there are.
 */
export class Columns<Row extends readonly Cell[]> {
  readonly #columns: Cell[][] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(...row: Row): void {
    this.#size += 1;
    for (const [at, value] of row.entries()) {
      this.#columns[at] ??= [];
      this.#columns[at].push(value);
    }
  }

  /** As parameters. */
  values(): (string | Cell[])[] {
    return this.#columns.map((column) =>
      // The driver would quote each number.
      typeof column[0] === "number" ? numbers(column as number[]) : column,
    );
  }
}

/** An array of numbers as PostgreSQL reads it. */
export function numbers(list: Iterable<number>): string {
  return `{${[...list].join(",")}}`;
}
