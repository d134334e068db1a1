import { OTHER } from "../../../base/names.ts";
import { IdTable } from "../../counts/id-table.ts";
import type { VisitValue } from "../../counts/source.ts";
import type { Sql } from "../connection.ts";
import { askAhead } from "./ask-ahead.ts";

/** So many ids are asked for at once. */
const ASKED = 5_000;
/** Some 20 MB outside of the heap. */
const MAX_KINDS = 500_000;
const MAX_TEXTS = 50_000;
const MAX_CHARACTERS = 4_000_000;

interface KindRow {
  readonly id: number;
  readonly dimension: string;
  readonly bytes: number;
  readonly other: boolean;
}

interface TextRow {
  readonly id: number;
  readonly text: string;
}

/**
 * What a thread knows of values by their ids: an id never changes its meaning. It may know some that
 * are gone, which nothing counts any more.
 */
export class KnownValues {
  /** First the place of its dimension, doubled, and one more for OTHER; second the bytes of its text. */
  #kinds = new IdTable();
  readonly #dimensions: string[] = [];
  readonly #places = new Map<string, number>();
  readonly #texts = new Map<number, string>();
  #characters = 0;

  /** Forgets what is too much. Not to be called while anything is asked. */
  trim(): void {
    if (this.#kinds.size > MAX_KINDS) this.#kinds = new IdTable();
    if (this.#texts.size <= MAX_TEXTS && this.#characters <= MAX_CHARACTERS) return;
    this.#texts.clear();
    this.#characters = 0;
  }

  /** Visits the values that `ids` has. */
  async eachValue(sql: Sql, ids: IdTable, visit: VisitValue): Promise<void> {
    const kinds = this.#kinds;
    const unknown = Array.from(ids, ([id]) => id).filter((id) => !kinds.has(id));
    const ask = (part: readonly number[]) =>
      sql.rows<KindRow>(
        `SELECT id, dimension, octet_length(text) AS bytes, text = $2 AS other
         FROM value WHERE id = ANY($1::bigint[])`,
        [part, OTHER],
      );
    for await (const rows of askAhead(inParts(unknown, ask)))
      for (const { id, dimension, bytes, other } of rows)
        if (!kinds.has(id)) kinds.add(id, 2 * this.#placeOf(dimension) + (other ? 1 : 0), bytes);
    for (const [id] of ids) {
      const kind = kinds.first(id);
      if (kind === undefined) continue;
      const dimension = this.#dimensions[Math.floor(kind / 2)] ?? "";
      visit(id, dimension, kinds.second(id) ?? 0, kind % 2 === 1);
    }
  }

  /** In the order of their ids, which `eachValue` has visited. */
  async texts(sql: Sql, ids: readonly number[]): Promise<string[]> {
    const unknown = ids.filter((id) => !this.#texts.has(id));
    const ask = (part: readonly number[]) =>
      sql.rows<TextRow>("SELECT id, text FROM value WHERE id = ANY($1::bigint[])", [part]);
    for await (const rows of askAhead(inParts(unknown, ask)))
      for (const { id, text } of rows) {
        if (this.#texts.has(id)) continue;
        this.#texts.set(id, text);
        this.#characters += text.length;
      }
    return ids.map((id) => this.#texts.get(id) ?? OTHER);
  }

  #placeOf(dimension: string): number {
    let place = this.#places.get(dimension);
    if (place === undefined) {
      place = this.#dimensions.push(dimension) - 1;
      this.#places.set(dimension, place);
    }
    return place;
  }
}

function* inParts<T>(
  ids: readonly number[],
  ask: (part: readonly number[]) => Promise<T>,
): Generator<() => Promise<T>> {
  for (let at = 0; at < ids.length; at += ASKED) yield () => ask(ids.slice(at, at + ASKED));
}
