import type { CounterSource, SiteDays } from "./source.ts";

/** Page views of inclusive days, and of all time, days past retention included. */
export async function viewCounts(
  source: CounterSource,
  { site, from, to }: SiteDays,
): Promise<{ window: number; total: number }> {
  const [[days = []], [total = 0]] = await Promise.all([
    source.counterByDay([site], "pv", from, to),
    source.totals([site]),
  ]);
  return { window: days.reduce((sum, n) => sum + n, 0), total };
}
