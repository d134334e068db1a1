import type { Clock } from "../../base/clock.ts";
import type { Statement } from "../sql.ts";
import { numbers } from "./connection/sql.ts";

/** Ids count from here, so that they stay exact as numbers for thirty years. */
const FIRST_ID_TIME = Date.UTC(2025, 0);
const IDS_PER_MS = 2 ** 13;

/** Draws ids: ascending, as the time does; no two nodes and no sequence have to agree on them. */
export class SurveyIds {
  readonly #clock: Pick<Clock, "now">;
  readonly #random: () => number;
  #last = 0;

  /** @param random 0–1 */
  constructor(clock: Pick<Clock, "now">, random: () => number) {
    this.#clock = clock;
    this.#random = random;
  }

  draw(): number {
    const ms = Math.max(0, this.#clock.now() - FIRST_ID_TIME);
    const drawn = Math.floor((ms + this.#random()) * IDS_PER_MS);
    this.#last = Math.max(this.#last + 1, drawn);
    return this.#last;
  }
}

/**
 * @param results of a transaction that ends with the statements of so many responses
 * @returns whether each was taken
 */
export function takenIn(results: readonly (readonly object[])[], count: number): boolean[] {
  const of = results.length - 2 * count;
  return Array.from({ length: count }, (_, at) => (results[of + 2 * at + 1] ?? []).length > 0);
}

/** Selects the ids that are stored. */
export function storedOf(ids: readonly number[]): Statement {
  return { text: "SELECT id FROM survey WHERE id = ANY($1::bigint[])", values: [numbers(ids)] };
}
