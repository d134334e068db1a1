import assert from "node:assert/strict";
import { type Day, parseDay } from "../../appliance/base/calendar.ts";
import { ALL_KEPT } from "../../appliance/store/blocks/compact.ts";
import { mergeRows } from "../../appliance/store/blocks/merge.ts";
import type { SiteKey } from "../../appliance/store/counting.ts";
import { ImportedCounts } from "../../appliance/store/imports/counts.ts";
import {
  DIMENSIONS,
  type Dimension,
  FLAG,
  type HitRecord,
} from "../../appliance/store/log/record.ts";
import { SETTLED } from "../../appliance/store/settling/parts.ts";
import { type BlockRow, OWN_SOURCE } from "../../appliance/store/snapshot.ts";
import { CountedDays } from "../../appliance/store/sqlite/counted-days.ts";
import type { Database } from "../../appliance/store/sqlite/database.ts";
import { generation, settleFile } from "../../appliance/store/sqlite/settle.ts";
import { wholeBlock } from "../../appliance/store/sqlite/snapshot.ts";
import { findSite } from "./stored-sites.ts";

type DatedHit = Omit<HitRecord, "site">;

/** One day of one site. */
interface DayOfHits {
  readonly site: string;
  readonly day: Day;
  readonly hits: Iterable<DatedHit>;
  /** Validated payloads. */
  readonly surveys: readonly { readonly sv: number }[];
}

/** Counts of a day of a site, without detail, for tests that need many. */
export interface CountedDay {
  readonly site: string;
  /** `YYYY-MM-DD` */
  readonly day: string;
  /**
   * Dimension → value → count. `pv`, of which some are `sessions`, and `app` have only `_`, `bot` has `ua`; `hour`
   * has the views of each hour, or all come at midnight.
   */
  readonly counts: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Validated payloads. */
  readonly surveys: readonly { readonly sv: number; readonly [key: string]: unknown }[];
}

/**
 * Counts days into a file.
 * @param detailFrom the first day of which it is kept what came together; none unless given
 */
export function addDays(
  db: Database,
  days: Iterable<CountedDay | DayOfHits>,
  detailFrom = Number.POSITIVE_INFINITY,
): void {
  const addSurvey = db.prepare(
    "INSERT INTO survey (site, version, day, payload) VALUES (?, ?, ?, ?)",
  );
  const bySite = new Map<SiteKey, ImportedCounts>();
  const counted = new Set<Day>();
  db.transaction(() => {
    for (const { site: id, day, hits, surveys } of Array.from(days, dayOfHits)) {
      const { key: site } = findSite(db, id) ?? assert.fail(`no site ${id}`);
      const counts = bySite.get(site) ?? new ImportedCounts(detailFrom);
      bySite.set(site, counts);
      for (const hit of hits) counts.hit(hit);
      for (const survey of surveys) addSurvey.run(site, survey.sv, day, JSON.stringify(survey));
      counted.add(day);
    }
    const rest = { folded: [], drops: [], past: [], gone: [], detail: [], days: [...counted] };
    const puts = [...bySite].flatMap(([site, counts]) => settledMonths(db, site, counts));
    settleFile(db, new CountedDays(db), { generation: generation(db), puts, ...rest });
  }).immediate();
}

/** Months of counts with what is settled of them. */
function settledMonths(db: Database, site: SiteKey, counts: ImportedCounts): BlockRow[] {
  counts.end();
  return [...counts.months(() => true)].map(({ month, pieces }) => {
    const key = { site, month, source: OWN_SOURCE, part: SETTLED };
    const there = wholeBlock(db, key);
    return { ...key, ...mergeRows(month, [...(there ? [there] : []), pieces], ALL_KEPT).pieces };
  });
}

function dayOfHits(of: CountedDay | DayOfHits): DayOfHits {
  if ("hits" in of) return of;
  const { site, day: name, counts, surveys } = of;
  const day = parseDay(name);
  if (day === undefined) throw new RangeError(`${name} is no day`);
  return { site, day, hits: hitsOf(24 * day, counts), surveys };
}

/** Hits that are counted as that. */
function* hitsOf(midnight: number, counts: CountedDay["counts"]): Generator<DatedHit> {
  const { pv, sessions, app, bot, hour = { "00": pv?._ ?? 0 }, ...values } = counts;
  const add = (kind: DatedHit["kind"], times = 0, moment = midnight, flags = 0): DatedHit[] =>
    times > 0 ? [{ kind, flags, moment, times, values: [] }] : [];
  let begun = sessions?._ ?? 0;
  for (const [name, views] of Object.entries(hour)) {
    const first = Math.min(begun, views);
    begun -= first;
    yield* add("view", first, midnight + Number(name), FLAG.session);
    yield* add("view", views - first, midnight + Number(name));
  }
  yield* add("ping", app?._);
  yield* add("crawler", bot?.ua);
  // A hit that counts as nothing else has each value.
  for (const [name, ofName] of Object.entries(values)) {
    const dimension = DIMENSIONS.find((one): one is Dimension => one === name);
    if (dimension === undefined) throw new RangeError(`Nobody knows a dimension ${name}`);
    for (const [value, times] of Object.entries(ofName))
      yield {
        kind: "interaction",
        flags: 0,
        moment: midnight,
        times,
        values: [[dimension, value]],
      };
  }
}
