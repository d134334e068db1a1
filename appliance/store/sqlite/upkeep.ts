import { isDeepStrictEqual } from "node:util";
import { DayZone } from "../../base/day-zone.ts";
import { NOBODY, type SiteKey } from "../counting.ts";
import { type Batch, readBatch } from "../log/batch.ts";
import { EMPTY_BATCH, eraseSite } from "../log/erase.ts";
import { together } from "../log/lighten.ts";
import type { UpkeepTime } from "../queries.ts";
import { type Database, giveSpaceBack } from "./database.ts";
import { passGeneration } from "./settle.ts";
import { BYTES } from "./slices.ts";

// Each step stays at a few milliseconds, so that hits in between never notice.
const ROWS_PER_STEP = 500;
const FILED_PER_STEP = 100;
/** A step takes this much of blocks or of the log, or one row: a disk that is full has room for it. */
const BYTES_PER_STEP = 512 * 1_024;
/** Of what waits for the clock batches below this are put together, where there are so many; so many in a step. */
const SMALL_BYTES = 128 * 1_024;
const FEWEST_PACKED = 200;
const MOST_PACKED = 2_000;
const GIVEN_BACK_PER_STEP = 64;
/** Free pages that stay in the file (8 MB): the log takes them, and its folding frees them. */
const KEPT_PAGES = 2_048;

/**
 * Does one small step of what is due: filing surveys that waited for the clock, erasing sites, giving
 * space back. To be called in a transaction.
 * @returns false when nothing was left to do
 */
export function upkeepStep(db: Database, time: UpkeepTime): boolean {
  if (fileSurveys(db, time) || eraseSites(db) || packLog(db, time)) return true;
  // An unsure clock may be years ahead: nothing is dropped on its word.
  if (time.bootedAt !== null)
    db.prepare("DELETE FROM survey_day WHERE day < ?").run(time.today - 1);
  return emptyNobody(db) || giveSpaceBack(db, GIVEN_BACK_PER_STEP, KEPT_PAGES);
}

/** Removes some of what erased sites have left. @returns false when there was nothing */
export function eraseSites(db: Database): boolean {
  const erased = db.prepare("SELECT key, log_n AS n FROM erased_site LIMIT 1").get() as
    | { key: SiteKey; n: number }
    | undefined;
  if (erased === undefined) return false;
  const { key: site, n } = erased;
  const more =
    eraseBlocks(db, site) ||
    eraseRecords(db, site, n) ||
    removeSome(db, "survey", "id", site) ||
    removeSome(db, "survey_day", "site, day", site) ||
    removeSome(db, "waiting_survey", "id", site) ||
    removeSome(db, "past", "site, source, counter", site);
  // A card may bend the number of a row at any time: what is done is counted, or a step would have no end.
  return more || db.prepare("DELETE FROM erased_site WHERE key = ?").run(site).changes > 0;
}

function removeSome(db: Database, table: string, key: string, site: SiteKey): boolean {
  const { changes } = db
    .prepare(
      `DELETE FROM ${table} WHERE (${key}) IN
         (SELECT ${key} FROM ${table} WHERE site = ? LIMIT ${ROWS_PER_STEP})`,
    )
    .run(site);
  return changes > 0;
}

function eraseBlocks(db: Database, site: SiteKey): boolean {
  const rows = db
    .prepare(
      `SELECT rowid, ${BYTES} AS bytes FROM block
       WHERE site = ? LIMIT ${ROWS_PER_STEP}`,
    )
    .all(site) as { rowid: number; bytes: number }[];
  if (rows.length === 0) return false;
  const erase = db.prepare("DELETE FROM block WHERE rowid = ?");
  let room = BYTES_PER_STEP;
  let erased = 0;
  for (const { rowid, bytes } of rows) {
    erased += erase.run(rowid).changes;
    room -= bytes;
    if (room <= 0) break;
  }
  passGeneration(db);
  return erased > 0;
}

/**
 * Writes some of the log anew without the records of a site: what waits for the clock may stay there
 * for long. @param after the number up to which that is done
 */
