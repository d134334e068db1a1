import type { Day } from "../../base/calendar.ts";
import type { Block } from "../blocks/block.ts";
import { firstDayOf } from "../blocks/month.ts";
import type { Outline, Sums, Taken } from "./end.ts";
import type { CopyOptions } from "./options.ts";
import { countersOf } from "./reading.ts";
import type { Pair } from "./sites.ts";

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
  const isGone = goneFrom(present, await to.taken(from.id, id)).length > 0;
  if (past.size === 0 && !isGone) return;
  // What the target gave is in the source's past, too, once its days are past retention.
  const given =
    origin === undefined ? new Map() : await takenPast(present, await from.taken(to.id, origin));
  await to.transaction(async (change) => {
    const taken = await change.taken(from.id, id);
    const sums = await takenPast(present, taken);
    const more = new Map<string, number>();
    for (const [counter, n] of past) {
      const added = n - (sums.get(counter) ?? 0) - (given.get(counter) ?? 0);
      if (added > 0) more.set(counter, added);
    }
    if (more.size > 0) await change.addPast(there.key, more);
    for (const [counter, n] of more) sums.set(counter, (sums.get(counter) ?? 0) + n);
    await change.savePast(from.id, id, sums, goneFrom(present, taken));
  });
}

/** The days that were brought from a source, and that it has no more. */
function goneFrom(present: ReadonlySet<Day>, { days }: Taken): Day[] {
  return [...days.keys()].filter((day) => !present.has(day));
}

/** What was brought of the past, and of days that are past by now. */
async function takenPast(present: ReadonlySet<Day>, taken: Taken): Promise<Map<string, number>> {
  const sums = new Map(taken.past);
  const days = goneFrom(present, taken);
  for (let i = 0; i < days.length; i += DAYS_AT_ONCE)
    for (const [day, slice] of await taken.slices(days.slice(i, i + DAYS_AT_ONCE)))
      addTo(sums, slice, day);
  return sums;
}

function addTo(sums: Map<string, number>, slice: Block, day: Day): void {
  const counters: Sums = countersOf(slice, day - firstDayOf(slice.month));
  for (const [counter, n] of counters) sums.set(counter, (sums.get(counter) ?? 0) + n);
}
