import type { CounterSource, SiteDays } from "./source.ts";

/** A site's views over inclusive days by hour, from 00 of the first day on; and its sessions by day. */
export async function hourlyViews(
  source: CounterSource,
  { site, from, to }: SiteDays,
): Promise<{ hours: number[]; sessions: number[] }> {
  const days = Array.from({ length: to - from + 1 }, (_, offset) => ({ site, day: from + offset }));
  const [hours, [sessions = []]] = await Promise.all([
    source.byHour(days, "hour"),
    source.counterByDay([site], "sessions", from, to),
  ]);
  return { hours: hours.flat(), sessions };
}
