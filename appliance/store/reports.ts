import type { Counter, SiteKey } from "./counting.ts";
import type { Connection } from "./database.ts";
import { type Day, formatDay } from "./day.ts";
import { unpack } from "./pack.ts";

/** The longest range of `stats`, in days. */
export const MAX_RANGE_DAYS = 4_000;

/**
 * Days are inclusive. `from: "first"` is the first day with data up to `to`, or `to` where there is
 * none; never further back than MAX_RANGE_DAYS.
 */
export interface StatsQuery {
  readonly site: SiteKey;
  readonly id: string;
  readonly from: Day | "first";
  readonly to: Day;
  /** Answer `{site, day}` rather than `{site, from, to}`. */
  readonly single: boolean;
  readonly series: boolean;
  readonly daily: boolean;
  readonly warnings: readonly string[];
}

/** Value → count; or value → [offset, count, offset, count, …] in days since `from`. */
type ByValue<T> = Record<string, T>;

const SERIES: readonly Counter[] = ["pv", "uv", "sessions", "bot", "app"];

/** The body of `/stats` as JSON. */
export function stats(db: Connection, query: StatsQuery): string {
  const { site, to } = query;
  const from = query.from === "first" ? firstDay(db, site, to) : query.from;
  const tallies = new Tallies(db, query.daily);
  eachDay(db, site, from, to, (day, id, n) => tallies.add(id, day - from, n));

  const pending = hitsPending(db, site);
  const body = {
    site: query.id,
    ...(query.single ? { day: formatDay(to) } : { from: formatDay(from), to: formatDay(to) }),
    ...(query.warnings.length > 0 && { warnings: query.warnings }),
    ...(pending > 0 && { pending }),
    ...(query.series && { series: tallies.series(from, to) }),
    ...tallies.totals(),
    ...(query.daily && { daily: tallies.daily() }),
  };
  return JSON.stringify(body);
}

/** Sum of one counter over inclusive days. */
export function counterSum(
  db: Connection,
  { site, counter, from, to }: { site: SiteKey; counter: Counter; from: Day; to: Day },
): number {
  const ids = new Set(
    db.prepare("SELECT id FROM value WHERE site = ? AND dimension = ?").pluck().all(site, counter),
  );
  let sum = 0;
  eachDay(db, site, from, to, (_day, id, n) => {
    if (ids.has(id)) sum += n;
  });
  return sum;
}

/** All-time sum of one counter, days past retention included. */
export function counterTotal(
  db: Connection,
  { site, counter }: { site: SiteKey; counter: Counter },
): number {
  const total = db.prepare("SELECT n FROM total WHERE site = ? AND counter = ?").pluck();
  return (total.get(site, counter) as number | undefined) ?? 0;
}

class Tallies {
  readonly #byId = new Map<number, { total: number; days: number[] }>();
  readonly #value;
  readonly #everyDay: boolean;

  constructor(db: Connection, everyDay: boolean) {
    this.#value = db.prepare("SELECT dimension, text FROM value WHERE id = ?");
    this.#everyDay = everyDay;
  }

  add(id: number, offset: number, n: number): void {
    let tally = this.#byId.get(id);
    if (tally === undefined) {
      tally = { total: 0, days: [] };
      this.#byId.set(id, tally);
    }
    tally.total += n;
    if (this.#everyDay || this.#isCounter(id)) addDay(tally.days, offset, n);
  }

  totals(): Record<string, ByValue<number>> {
    return this.#byDimension((tally) => tally.total);
  }

  daily(): Record<string, ByValue<number[]>> {
    return this.#byDimension((tally) => tally.days);
  }

  /** Rows of `[day, pv, uv, sessions, bot, app]`, ascending, zeros included. */
  series(from: Day, to: Day): [string, ...number[]][] {
    const rows = Array.from({ length: to - from + 1 }, (_, offset): [string, ...number[]] => [
      formatDay(from + offset),
      ...SERIES.map(() => 0),
    ]);
    for (const [id, { days }] of this.#byId) {
      const column = SERIES.indexOf(this.#describe(id).dimension as Counter) + 1;
      if (column === 0) continue;
      for (let i = 0; i < days.length; i += 2) {
        const row = rows[days[i] as number] as number[];
        row[column] = (row[column] ?? 0) + (days[i + 1] as number);
      }
    }
    return rows;
  }

  readonly #described = new Map<number, { dimension: string; text: string }>();

  #describe(id: number): { dimension: string; text: string } {
    let value = this.#described.get(id);
    if (value === undefined) {
      value = this.#value.get(id) as { dimension: string; text: string };
      this.#described.set(id, value);
    }
    return value;
  }

  #isCounter(id: number): boolean {
    return SERIES.includes(this.#describe(id).dimension as Counter);
  }

  #byDimension<T>(of: (tally: { total: number; days: number[] }) => T): Record<string, ByValue<T>> {
    const dimensions: Record<string, ByValue<T>> = Object.create(null);
    for (const [id, tally] of this.#byId) {
      const { dimension, text } = this.#describe(id);
      // Without a prototype, for visitors may send `__proto__`.
      dimensions[dimension] ??= Object.create(null) as ByValue<T>;
      dimensions[dimension][text] = of(tally);
    }
    return dimensions;
  }
}

/** Adds to an `[offset, count, …]` list whose offsets come in ascending order. */
function addDay(days: number[], offset: number, n: number): void {
  if (days.at(-2) === offset) days[days.length - 1] = (days.at(-1) as number) + n;
  else days.push(offset, n);
}

/** Visits the counts of each day, ascending by day; a value may come twice on one day. */
export function eachDay(
  db: Connection,
  site: SiteKey,
  from: Day,
  to: Day,
  visit: (day: Day, id: number, n: number) => void,
): void {
  const rows = db
    .prepare("SELECT day, value, n FROM count WHERE site = ? AND day BETWEEN ? AND ? ORDER BY day")
    .raw()
    .all(site, from, to) as [Day, number, number][];
  let next = 0;
  const visitRowsUntil = (day: Day) => {
    for (let row = rows[next]; row !== undefined && row[0] <= day; row = rows[++next])
      visit(row[0], row[1], row[2]);
  };
  const packs = db
    .prepare(
      "SELECT day, counts FROM packed_day WHERE site = ? AND day BETWEEN ? AND ? ORDER BY day",
    )
    .raw()
    .iterate(site, from, to) as IterableIterator<[Day, Buffer]>;
  for (const [day, counts] of packs) {
    visitRowsUntil(day - 1);
    unpack(counts, (id, n) => visit(day, id, n));
    visitRowsUntil(day);
  }
  visitRowsUntil(to);
}

function firstDay(db: Connection, site: SiteKey, to: Day): Day {
  const days = ["packed_day", "count"].map(
    (table) =>
      db.prepare(`SELECT min(day) FROM ${table} WHERE site = ?`).pluck().get(site) as Day | null,
  );
  const first = Math.min(to, ...days.filter((day) => day !== null));
  return Math.max(first, to - MAX_RANGE_DAYS + 1);
}

function hitsPending(db: Connection, site: SiteKey): number {
  const sum = db.prepare("SELECT sum(hits) FROM waiting WHERE site = ?").pluck();
  return (sum.get(site) as number | null) ?? 0;
}
