import { bodyOf } from "../../base/documents.ts";
import { LAST_DAY, MAX_MONTH } from "../blocks/month.ts";
import { LAST_PART, runningPart } from "../settling/parts.ts";
import { KINDS_OF_SITES, SITES } from "../sites/kinds.ts";
import type { Database } from "./database.ts";
import { beginGeneration, passGeneration } from "./settle.ts";

/** The highest number that counts as sound: counting never comes so far, and sums with it are exact. */
const LAST_NUMBER = 2 ** 50;
/** A start checks the numbers of so many blocks at most, a moment on a small board. In a larger file damaged ones are skipped. */
const LOOKED_AT = 200_000;
/** The numbers skipped after damage or a restore, more than were used meanwhile. A million times are possible. */
export const PASSED_BY: number = 2 ** 32;
/** Batches keep a site in 32 bits. */
const LAST_SITE = 2 ** 30;
/** The condition that the numbers of a row of `block` are sound; other rows are skipped. */
export const HAS_NUMBERS: string = `site BETWEEN 1 AND ${2 ** 31 - 1} AND month BETWEEN 0 AND ${MAX_MONTH} AND source BETWEEN 0 AND ${LAST_SITE} AND part BETWEEN 0 AND ${LAST_PART}`;

/**
 * Repairs numbers that a failing card has damaged: those of rows, the log, sites and blocks. New numbers follow
 * the highest one, and could not if that were too high. Call it in a transaction, before anything is read.
 * @returns sentences about the repairs
 */
export function mendNumbers(db: Database): string[] {
  return [
    ...mendRows(db),
    ...mendLog(db),
    ...mendSites(db),
    ...unreadableSites(db),
    ...mendErased(db),
    ...mendMarks(db),
    ...mendBlocks(db),
  ];
}

/** Tables whose rows are paged through and deleted by a number. */
const NUMBERED = [
  ["block", "rowid"],
  ["survey", "id"],
  ["waiting_survey", "id"],
] as const;

function mendRows(db: Database): string[] {
  let mended = 0;
  for (const [table, id] of NUMBERED) {
    const isBent = `(${id} < 1 OR ${id} > ${LAST_NUMBER})`;
    const last = `(SELECT coalesce(max(${id}), 0) FROM ${table} WHERE NOT ${isBent})`;
    mended += db
      .prepare(
        `UPDATE sqlite_sequence SET seq = ${last} + ${PASSED_BY}
         WHERE name = '${table}' AND seq NOT BETWEEN 0 AND ${LAST_NUMBER}`,
      )
      .run().changes;
    const bent = db
      .prepare(`SELECT ${id} FROM ${table} WHERE ${isBent}`)
      .pluck()
      .safeIntegers()
      .all();
    const give = db.prepare(
      `UPDATE ${table} SET ${id} = 1 + max(${last},
         coalesce((SELECT seq FROM sqlite_sequence WHERE name = '${table}'), 0)) WHERE ${id} = ?`,
    );
    const pass = db.prepare(
      `UPDATE sqlite_sequence SET seq = max(seq, ${last}) WHERE name = '${table}'`,
    );
    for (const n of bent) {
      give.run(n);
      pass.run();
    }
    mended += bent.length;
  }
  if (mended === 0) return [];
  passGeneration(db);
  return ["Numbers of responses or of counts were damaged; they are mended, and nothing is lost."];
}

function mendLog(db: Database): string[] {
  const isBent = (table: string, row: string) =>
    db
      .prepare(
        `SELECT 1 FROM ${table} WHERE ${row} AND typeof(n) = 'integer' AND n BETWEEN 0 AND ${LAST_NUMBER}`,
      )
      .get() === undefined;
  const isFoldedBent = isBent("folded", "node = 0");
  if (isFoldedBent) db.exec("DELETE FROM folded; INSERT INTO folded (node, n) VALUES (0, 0)");
  const isGenerationBent = isBent("generation", "one = 1 AND source = 0");
  if (isGenerationBent) beginGeneration(db);
  const bent = db
    .prepare(`SELECT n FROM log WHERE n NOT BETWEEN 1 AND ${LAST_NUMBER} ORDER BY n`)
    .pluck()
    .safeIntegers()
    .all();
  const give = db.prepare(
    `UPDATE log SET n = 1 + max(
       coalesce((SELECT max(n) FROM log WHERE n BETWEEN 1 AND ${LAST_NUMBER}), 0),
       (SELECT n FROM folded WHERE node = 0)) WHERE n = ?`,
  );
  for (const n of bent) give.run(n);
  if (!isFoldedBent && !isGenerationBent && bent.length === 0) return [];
  passGeneration(db);
  return ["Numbers of what was counted last were damaged; they are mended, and nothing is lost."];
}

/** The sites that cannot be read: others count on, and these are as if they were not there. */
function unreadableSites(db: Database): string[] {
  const rows = db
    .prepare("SELECT id, body FROM document WHERE kind = ? AND body IS NOT NULL")
    .all(SITES.name) as { id: string; body: string }[];
  return rows.flatMap(({ id, body }) =>
    bodyOf(SITES, id, body) === undefined
      ? [`The site of number ${id} is damaged, and counts and shows nothing. Restore a backup.`]
      : [],
  );
}

