import type { Day } from "../../../base/calendar.ts";
import { DayZone } from "../../../base/day-zone.ts";
import type { SiteKey } from "../../counting.ts";
import type { Waiting } from "../../counts/group.ts";
import { type Counts, pack, unpack } from "../../counts/pack.ts";
import type { UpkeepTime } from "../../engine.ts";
import { type Database, giveSpaceBack } from "../database.ts";
import type { Ledger } from "./ledger.ts";
import { emptyNobody } from "./nobody.ts";

// Each step stays at a few milliseconds, so that hits in between never notice.
const ROWS_PER_STEP = 500;
const FILED_PER_STEP = 100;
const PACKED_PER_STEP = 2_000;
const PRUNED_PER_STEP = 50;
const GIVEN_BACK_PER_STEP = 64;
/** Free pages that stay in the file (4 MB): a day's counts take them, and its packing frees them. */
const KEPT_PAGES = 1_024;

/**
 * Does one small step of what is due: filing what waited for the clock, erasing sites, dropping
 * what is past retention, packing days that are over, giving space back. To be called in a transaction.
 * @returns false when nothing was left to do.
 */
export function upkeepStep(db: Database, ledger: Ledger, time: UpkeepTime): boolean {
  if (fileWaiting(db, ledger, time)) return true;
  if (eraseSites(db)) return true;
  const emptied = (today: Day | null) =>
    emptyNobody(db, (...value) => ledger.forgetValue(...value), today, ROWS_PER_STEP);
  // An unsure clock may be years ahead: nothing is dropped on its word.
  const isSure = time.bootedAt !== null;
  if (isSure && (prune(db, ledger, time) || packDay(db, time))) return true;
  if (isSure) db.prepare("DELETE FROM survey_day WHERE day < ?").run(time.today - 1);
  return emptied(isSure ? time.today : null) || giveSpaceBack(db, GIVEN_BACK_PER_STEP, KEPT_PAGES);
}

/** Removes some rows of erased sites. @returns false when there were none. */
export function eraseSites(db: Database): boolean {
  const site = db.prepare("SELECT key FROM erased_site LIMIT 1").pluck().get();
  if (site === undefined) return false;
  const erased = (table: string, key: string) =>
    db
      .prepare(
        `DELETE FROM ${table} WHERE (${key}) IN
           (SELECT ${key} FROM ${table} WHERE site = ? LIMIT ${ROWS_PER_STEP})`,
      )
      .run(site).changes > 0;
  const more =
    erased("count", "site, day, value") ||
    erased("packed_day", "site, day") ||
    erased("value", "id") ||
    erased("survey", "id") ||
    erased("survey_day", "site, day") ||
    erased("waiting", "id") ||
    erased("day_total", "site, counter, day") ||
    erased("total", "site, counter");
  if (!more) db.prepare("DELETE FROM erased_site WHERE key = ?").run(site);
  return true;
}

function fileWaiting(db: Database, ledger: Ledger, time: UpkeepTime): boolean {
  const { boot, bootedAt } = time;
  const zone = new DayZone(time.zone);
  // One after the other: a hundred large ones would not fit the memory.
  const next = db.prepare(
    `SELECT id, site, boot, at, saved_clock AS savedClock, data FROM waiting
     WHERE id > ? AND (boot <> ? OR ?) ORDER BY id LIMIT 1`,
  );
  let last = 0;
  let filed = 0;
  for (; filed < FILED_PER_STEP; filed += 1) {
    const row = next.get(last, boot, bootedAt === null ? 0 : 1) as
      | { id: number; site: SiteKey; boot: string; at: number; savedClock: number; data: string }
      | undefined;
    if (row === undefined) break;
    last = row.id;
    const known = row.boot === boot && bootedAt !== null;
    ledger.file(
      row.site,
      JSON.parse(row.data) as Waiting,
      zone.hourAt(known ? bootedAt + row.at : row.savedClock),
    );
    db.prepare("DELETE FROM waiting WHERE id = ?").run(row.id);
  }
  return filed > 0;
}

function prune(db: Database, ledger: Ledger, { today, retentionDays }: UpkeepTime): boolean {
  const first = today - retentionDays + 1;
  // The calendar may be wrong: a day is only past retention once the box has run so long, too.
  const over = ledger.countedDays.over(first, retentionDays).slice(0, PRUNED_PER_STEP);
  if (over.length === 0) return false;
  const days = JSON.stringify(over);
  for (const site of siteKeys(db)) {
    const packs = db
      .prepare(`DELETE FROM packed_day WHERE site = ? AND day IN (SELECT value FROM json_each(?))`)
      .run(site, days).changes;
    const counts = db
      .prepare(
        `DELETE FROM count WHERE (site, day, value) IN
           (SELECT site, day, value FROM count
            WHERE site = ? AND day IN (SELECT value FROM json_each(?)) LIMIT ${ROWS_PER_STEP})`,
      )
      .run(site, days).changes;
    const totals = db
      .prepare(`DELETE FROM day_total WHERE site = ? AND day IN (SELECT value FROM json_each(?))`)
      .run(site, days).changes;
    if (packs + counts + totals > 0) return true;
  }
  const values = db
    .prepare(
      `DELETE FROM value WHERE id IN
         (SELECT id FROM value WHERE last_day < ? LIMIT ${ROWS_PER_STEP})
       RETURNING site, dimension, text`,
    )
    .all(ledger.countedDays.firstKept(first, over)) as {
    site: SiteKey;
    dimension: string;
    text: string;
  }[];
  for (const { site, dimension, text } of values) ledger.forgetValue(site, dimension, text);
  if (values.length === 0) ledger.countedDays.drop(over);
  return true;
}

/** Packs counts of one day that is over; yesterday stays open for what comes in late. */
function packDay(db: Database, { today }: UpkeepTime): boolean {
  const openDay = db
    .prepare("SELECT day FROM count WHERE site = ? AND day < ? ORDER BY day LIMIT 1")
    .pluck();
  for (const site of siteKeys(db)) {
    const day = openDay.get(site, today - 1) as Day | undefined;
    if (day === undefined) continue;
    packCounts(db, site, day);
    return true;
  }
  return false;
}

/** Packs some of the counts of a day that is over. To be called in a transaction. */
export function packCounts(db: Database, site: SiteKey, day: Day): void {
  const rows = db
    .prepare(
      `SELECT value, n FROM count WHERE site = ? AND day = ?
       ORDER BY value LIMIT ${PACKED_PER_STEP}`,
    )
    .raw()
    .all(site, day) as [number, number][];
  addToPack(db, site, day, rows);
  db.prepare("DELETE FROM count WHERE site = ? AND day = ? AND value <= ?").run(
    site,
    day,
    rows.at(-1)?.[0],
  );
}

function addToPack(
  db: Database,
  site: SiteKey,
  day: Day,
  rows: readonly [id: number, n: number][],
): void {
  const counts: Counts = new Map();
  const add = (id: number, n: number) => counts.set(id, (counts.get(id) ?? 0) + n);
  const packed = db
    .prepare("SELECT counts FROM packed_day WHERE site = ? AND day = ?")
    .pluck()
    .get(site, day) as Buffer | undefined;
  if (packed !== undefined) unpack(packed, add);
  for (const [id, n] of rows) add(id, n);
  db.prepare(
    `INSERT INTO packed_day (site, day, counts) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET counts = excluded.counts`,
  ).run(site, day, pack(counts));
}

function siteKeys(db: Database): SiteKey[] {
  return db.prepare("SELECT key FROM site").pluck().all() as SiteKey[];
}
