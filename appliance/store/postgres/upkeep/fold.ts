import type { Day } from "../../../base/calendar.ts";
import { OTHER } from "../../../base/names.ts";
import { IdTable } from "../../counts/id-table.ts";
import { type Counts, unpack } from "../../counts/pack.ts";
import type { FoldPlan } from "../../queries.ts";
import type { Sql } from "../connection.ts";
import { packedDay, savePack } from "./pack.ts";
import { removeValues } from "./values.ts";

const REMOVED_PER_STEP = 1_000;

/**
 * Carries out a plan in small steps: day by day, then value by value. The sums of a dimension stay what
 * they are at each step, and what is left undone is in the next plan.
 */
export class Fold {
  readonly #plan: FoldPlan;
  /** By value id: the place of its dimension in the plan. */
  readonly #dimensionOf = new IdTable();
  readonly #days: Day[];
  /** What is still to be removed: by dimension. */
  readonly #left: [dimension: string, ids: number[]][];

  constructor(plan: FoldPlan) {
    this.#plan = plan;
    for (const [place, [, ids]] of plan.values.entries())
      for (const id of ids) this.#dimensionOf.add(id, place, 0);
    this.#days = [...plan.days];
    this.#left = plan.values.flatMap(([dimension, ids]) => portions(dimension, [...ids]));
  }

  /** In a transaction of the caller's; `done` follows once it is committed. @returns false when nothing was left to do */
  async step(sql: Sql, today: Day): Promise<boolean> {
    const day = this.#days.at(-1);
    if (day !== undefined) await this.#foldDay(sql, day);
    const [next] = this.#left;
    if (day === undefined && next !== undefined) await this.#remove(sql, next, today);
    return day !== undefined || next !== undefined;
  }

  done(): void {
    if (this.#days.pop() === undefined) this.#left.shift();
  }

  async #foldDay(sql: Sql, day: Day): Promise<void> {
    const { site, values } = this.#plan;
    const packed = await packedDay(sql, { site, day });
    if (packed === undefined) return;
    const places = new Set<number>();
    unpack(packed, (id) => {
      const place = this.#dimensionOf.first(id);
      if (place !== undefined) places.add(place);
    });
    const others = new Map<number, number>();
    for (const place of places)
      others.set(place, await this.#other(sql, day, values[place]?.[0] ?? ""));
    const counts: Counts = new Map();
    unpack(packed, (id, n) => {
      const place = this.#dimensionOf.first(id);
      const kept = place === undefined ? id : (others.get(place) ?? id);
      counts.set(kept, (counts.get(kept) ?? 0) + n);
    });
    await savePack(sql, { site, day }, counts);
  }

  async #other(sql: Sql, day: Day, dimension: string): Promise<number> {
    const [row] = await sql.rows<{ id: number }>(
      `INSERT INTO value (site, dimension, text, last_day) VALUES ($1, $2, $3, $4)
       ON CONFLICT (site, dimension, text)
       DO UPDATE SET last_day = GREATEST(value.last_day, excluded.last_day)
       RETURNING id`,
      [this.#plan.site, dimension, OTHER, day],
    );
    if (row === undefined) throw new Error("a value could not be made");
    return row.id;
  }

  /** Nodes remember what was counted today and yesterday, by the clock of the database. */
  async #remove(sql: Sql, [dimension, ids]: [string, number[]], today: Day): Promise<void> {
    const { site, since } = this.#plan;
    const candidates = ids.map((id) => ({ id, site, dimension }));
    await removeValues(sql, candidates, Math.min(since, today - 1));
  }
}

function portions(dimension: string, ids: number[]): [string, number[]][] {
  const all: [string, number[]][] = [];
  for (let at = 0; at < ids.length; at += REMOVED_PER_STEP)
    all.push([dimension, ids.slice(at, at + REMOVED_PER_STEP)]);
  return all;
}