/** Gives a site with a damaged number a new one, and so keeps later numbers sound. */
function mendSites(db: Database): string[] {
  const isSound = `id = CAST(CAST(id AS INTEGER) AS TEXT)
    AND CAST(id AS INTEGER) BETWEEN 1 AND ${LAST_SITE}`;
  const last = `coalesce((SELECT max(CAST(id AS INTEGER)) FROM document
    WHERE kind = '${SITES.name}' AND ${isSound}), 0)`;
  db.exec(
    `INSERT OR IGNORE INTO revision (one, n, last_site) VALUES (1, -1, -1);
     UPDATE revision SET last_site = ${last} WHERE last_site NOT BETWEEN ${last} AND ${LAST_SITE};
     UPDATE revision SET n = 1 + coalesce((SELECT max(revision) FROM document
       WHERE revision BETWEEN 0 AND ${LAST_NUMBER}), 0) WHERE n NOT BETWEEN 0 AND ${LAST_NUMBER};
     UPDATE document SET revision = (SELECT n FROM revision)
       WHERE revision NOT BETWEEN 0 AND ${LAST_NUMBER}`,
  );
  const bent = db
    .prepare(
      `SELECT id, coalesce(body ->> 'id', id) AS name FROM document
       WHERE kind = '${SITES.name}' AND NOT (${isSound})`,
    )
    .all() as { id: string; name: string }[];
  for (const { id } of bent) {
    const next = db
      .prepare("UPDATE revision SET last_site = last_site + 1 RETURNING last_site")
      .pluck()
      .get();
    for (const { name } of [SITES, ...KINDS_OF_SITES])
      db.prepare("UPDATE OR IGNORE document SET id = ? WHERE kind = ? AND id = ?").run(
        `${next}`,
        name,
        id,
      );
    for (const table of OF_SITES)
      db.prepare(`UPDATE OR IGNORE ${table} SET site = ? WHERE CAST(site AS TEXT) = ?`).run(
        next,
        id,
      );
  }
  return bent.map(({ name }) => `The number of the site ${name} was damaged; it has another now.`);
}

const OF_SITES = ["block", "past", "survey", "survey_day", "waiting_survey"] as const;

/** Erases each number that no site has, where a site to be erased has lost its number. */
function mendErased(db: Database): string[] {
  const bent = db.prepare(`DELETE FROM erased_site WHERE key NOT BETWEEN 1 AND ${LAST_SITE}`).run();
  if (bent.changes === 0) return [];
  for (const table of OF_SITES)
    db.exec(
      `INSERT OR IGNORE INTO erased_site (key) SELECT DISTINCT site FROM ${table}
       WHERE site BETWEEN 1 AND ${LAST_SITE} AND site NOT IN (SELECT key FROM site)`,
    );
  return ["The number of a site that is erased was damaged; erasing goes on."];
}

/** Replaces damaged marks of days by marks of now: these days are pruned last. */
function mendMarks(db: Database): string[] {
  const bent = db.prepare(`DELETE FROM counted_day WHERE day NOT BETWEEN 0 AND ${LAST_DAY}`).run();
  if (bent.changes === 0) return [];
  db.exec(
    `WITH RECURSIVE missing (day) AS (
       SELECT min(day) FROM counted_day
       UNION ALL SELECT day + 1 FROM missing WHERE day < (SELECT max(day) FROM counted_day))
     INSERT OR IGNORE INTO counted_day (day, run_ms)
       SELECT day, coalesce((SELECT value FROM meta WHERE key = 'run_ms'), 0) FROM missing
       WHERE day IS NOT NULL`,
  );
  return ["The marks of days that were counted on were damaged; some of them are kept longer."];
}

/** Gives blocks with a damaged part number one of the first day, so that they are merged into their month. */
function mendBlocks(db: Database): string[] {
  const rows = db.prepare("SELECT coalesce(max(rowid), 0) FROM block").pluck().get() as number;
  if (rows > LOOKED_AT) return [];
  const bent = db
    .prepare(`SELECT rowid FROM block WHERE NOT (${HAS_NUMBERS})`)
    .pluck()
    .safeIntegers()
    .all();
  const [first, last] = [runningPart(0, 0), runningPart(1, 0) - 1];
  // Counts of a source that is unknown now count as counted here.
  const source = `CASE WHEN source BETWEEN 0 AND ${LAST_SITE} THEN source ELSE 0 END`;
  const mend = db.prepare(
    `UPDATE OR IGNORE block SET source = ${source},
       part = 1 + coalesce((SELECT max(part) FROM block AS other
       WHERE other.site = block.site AND other.month = block.month
         AND part BETWEEN ${first} AND ${last - 1}), ${first - 1}) WHERE rowid = ?`,
  );
  for (const rowid of bent) mend.run(rowid);
  const left = db.prepare(`SELECT count(*) FROM block WHERE NOT (${HAS_NUMBERS})`).pluck().get();
  if (bent.length > 0) passGeneration(db);
  return [
    ...(bent.length > Number(left) ? ["Numbers of counts were damaged; they are mended."] : []),
    ...(left === 0
      ? []
      : [`Numbers of ${left} months of counts are damaged; these are passed over.`]),
  ];
}
