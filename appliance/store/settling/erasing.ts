import type { SiteKey } from "../counting.ts";
import { EMPTY_BATCH, eraseSite } from "../log/rewriting.ts";
import type { LogRow } from "../snapshot.ts";
import type { Rows, Statement } from "../sql.ts";
import { BLOCK_TABLES, PASS_GENERATION } from "./statements.ts";

// Each step stays at a few milliseconds, so that hits in between never notice.
const ROWS_PER_STEP = 500;
/** A step takes this much of blocks or of the log, or one row: a disk that is full has room for it. */
export const BYTES_PER_STEP: number = 512 * 1_024;

/** Removes some blocks of an erased site. @returns false when there was none */
export async function eraseBlocks(rows: Rows, site: SiteKey): Promise<boolean> {
  for (const { table, key } of BLOCK_TABLES) {
    const gone = await rows(
      `DELETE FROM ${table} WHERE site = $1 AND (${key}) IN (
         SELECT ${key} FROM (
           SELECT ${key}, bytes, sum(bytes) OVER (ORDER BY ${key}) AS sum
           FROM (SELECT ${key}, ${BYTES[table]} AS bytes FROM ${table} WHERE site = $1) AS sizes
         ) AS sums WHERE sum - bytes < ${BYTES_PER_STEP})
       RETURNING 1 AS gone`,
      [site],
    );
    if (gone.length === 0) continue;
    await rows(PASS_GENERATION);
    return true;
  }
  return false;
}

const BYTES = {
  block: "octet_length(counters) + octet_length(counts)",
  piece: "octet_length(bytes)",
} as const;

/** Rewrites rows of the log without the records of a site, since rows that wait for a clock may stay for long. */
export function eraseRecords(rows: readonly LogRow[], site: SiteKey): Statement[] {
  return rows.flatMap((row) => {
    const rest = eraseSite(row.body, site);
    return rest === row.body ? [] : [replaceBody(row, rest ?? EMPTY_BATCH)];
  });
}

/** Empties a row of the log. The number stays: otherwise it might be used again, or be waited for in vain. */
export function emptyRow(row: Pick<LogRow, "node" | "n">): Statement {
  return replaceBody(row, EMPTY_BATCH);
}

function replaceBody({ node, n }: Pick<LogRow, "node" | "n">, body: Uint8Array): Statement {
  return { text: "UPDATE log SET body = $3 WHERE node = $1 AND n = $2", values: [node, n, body] };
}

/** The columns that name a row of a site, besides blocks. */
const KEYS = {
  survey: "id",
  survey_day: "day",
  waiting_survey: "id",
  past: "source, counter",
} as const;

/**
 * Removes some rows of a site, by the number of removed rows, since a damaged row number could make a step endless.
 * @param tables among those that the engine has
 * @returns false when there are none
 */
export async function eraseRows(
  rows: Rows,
  site: SiteKey,
  tables: readonly (keyof typeof KEYS)[],
): Promise<boolean> {
  for (const table of tables) {
    const key = KEYS[table];
    const gone = await rows(
      `DELETE FROM ${table} WHERE site = $1
         AND (${key}) IN (SELECT ${key} FROM ${table} WHERE site = $1 LIMIT ${ROWS_PER_STEP})
       RETURNING 1 AS gone`,
      [site],
    );
    if (gone.length > 0) return true;
  }
  return false;
}
