import { type Day, parseDay } from "../../../base/calendar.ts";
import { addDay } from "../../blocks/add-day.ts";
import { Block } from "../../blocks/block.ts";
import { decodeBlock, encodeBlock } from "../../blocks/codec.ts";
import { compactBlock } from "../../blocks/compact.ts";
import { mergeInto } from "../../blocks/merge.ts";
import { firstDayOf, monthOf } from "../../blocks/month.ts";
import type { SiteKey } from "../../counting.ts";
import { SETTLED } from "../../settling/parts.ts";
import { PIECES } from "../../snapshot.ts";
import { markEarlier } from "../counted-days.ts";
import type { Database } from "../database.ts";
import { passGeneration, putBlock } from "../settle.ts";
import { SqliteSnapshot } from "../snapshot.ts";
import { findSite } from "../tables/sites.ts";

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

/**
 * Files days as if their hits had come in when they were counted. Their sites must exist.
 * @throws {RangeError} where there is no such site, day or dimension
 */
export function importDays(db: Database, days: Iterable<DayCounts>): void {
  const addSurvey = db.prepare(
    "INSERT INTO survey (site, version, day, payload) VALUES (?, ?, ?, ?)",
  );
  db.transaction(() => {
    const bySite = new Map<SiteKey, { day: Day; counts: DayCounts["counts"] }[]>();
    const keys = new Map<string, SiteKey | undefined>();
    for (const { site: id, day: name, counts, surveys } of days) {
      if (!keys.has(id)) keys.set(id, findSite(db, id)?.key);
      const site = keys.get(id);
      const day: Day | undefined = parseDay(name);
      if (site === undefined || day === undefined)
        throw new RangeError(`there is no site ${id}, or ${name} is no day`);
      const ofSite = bySite.get(site) ?? [];
      bySite.set(site, ofSite);
      ofSite.push({ day, counts });
      markEarlier(db, day, 0);
      for (const survey of surveys) addSurvey.run(site, survey.sv, day, JSON.stringify(survey));
    }
    for (const [site, all] of bySite) addDays(db, site, all);
  }).immediate();
}

/** All days are kept, and all are of the past: none of their values is one that comes again today. */
const ALL = { counts: () => true, detail: () => true, today: Number.POSITIVE_INFINITY };

/** Adds days of a site to what is there of it, in the caller's transaction. */
function addDays(
  db: Database,
  site: SiteKey,
  days: readonly { day: Day; counts: DayCounts["counts"] }[],
): void {
  const snapshot = new SqliteSnapshot(db);
  for (const [month, ofMonth] of Map.groupBy(days, ({ day }) => monthOf(day))) {
    const rows = snapshot.blocks([site], { from: month, to: month }, PIECES);
    const row = rows.find(({ part }) => part === SETTLED);
    const block = row === undefined ? new Block(month) : decodeBlock(row);
    const part = new Block(month);
    for (const { day, counts } of ofMonth)
      addDay(
        part,
        day - firstDayOf(month),
        Object.entries(counts).map(([name, values]) => [name, Object.entries(values)]),
      );
    mergeInto(block, part);
    const kept = compactBlock(block, ALL).block;
    putBlock(db, { site, month, part: SETTLED, ...encodeBlock(kept) });
  }
  passGeneration(db);
}
