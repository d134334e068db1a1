import assert from "node:assert/strict";
import { type Day, hourName, parseDay } from "../../appliance/base/calendar.ts";
import {
  type BlockCounts,
  type BlockQuestion,
  PLAIN,
} from "../../appliance/store/counts/block-counts.ts";
import { statsBody } from "../../appliance/store/counts/stats.ts";
import type { SeriesRow, StatsHead } from "../../appliance/store/reports.ts";

type Counts = Record<string, Record<string, number>>;

/** An answer of `/stats`, with counts by day as offsets. */
export interface Stats extends StatsHead {
  readonly from: string;
  readonly to: string;
  readonly series: SeriesRow[];
  readonly hours: Record<string, number[][]>;
  readonly daily: Record<string, Record<string, number[]>>;
  readonly path?: Record<string, number>;
  readonly ref?: Record<string, number>;
}

/** Asks blocks for all there is of some days. */
export async function askStats(
  source: BlockCounts,
  { site, from, to }: { readonly site: number; readonly from: Day | "first"; readonly to: Day },
  question: BlockQuestion = PLAIN,
): Promise<Stats> {
  const body = await statsBody(source, {
    ...question,
    site,
    id: String(site),
    from,
    to,
    single: false,
    series: true,
    daily: "offsets",
    zone: "UTC",
    warnings: [],
  });
  return JSON.parse(Buffer.from(body).toString());
}

/** The counts of `dimension=value` by day; totals have to be the sums of these. */
export function factsByDay(stats: Stats): Map<Day, Map<string, number>> {
  const first = parseDay(stats.from) ?? assert.fail();
  const facts = new Map<Day, Map<string, number>>();
  const add = (offset: number, fact: string, n: number) => {
    const ofDay = facts.get(first + offset) ?? new Map<string, number>();
    facts.set(first + offset, ofDay.set(fact, n));
  };
  for (const [name, values] of Object.entries(stats.daily))
    for (const [value, list] of Object.entries(values)) {
      let sum = 0;
      for (let i = 0; i < list.length; i += 2) {
        add(list[i] as number, `${name}=${value}`, list[i + 1] as number);
        sum += list[i + 1] as number;
      }
      assert.equal(
        (stats as unknown as Counts)[name]?.[value],
        sum,
        `the total of ${name}=${value}`,
      );
    }
  for (const [counter, days] of Object.entries(stats.hours))
    for (const [offset = 0, ...hours] of days)
      for (const [hour, n] of hours.entries())
        if (n > 0) add(offset, `${counter}_hour=${hourName(hour)}`, n);
  return new Map([...facts].sort(([a], [b]) => a - b));
}
