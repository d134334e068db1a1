import { isDeepStrictEqual } from "node:util";
import { DayZone } from "../../base/day-zone.ts";
import { NOBODY, type SiteKey } from "../counting.ts";
import { type Batch, readBatch } from "../log/batch.ts";
import { together } from "../log/rewriting.ts";
import type { UpkeepTime } from "../queries.ts";
import { BYTES_PER_STEP, eraseBlocks, eraseRecords, eraseRows } from "../settling/erasing.ts";
import type { Statement, Transaction } from "../sql.ts";
import { FILED_AT_ONCE, fileSurveys, forgetSurveyDays, WAITED } from "../surveys/statements.ts";
import { type Database, giveSpaceBack } from "./database.ts";
import { passGeneration } from "./settle.ts";
import { NODE } from "./snapshot.ts";
import { run } from "./sql.ts";

/** Batches that wait for the clock are merged where so many are smaller than this; so many in a step. */
const SMALL_BYTES = 128 * 1_024;
const FEWEST_PACKED = 200;
const MOST_PACKED = 2_000;
const GIVEN_BACK_PER_STEP = 64;
/** Free pages that stay in the file (8 MB): the log takes them, and its folding frees them. */
const KEPT_PAGES = 2_048;

/**
 * Does one small step of upkeep: files surveys that waited for the clock, erases sites, gives space back.
 * Call it in a transaction.
 * @returns false when nothing was left to do
 */
export async function upkeepStep(
  db: Database,
  sql: Transaction,
  time: UpkeepTime,
): Promise<boolean> {
  const due: Statement = { text: DUE_SURVEYS, values: [time.boot, time.bootedAt] };
  const isFiled = await fileSurveys(sql, due, new DayZone(time.zone));
  if (isFiled || (await eraseSites(sql)) || packLog(db, time)) return true;
  // An unsure clock may be years ahead: nothing is dropped on its word.
  if (time.bootedAt !== null) run(db, forgetSurveyDays(time.today));
  return (
    (await eraseRows(sql.rows, NOBODY, ["survey", "waiting_survey"])) ||
    giveSpaceBack(db, GIVEN_BACK_PER_STEP, KEPT_PAGES)
  );
}

/** Removes some of the data of erased sites. @returns false when there is none */
export async function eraseSites(sql: Transaction): Promise<boolean> {
  const { rows } = sql;
  const [erased] = await rows<{ key: SiteKey; n: number }>(
    "SELECT key, log_n AS n FROM erased_site LIMIT 1",
  );
  if (erased === undefined) return false;
  const { key: site, n } = erased;
  const more =
    (await eraseBlocks(rows, site)) ||
    (await eraseFromLog(sql, site, n)) ||
    (await eraseRows(rows, site, ["survey", "survey_day", "waiting_survey", "past"]));
  // A card may have bent the number, which then names no row.
  const end = "DELETE FROM erased_site WHERE key = $1 RETURNING 1 AS gone";
  return more || (await rows(end, [site])).length > 0;
}

/** @param after the number up to which that is done */
async function eraseFromLog(sql: Transaction, site: SiteKey, after: number): Promise<boolean> {
  const rows = await sql.snapshot.log(new Map([[NODE, after]]), BYTES_PER_STEP);
  const last = rows.at(-1);
  if (last === undefined) return false;
  await sql.all(eraseRecords(rows, site));
  await sql.rows("UPDATE erased_site SET log_n = $1 WHERE key = $2", [last.n, site]);
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
  // The merged batches keep the last numbers of the run, since new ones follow those.
  for (const [at, { n }] of run.toReversed().entries()) {
    const body = bodies[bodies.length - 1 - at];
    if (body === undefined) drop.run(n);
    else keep.run(body, n);
  }
  passGeneration(db);
  return true;
}

/** Removes and returns responses of an earlier boot, or all of them once the start of this boot is known. */
const DUE_SURVEYS = `
  DELETE FROM waiting_survey WHERE id IN (
    SELECT id FROM waiting_survey WHERE boot <> $1 OR $2 IS NOT NULL ORDER BY id LIMIT ${FILED_AT_ONCE})
  RETURNING ${WAITED}, CASE WHEN boot = $1 THEN $2 END AS zero`;
