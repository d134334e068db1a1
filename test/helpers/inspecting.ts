import { parseDay } from "../../appliance/base/calendar.ts";
import { DayZone } from "../../appliance/base/day-zone.ts";
import type { Dimension } from "../../appliance/base/text/dimensions.ts";
import { type DayContent, daysOfMonth } from "../../appliance/store/desk.ts";
import { type Inspected, inspect } from "../../appliance/traffic/imports/inspect.ts";
import { LOGS } from "./access-logs.ts";

const TODAY = parseDay("2026-03-01") as number;

/** Reads files for an import on the first of March 2026. @param zone that of the owner's days */
export function inspected(
  paths: readonly string[],
  { zone = "UTC", today = TODAY } = {},
): Promise<Inspected> {
  return inspect(paths, {
    zone: new DayZone({ zone, before: null }),
    fileZone: undefined,
    today,
    detailFrom: today - 399,
    logs: LOGS,
    onShare: () => {},
    signal: new AbortController().signal,
  });
}

/** All counts that would be written, by day. */
export function contentOf({ counts }: Inspected): { day: string; content: DayContent }[] {
  return [...counts.months(() => true)].flatMap(({ month, pieces }) =>
    [...daysOfMonth(month, pieces)].map(([day, content]) => ({ day, content })),
  );
}

/** The views of each value of a dimension, of all days together. @param of views, visitors or sessions */
export function valuesOf(
  found: Inspected,
  dimension: Dimension,
  of: 1 | 2 | 3 = 1,
): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { content } of contentOf(found))
    for (const row of content.values[dimension] ?? []) sums[row[0]] = (sums[row[0]] ?? 0) + row[of];
  return sums;
}
