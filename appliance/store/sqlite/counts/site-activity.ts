import type { Day } from "../../../base/calendar.ts";
import type { SiteKey } from "../../counting.ts";
import type { Database } from "../database.ts";
import { viewCounts } from "./day-totals.ts";
import { lastView, MAX_OVERVIEW_SITES, weekOf } from "./overview.ts";

/** Sites at a glance, for their owner; no more than an overview tells of. */
export function siteActivity(
  db: Database,
  { sites, today }: { sites: readonly { key: SiteKey; id: string }[]; today: Day },
): { id: string; week: number[]; total: number; last: string | null }[] {
  return sites.slice(0, MAX_OVERVIEW_SITES).map(({ key, id }) => ({
    id,
    week: weekOf(db, key, today),
    total: viewCounts(db, { site: key, from: today, to: today }).total,
    last: lastView(db, key),
  }));
}
