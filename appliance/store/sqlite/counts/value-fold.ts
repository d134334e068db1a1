import type { Day } from "../../../base/calendar.ts";
import { IdTable } from "../../counts/id-table.ts";
import { type Counts, pack, unpack } from "../../counts/pack.ts";
import type { FoldPlan } from "../../queries.ts";
import type { Database } from "../database.ts";
import type { Ledger } from "./ledger.ts";

/** A step stays at a few milliseconds, so that hits in between never notice. */
const REMOVED_PER_STEP = 250;

/**
 * Carries out a plan in small steps, each in the caller's transaction: day by day, then value by
 * value. The sums of a dimension stay what they are at each step, and what is left undone when the
 * power goes is in the next plan.
 */
export class ValueFold {
  readonly #db: Database;
  readonly #ledger: Ledger;
  readonly #plan: FoldPlan;
  /** By value id: the place of its dimension in the plan. */
  readonly #dimensionOf = new IdTable();
  readonly #days: Day[];
  /** What is still to be removed. */
  #left: Float64Array[];

  constructor(db: Database, ledger: Ledger, plan: FoldPlan) {
    this.#db = db;
    this.#ledger = ledger;
    this.#plan = plan;
    for (const [place, [, ids]] of plan.values.entries())
      for (const id of ids) this.#dimensionOf.add(id, place, 0);
    this.#days = [...plan.days];
    this.#left = plan.values.map(([, ids]) => ids);
  }

  /** @returns false when nothing was left to do */
  step(): boolean {
    const day = this.#days.pop();
    if (day !== undefined) {
      this.#foldDay(day);
      return true;
    }
    const [ids, ...others] = this.#left;
    if (ids === undefined) return false;
    this.#remove([...ids.subarray(0, REMOVED_PER_STEP)]);
    const rest = ids.subarray(REMOVED_PER_STEP);
    this.#left = rest.length > 0 ? [rest, ...others] : others;
    return true;
  }

  #foldDay(day: Day): void {
    const { site, values } = this.#plan;
    const packed = this.#db
      .prepare("SELECT counts FROM packed_day WHERE site = ? AND day = ?")
      .pluck()
      .get(site, day) as Buffer | undefined;
    if (packed === undefined) return;
    const counts: Counts = new Map();
    const others = values.map(([dimension]) => {
      let other: number | undefined;
      return () => (other ??= this.#ledger.other(site, day, dimension));
    });
    unpack(packed, (id, n) => {
      const place = this.#dimensionOf.first(id);
      const kept = place === undefined ? id : (others[place]?.() ?? id);
      counts.set(kept, (counts.get(kept) ?? 0) + n);
    });
    this.#db
      .prepare("UPDATE packed_day SET counts = ? WHERE site = ? AND day = ?")
      .run(pack(counts), site, day);
  }

  /** Removes values, but those that were counted again since the plan was made. */
  #remove(ids: readonly number[]): void {
    const { site, since } = this.#plan;
    const removed = this.#db
      .prepare(
        `DELETE FROM value WHERE id IN (SELECT value FROM json_each(:ids))
           AND site = :site AND last_day < :since
           AND NOT EXISTS (SELECT 1 FROM count WHERE site = :site AND value = id
             AND day IN (SELECT value FROM json_each(:open)))
         RETURNING dimension, text`,
      )
      .all({ ids: JSON.stringify(ids), site, since, open: JSON.stringify(this.#openDays()) }) as {
      dimension: string;
      text: string;
    }[];
    for (const { dimension, text } of removed) this.#ledger.forgetValue(site, dimension, text);
  }

  /** The days that are not packed: few, found without looking at their counts. */
  #openDays(): Day[] {
    const next = this.#db.prepare("SELECT min(day) FROM count WHERE site = ? AND day > ?").pluck();
    const days: Day[] = [];
    for (let day: Day | null = -Infinity; ; days.push(day)) {
      day = next.get(this.#plan.site, day) as Day | null;
      if (day === null) return days;
    }
  }
}
