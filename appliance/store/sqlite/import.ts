import { type Day, parseDay } from "../../base/calendar.ts";
import type { SiteKey } from "../counting.ts";
import { addDays } from "./add-days.ts";
import { markEarlier } from "./counted-days.ts";
import type { Database } from "./database.ts";
import { findSite } from "./tables/sites.ts";

/** One day of one site as it was counted elsewhere. */
interface DayCounts {
  readonly site: string;
  /** UTC, `YYYY-MM-DD` */
  readonly day: string;
  /** Dimension → value → count, what counts by the hour among them: `hour`, `dowhour`, `uv_hour`, … */
  readonly counts: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Validated payloads. */
  readonly surveys: readonly { readonly sv: number }[];
}

/** Files days as if their hits had come in when they were counted. Their sites must exist. */
export function importDays(db: Database, days: Iterable<DayCounts>): void {
  const addSurvey = db.prepare(
    "INSERT INTO survey (site, version, day, payload) VALUES (?, ?, ?, ?)",
  );
  db.transaction(() => {
    const bySite = new Map<SiteKey, { day: Day; counts: [string, [string, number][]][] }[]>();
    const keys = new Map<string, SiteKey | undefined>();
    for (const { site: id, day: name, counts, surveys } of days) {
      if (!keys.has(id)) keys.set(id, findSite(db, id)?.key);
      const site = keys.get(id);
      const day: Day | undefined = parseDay(name);
      if (site === undefined || day === undefined)
        throw new RangeError(`there is no site ${id}, or ${name} is no day`);
      const ofSite = bySite.get(site) ?? [];
      bySite.set(site, ofSite);
      const byDimension = Object.entries(counts).map(
        ([dimension, values]): [string, [string, number][]] => [dimension, Object.entries(values)],
      );
      ofSite.push({ day, counts: byDimension });
      markEarlier(db, day, 0);
      for (const survey of surveys) addSurvey.run(site, survey.sv, day, JSON.stringify(survey));
    }
    for (const [site, all] of bySite) addDays(db, site, all);
  }).immediate();
}
