import { type Day, mondayOf, monthStart } from "../../base/calendar.ts";
import type { DayZone } from "../../base/day-zone.ts";
import type { BackupName } from "./names.ts";

/** The number of days, weeks and months of which the last backup is kept. */
const KEPT: readonly (readonly [number, (day: Day) => Day])[] = [
  [7, (day) => day],
  [4, mondayOf],
  [12, monthStart],
];

/**
 * The backups that are not kept any more: all but the last of each of seven days, four weeks and twelve months. Only
 * days with a backup count, so that a machine that was off for a year loses none by that. One from the future, made while
 * the clock was wrong, neither counts nor goes: the one made now must not go for it.
 * @param own backups of one machine at one target
 * @param zone whose midnight begins a day
 * @param now sure, in epoch milliseconds
 */
export function notKept(own: readonly BackupName[], zone: DayZone, now: number): BackupName[] {
  const past = own.filter(({ at }) => at <= now).sort((a, b) => b.at - a.at);
  const kept = new Set<BackupName>();
  for (const [count, startOf] of KEPT) {
    const seen = new Set<Day>();
    for (const backup of past) {
      const start = startOf(zone.today(backup.at));
      if (seen.size === count || seen.has(start)) continue;
      seen.add(start);
      kept.add(backup);
    }
  }
  return past.filter((backup) => !kept.has(backup));
}
