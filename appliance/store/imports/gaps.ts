import { formatDay } from "../../base/calendar.ts";
import { BlockReader } from "../blocks/block-reader.ts";
import { MAX_DAYS } from "../blocks/dictionary.ts";
import { firstDayOf, monthOf } from "../blocks/month.ts";
import { NoBlock } from "../blocks/varints.ts";
import type { SiteDays } from "../counts/site-counts.ts";
import type { Gap } from "../reports.ts";
import { blocksIn, type Snapshot, type SourceNumber } from "../snapshot.ts";
import type { Rows } from "../sql.ts";
import { readAbout } from "./about.ts";
import { type DayGap, runsOf } from "./runs.ts";

/**
 * The gaps in what is known of the days of a site, ascending: the one place that says so, for all figures. What is counted here
 * is known; of an import's days, what its format has.
 * @param only the only source that counts; all unless given
 */
export async function gapsOf(
  snapshot: Snapshot,
  rows: Rows,
  { site, from, to }: SiteDays,
  only: SourceNumber | undefined,
): Promise<Gap[]> {
  const found = await rows<{ number: SourceNumber; about: string | null }>(
    "SELECT number, about FROM source WHERE kind = 'import'",
  );
  const gapsBy = new Map(
    found.flatMap(({ number, about }) => {
      const gaps = readAbout(about)?.gaps ?? [];
      return gaps.length === 0 || (only ?? number) !== number ? [] : [[number, gaps] as const];
    }),
  );
  if (gapsBy.size === 0) return [];
  const months = { from: monthOf(from), to: monthOf(to) };
  const days: DayGap[] = [];
  for await (const row of blocksIn(snapshot, [site], months, ["counters"])) {
    const gaps = gapsBy.get(row.source);
    const held = gaps === undefined ? 0 : daysOf(row);
    for (let at = 0; at < MAX_DAYS; at++) {
      const day = firstDayOf(row.month) + at;
      if ((held & (1 << at)) === 0 || day < from || day > to) continue;
      const name = formatDay(day);
      const gap = gaps?.find((one) => one.from <= name && name <= one.to);
      if (gap !== undefined) days.push({ day, lacks: gap.lacks });
    }
  }
  return runsOf(days.sort((a, b) => a.day - b.day));
}

/** The days of a block; none where it cannot be read. */
function daysOf(row: ConstructorParameters<typeof BlockReader>[0]): number {
  try {
    return new BlockReader(row).counters.days;
  } catch (error) {
    if (!(error instanceof NoBlock)) throw error;
    return 0;
  }
}
