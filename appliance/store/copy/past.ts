import type { Day } from "../../base/calendar.ts";
import { COUNTERS } from "../counting.ts";
import { type DayCounts, merged, sumsOf } from "./difference.ts";
import { type CopyEnd, PAST, type Sums } from "./end.ts";
import type { CopyOptions } from "./options.ts";
import type { Pair } from "./sites.ts";
import type { Outline } from "./source.ts";

/** How the counters of the past are kept beside the counts of days. */
const ALL = "_";
const DAYS_AT_ONCE = 50;

/**
 * Brings what the source has counted on days that are past retention there: counters of all time. A
 * day that was brought before it went adds nothing to them, and is left in the target as it is.
 */
export async function bringPast(
  { from, to }: Pick<CopyOptions, "from" | "to">,
  { id, there, origin }: Pair,
  { days, past }: Outline,
): Promise<void> {
  const present = new Set(days.map(({ day }) => day));
  const gone = await goneDays(to, from.id, id, present);
  if (past.size === 0 && gone.length === 0) return;
  // What the target gave is in the source's past, too, once its days are past retention.
  const given = origin === undefined ? new Map() : await pastOf(from, to.id, origin, present);
  await to.transaction(async (change) => {
    const taken = await change.taken(from.id, id, [PAST, ...gone]);
    const before = countersOf(merged([...taken.values()]));
    const more = new Map<string, number>();
    for (const [counter, n] of past) {
      const added = n - (before.get(counter) ?? 0) - (given.get(counter) ?? 0);
      if (added > 0) more.set(counter, added);
    }
    if (more.size > 0) await change.addPast(there.key, more);
    if (more.size === 0 && gone.length === 0) return;
    const counts = merged([countsOf(before), countsOf(more)]);
    await change.saveTaken(from.id, id, new Map([[PAST, { counts, hash: null }]]));
    await change.forgetTaken(from.id, id, gone);
  });
}

/** The days that were brought from a source, and that it has no more. */
async function goneDays(
  at: CopyEnd,
  source: string,
  site: string,
  present: ReadonlySet<Day>,
): Promise<Day[]> {
  const days = [...(await at.takenHashes(source, site)).keys()];
  return days.filter((day) => day !== PAST && !present.has(day));
}

/** What was brought of the past, and of days that are past by now. */
async function pastOf(
  at: CopyEnd,
  source: string,
  site: string,
  present: ReadonlySet<Day>,
): Promise<Sums> {
  const days = [PAST, ...(await goneDays(at, source, site, present))];
  let sums: DayCounts = new Map();
  for (let i = 0; i < days.length; i += DAYS_AT_ONCE) {
    const taken = await at.taken(source, site, days.slice(i, i + DAYS_AT_ONCE));
    sums = merged([sums, ...[...taken.values()].map((counts) => countsOf(countersOf(counts)))]);
  }
  return countersOf(sums);
}

function countersOf(counts: DayCounts): Sums {
  return sumsOf(counts, COUNTERS);
}

function countsOf(counters: Sums): DayCounts {
  return new Map([...counters].map(([counter, n]) => [counter, new Map([[ALL, n]])]));
}
