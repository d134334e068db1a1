import { type Day, formatDay } from "../../base/calendar.ts";
import type { Gap, Lack } from "../reports.ts";

/** A day of which something is not known. */
export interface DayGap {
  readonly day: Day;
  readonly lacks: readonly Lack[];
}

/** Days that follow each other and lack the same, together. */
export function runsOf(days: readonly DayGap[]): Gap[] {
  const runs: { from: Day; to: Day; lacks: readonly Lack[] }[] = [];
  for (const { day, lacks } of days) {
    const last = runs.at(-1);
    if (last !== undefined && last.to >= day - 1 && last.lacks.join() === lacks.join())
      last.to = day;
    else runs.push({ from: day, to: day, lacks });
  }
  return runs.map(({ from, to, lacks }) => ({ from: formatDay(from), to: formatDay(to), lacks }));
}
