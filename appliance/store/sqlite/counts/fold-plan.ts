import type { Day } from "../../../base/calendar.ts";
import { OTHER } from "../../../base/names.ts";
import { FIXED_DIMENSIONS, MAX_TEXT_BYTES, MAX_VALUES, type SiteKey } from "../../counting.ts";
import { IdTable } from "../../counts/id-table.ts";
import type { FoldPlan } from "../../queries.ts";
import type { Database } from "../database.ts";
import { eachDay } from "./each-day.ts";

/** So much of the bounds is left: folding reads all days, and should not be needed every day. */
const LEFT = 0.95;
/** A plan looks at about so many values; data from before they were bounded may hold millions. */
const VALUES_PER_PLAN = 500_000;
const ALL_DAYS = { from: 0, to: Number.MAX_SAFE_INTEGER };

interface Overfull {
  readonly dimension: string;
  readonly values: number;
}

/**
 * What to count as OTHER where a dimension of a site holds too many values: the rarest of past
 * days. One site at a time; null when there is nothing to fold.
 */
export function foldPlan(db: Database, { today }: { today: Day }): FoldPlan | null {
  // Yesterday stays open for what comes in late; see packDay.
  const since = today - 1;
  for (const [site, all] of overfull(db))
    for (const dimensions of portions(all)) {
      const plan = planFor(db, site, dimensions, since);
      if (plan !== null) return plan;
    }
  return null;
}

function planFor(
  db: Database,
  site: SiteKey,
  dimensions: readonly string[],
  since: Day,
): FoldPlan | null {
  const sums = sumsOf(db, site, dimensions);
  const open = new Set(
    db.prepare("SELECT DISTINCT value FROM count WHERE site = ?").pluck().all(site) as number[],
  );
  const values = dimensions
    .map((dimension): [string, Float64Array] => [
      dimension,
      rarest(db, site, dimension, sums, (id, lastDay) => lastDay < since && !open.has(id)),
    ])
    .filter(([, ids]) => ids.length > 0);
  return values.length === 0 ? null : { site, values, days: daysOf(db, site, values), since };
}

function overfull(db: Database): Map<SiteKey, Overfull[]> {
  const rows = db
    .prepare(
      `SELECT site, dimension, count(*) FROM value JOIN site ON site.key = site
       GROUP BY site, dimension HAVING count(*) > ? OR total(octet_length(text)) > ?`,
    )
    .raw()
    .all(MAX_VALUES, MAX_TEXT_BYTES) as [SiteKey, string, number][];
  const bySite = new Map<SiteKey, Overfull[]>();
  for (const [site, dimension, values] of rows)
    if (!FIXED_DIMENSIONS.has(dimension))
      bySite.set(site, [...(bySite.get(site) ?? []), { dimension, values }]);
  return bySite;
}

/** As many dimensions together as a plan may look at. */
function portions(all: readonly Overfull[]): string[][] {
  const portions: string[][] = [];
  let room = 0;
  for (const { dimension, values } of all) {
    if (values > room || portions.length === 0) {
      portions.push([]);
      room = VALUES_PER_PLAN;
    }
    portions.at(-1)?.push(dimension);
    room -= values;
  }
  return portions;
}

/** How often each value of some dimensions was counted. */
function sumsOf(db: Database, site: SiteKey, dimensions: readonly string[]): IdTable {
  const sums = new IdTable();
  const ids = db.prepare("SELECT id FROM value WHERE site = ? AND dimension = ?").pluck();
  for (const dimension of dimensions)
    for (const id of ids.iterate(site, dimension)) sums.add(id as number, 0, 0);
  eachDay(db, site, ALL_DAYS.from, ALL_DAYS.to, (_day, id, n) => {
    if (sums.has(id)) sums.add(id, n, 0);
  });
  return sums;
}

function rarest(
  db: Database,
  site: SiteKey,
  dimension: string,
  sums: IdTable,
  isPast: (id: number, lastDay: Day) => boolean,
): Float64Array {
  const where = "FROM value WHERE site = ? AND dimension = ? AND text <> ?";
  const size = db.prepare(`SELECT count(*) ${where}`).pluck().get(site, dimension, OTHER) as number;
  // Not as objects: there may be a million.
  const ids = new Float64Array(size);
  const lengths = new Uint32Array(size);
  const lastDays = new Int32Array(size);
  const totals = new Float64Array(size);
  const past = new Uint32Array(size);
  let [values, bytes, pastValues] = [0, 0, 0];
  const rows = db.prepare(`SELECT id, octet_length(text), last_day ${where}`).raw();
  for (const row of rows.iterate(site, dimension, OTHER)) {
    const [id, length, lastDay] = row as [number, number, Day];
    ids[values] = id;
    lengths[values] = length;
    lastDays[values] = lastDay;
    totals[values] = sums.first(id) ?? 0;
    if (isPast(id, lastDay)) past[pastValues++] = values;
    values += 1;
    bytes += length;
  }
  const at = (numbers: Float64Array | Int32Array | Uint32Array, i: number) => numbers[i] ?? 0;
  const order = past
    .subarray(0, pastValues)
    .sort(
      (a, b) =>
        at(totals, a) - at(totals, b) ||
        at(lastDays, a) - at(lastDays, b) ||
        at(ids, a) - at(ids, b),
    );
  let folded = 0;
  for (const i of order) {
    if (values <= LEFT * MAX_VALUES && bytes <= LEFT * MAX_TEXT_BYTES) break;
    values -= 1;
    bytes -= at(lengths, i);
    folded += 1;
  }
  return Float64Array.from(order.subarray(0, folded), (i) => at(ids, i));
}

/** The days on which any of the values was counted. */
function daysOf(db: Database, site: SiteKey, values: FoldPlan["values"]): Day[] {
  const folded = new IdTable();
  for (const [, ids] of values) for (const id of ids) folded.add(id, 0, 0);
  const days = new Set<Day>();
  eachDay(db, site, ALL_DAYS.from, ALL_DAYS.to, (day, id) => {
    if (folded.has(id)) days.add(day);
  });
  return [...days];
}
