import type { Day } from "../../base/calendar.ts";
import type { SiteKey } from "../counting.ts";
import { lastViews, MAX_OVERVIEW_SITES, weeksOf } from "./overview.ts";
import type { CounterSource } from "./source.ts";

/** Sites at a glance, for their owner; no more than an overview tells of. */
export async function siteActivity(
  source: CounterSource,
  { sites, today }: { sites: readonly { key: SiteKey; id: string }[]; today: Day },
): Promise<{ id: string; week: number[]; total: number; last: string | null }[]> {
  const shown = sites.slice(0, MAX_OVERVIEW_SITES);
  const keys = shown.map(({ key }) => key);
  const [weeks, totals, last] = await Promise.all([
    weeksOf(source, keys, today),
    source.totals(keys),
    lastViews(source, keys, today),
  ]);
  return shown.map(({ id }, i) => ({
    id,
    week: weeks[i] ?? [],
    total: totals[i] ?? 0,
    last: last[i] ?? null,
  }));
}
