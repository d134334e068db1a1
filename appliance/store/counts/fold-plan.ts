import type { Day } from "../../base/calendar.ts";
import { FIXED_DIMENSIONS, MAX_TEXT_BYTES, MAX_VALUES, type SiteKey } from "../counting.ts";
import type { FoldPlan } from "../queries.ts";
import { IdTable } from "./id-table.ts";
import type { FoldSource, Overfull } from "./source.ts";

/** So much of the bounds is left: folding reads all days, and should not be needed every day. */
const LEFT = 0.95;
/** A plan looks at about so many values; data from before they were bounded may hold millions. */
const VALUES_PER_PLAN = 500_000;
/** Days are 32 bits in some databases. */
const ALL_DAYS = { from: 0, to: 2 ** 31 - 1 };

/**
 * What to count as OTHER where a dimension of a site holds too many values: the rarest of past
 * days. One site at a time; null when there is nothing to fold.
 */
export async function foldPlan(
  source: FoldSource,
  { today }: { today: Day },
): Promise<FoldPlan | null> {
  // Yesterday stays open for what comes in late.
  const since = today - 1;
  const overfull = await source.overfull({ values: MAX_VALUES, bytes: MAX_TEXT_BYTES });
  const open = overfull.filter(({ dimension }) => !FIXED_DIMENSIONS.has(dimension));
  for (const [site, all] of Map.groupBy(open, (each) => each.site))
    for (const dimensions of portions(all)) {
      const plan = await planFor(source, site, dimensions, since);
      if (plan !== null) return plan;
    }
  return null;
}

async function planFor(
  source: FoldSource,
  site: SiteKey,
  dimensions: readonly Overfull[],
  since: Day,
): Promise<FoldPlan | null> {
  const sums = await sumsOf(source, site, dimensions);
  const open = await source.openValues(site);
  const values: [string, Float64Array][] = [];
  for (const dimension of dimensions) {
    const isPast = (id: number, lastDay: Day) => lastDay < since && !open.has(id);
    const ids = await rarest(source, dimension, sums, isPast);
    if (ids.length > 0) values.push([dimension.dimension, ids]);
  }
  return values.length === 0
    ? null
    : { site, values, days: await daysOf(source, site, values), since };
}

/** As many dimensions together as a plan may look at. */
function portions(all: readonly Overfull[]): Overfull[][] {
  const portions: Overfull[][] = [];
  let room = 0;
  for (const dimension of all) {
    if (dimension.values > room || portions.length === 0) {
      portions.push([]);
      room = VALUES_PER_PLAN;
    }
    portions.at(-1)?.push(dimension);
    room -= dimension.values;
  }
  return portions;
}

/** How often each value of some dimensions was counted. */
async function sumsOf(
  source: FoldSource,
  site: SiteKey,
  dimensions: readonly Overfull[],
): Promise<IdTable> {
  const sums = new IdTable();
  for (const { dimension } of dimensions)
    await source.eachOf(site, dimension, (id) => sums.add(id, 0, 0));
  await source.eachDay({ site, ...ALL_DAYS }, (_day, id, n) => {
    if (sums.has(id)) sums.add(id, n, 0);
  });
  return sums;
}

async function rarest(
  source: FoldSource,
  { site, dimension, values: size }: Overfull,
  sums: IdTable,
  isPast: (id: number, lastDay: Day) => boolean,
): Promise<Float64Array> {
  // Not as objects: there may be a million.
  const ids = new Float64Array(size);
  const lengths = new Uint32Array(size);
  const lastDays = new Int32Array(size);
  const totals = new Float64Array(size);
  const past = new Uint32Array(size);
  let [values, bytes, pastValues] = [0, 0, 0];
  await source.eachOf(site, dimension, (id, lastDay, length, isOther) => {
    if (isOther) return;
    ids[values] = id;
    lengths[values] = length;
    lastDays[values] = lastDay;
    totals[values] = sums.first(id) ?? 0;
    if (isPast(id, lastDay)) past[pastValues++] = values;
    values += 1;
    bytes += length;
  });
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
async function daysOf(
  source: FoldSource,
  site: SiteKey,
  values: FoldPlan["values"],
): Promise<Day[]> {
  const folded = new IdTable();
  for (const [, ids] of values) for (const id of ids) folded.add(id, 0, 0);
  const days = new Set<Day>();
  await source.eachDay({ site, ...ALL_DAYS }, (day, id) => {
    if (folded.has(id)) days.add(day);
  });
  return [...days];
}
