import type { Day } from "../../base/calendar.ts";
import { firstDayOf, monthOf } from "../blocks/month.ts";
import type { CopyOptions } from "./options.ts";
import { addTo, countersOf, type Outline } from "./reading.ts";
import type { Pair } from "./sites.ts";
import type { Taken } from "./taken.ts";

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
  const goneFrom = (taken: Taken) => [...taken.days.keys()].filter((day) => !present.has(day));
  if (past.size === 0 && goneFrom(await to.taken(from.id, id)).length === 0) return;
  // What the target gave is in the source's past, too, once its days are past retention.
  const gift = origin === undefined ? undefined : await from.taken(to.id, origin);
  const given = gift && (await takenPast(gift, goneFrom(gift)));
  await to.transaction(async (change) => {
    const taken = await change.taken(from.id, id);
    const gone = goneFrom(taken);
    const sums = await takenPast(taken, gone);
    const added = new Map<string, number>();
    for (const [counter, n] of past) {
      const more = n - (sums.get(counter) ?? 0) - (given?.get(counter) ?? 0);
      if (more > 0) added.set(counter, more);
    }
    addTo(sums, added);
    await change.addPast(from.id, id, there.key, { added, past: sums, gone });
  });
}

/** What was brought of the past, and of days that are past by now. */
async function takenPast(taken: Taken, gone: readonly Day[]): Promise<Map<string, number>> {
  const sums = new Map(taken.past);
  for (const days of Map.groupBy(gone, monthOf).values())
    for (const [day, slice] of await taken.slices(days))
      addTo(sums, countersOf(slice, day - firstDayOf(slice.month)));
  return sums;
}
