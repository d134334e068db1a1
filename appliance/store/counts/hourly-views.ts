import type { CountsSource, SiteDays } from "./source.ts";

const HOURS = 24;

/** A site's views over inclusive days by hour, from 00 of the first day on; and its sessions by day. */
export async function hourlyViews(
  source: CountsSource,
  { site, from, to }: SiteDays,
): Promise<{ hours: number[]; sessions: number[] }> {
  const [values, [sessions = []]] = await Promise.all([
    source.fewValues(site, "hour"),
    source.counterByDay([site], "sessions", from, to),
  ]);
  const hourOf = new Map(values.map(([id, text]) => [id, Number(text)]));
  const hours = Array<number>((to - from + 1) * HOURS).fill(0);
  await source.eachDay({ site, from, to }, (day, id, n) => {
    const hour = hourOf.get(id);
    if (hour === undefined) return;
    const at = (day - from) * HOURS + hour;
    hours[at] = (hours[at] ?? 0) + n;
  });
  return { hours, sessions };
}