function eraseRecords(db: Database, site: SiteKey, after: number): boolean {
  const rows = db
    .prepare("SELECT n, body FROM log WHERE n > ? ORDER BY n")
    .iterate(after) as IterableIterator<{ n: number; body: Uint8Array }>;
  const left: { n: number; body: Uint8Array | undefined }[] = [];
  let [last, bytes] = [after, 0];
  for (const { n, body } of rows) {
    const rest = eraseSite(body, site);
    if (rest !== body) left.push({ n, body: rest });
    last = n;
    bytes += body.length;
    if (bytes >= BYTES_PER_STEP) break;
  }
  if (last === after) return false;
  const change = db.prepare("UPDATE log SET body = ? WHERE n = ?");
  // Not deleted, where it is the last: its number would be given again.
  for (const { n, body } of left) change.run(body ?? EMPTY_BATCH, n);
  db.prepare("UPDATE erased_site SET log_n = ? WHERE key = ?").run(last, site);
  return true;
}

/**
 * Puts small batches that wait for the clock together: a day may bring a million.
 * @returns false when there are not many any more
 */
function packLog(db: Database, { bootedAt }: UpkeepTime): boolean {
  if (bootedAt !== null) return false;
  const small = db
    .prepare("SELECT n, source, body FROM log WHERE length(body) < ? ORDER BY n")
    .iterate(SMALL_BYTES) as IterableIterator<{ n: number; source: number; body: Uint8Array }>;
  const run: { n: number; source: number; batch: Batch }[] = [];
  let bytes = 0;
  for (const { n, source, body } of small) {
    const batch = readBatch(body);
    if (batch?.undated === undefined) continue;
    const [first] = run;
    if (first !== undefined && first.source !== source) continue;
    if (first !== undefined && !isDeepStrictEqual(first.batch.undated, batch.undated)) continue;
    run.push({ n, source, batch });
    bytes += body.length;
    if (bytes >= BYTES_PER_STEP || run.length >= MOST_PACKED) break;
  }
  if (run.length < FEWEST_PACKED) return false;
  const bodies = together(run.map(({ batch }) => batch));
  const drop = db.prepare("DELETE FROM log WHERE n = ?");
  const keep = db.prepare("UPDATE log SET body = ? WHERE n = ?");
  // The last numbers stay: those that follow go on from there.
  for (const [at, { n }] of run.toReversed().entries()) {
    const body = bodies[bodies.length - 1 - at];
    if (body === undefined) drop.run(n);
    else keep.run(body, n);
  }
  passGeneration(db);
  return true;
}

/** Files responses under the day on which they came in. */
function fileSurveys(db: Database, { boot, bootedAt, ...time }: UpkeepTime): boolean {
  const zone = new DayZone(time.zone);
  const rows = db
    .prepare(
      `SELECT id, site, boot, at, saved_clock AS savedClock, version, payload FROM waiting_survey
       WHERE boot <> ? OR ? ORDER BY id LIMIT ${FILED_PER_STEP}`,
    )
    .all(boot, bootedAt === null ? 0 : 1) as {
    id: number;
    site: SiteKey;
    boot: string;
    at: number;
    savedClock: number;
    version: number;
    payload: string;
  }[];
  const file = db.prepare(
    `INSERT INTO survey (site, version, day, payload)
     SELECT key, :version, :day, :payload FROM site WHERE key = :site`,
  );
  const remove = db.prepare("DELETE FROM waiting_survey WHERE id = ?");
  let filed = 0;
  for (const { id, site, version, payload, at, ...row } of rows) {
    if (remove.run(id).changes === 0) continue;
    filed++;
    const isKnown = row.boot === boot && bootedAt !== null;
    const day = zone.today(isKnown ? bootedAt + at : row.savedClock);
    file.run({ site, version, day, payload });
  }
  return filed > 0;
}

/** Removes responses to sites that do not exist. @returns true when there are more */
function emptyNobody(db: Database): boolean {
  return ["survey", "waiting_survey"].some((table) => removeSome(db, table, "id", NOBODY));
}
