import { NOBODY, type SiteKey } from "../../counting.ts";
import { EMPTY_BATCH, eraseSite } from "../../log/erase.ts";
import { PASS_GENERATION } from "../../settling/statements.ts";
import type { Sql } from "../connection/connection.ts";
import { PostgresSnapshot } from "../snapshot.ts";

// So that hits in between hardly notice.
const ROWS_PER_STEP = 1_000;
const BLOCKS_PER_STEP = 20;
const BYTES_PER_STEP = 1_048_576;
/**
 * Removes what is left of erased sites, in small steps. One is remembered for a day: a node that was away
 * may still write what it has.
 */
export class Erasing {
  /** By erased site, up to which number of each node the log has nothing of it. */
  readonly #logs = new Map<SiteKey, Map<number, number>>();
  /** Of which these numbers are. */
  #epoch: number | null = null;

  /**
   * In a transaction of the caller's; `forget` is to be called where that fails.
   * @returns false when nothing was left to do
   */
  async step(sql: Sql, epoch: number | null): Promise<boolean> {
    if (epoch !== this.#epoch) this.forget();
    this.#epoch = epoch;
    const erased = await sql.rows<{ key: SiteKey; isOld: boolean }>(
      `SELECT key, at < now() - interval '1 day' AS "isOld" FROM erased_site ORDER BY key`,
    );
    for (const { key: site, isOld } of erased) {
      if (await this.#eraseOf(sql, site)) return true;
      if (!isOld) continue;
      await sql.rows("DELETE FROM erased_site WHERE key = $1", [site]);
      this.#logs.delete(site);
    }
    return false;
  }

  forget(): void {
    this.#logs.clear();
  }

  async #eraseOf(sql: Sql, site: SiteKey): Promise<boolean> {
    if (await removeSome(sql, "block", site, BLOCKS_PER_STEP)) {
      await sql.rows(PASS_GENERATION);
      return true;
    }
    if (await this.#eraseRecords(sql, site)) return true;
    for (const table of ["survey", "survey_day", "waiting_survey", "past"] as const)
      if (await removeSome(sql, table, site)) return true;
    return false;
  }

  /** Writes some of the log anew without the records of a site: what waits for a clock may stay for long. */
  async #eraseRecords(sql: Sql, site: SiteKey): Promise<boolean> {
    const after = this.#logs.get(site) ?? new Map<number, number>();
    this.#logs.set(site, after);
    const rows = await new PostgresSnapshot(sql).log(after, BYTES_PER_STEP);
    for (const { node, n, body } of rows) {
      const rest = eraseSite(body, site);
      // Not deleted: the next number of its node passes by it.
      if (rest !== body)
        await sql.rows("UPDATE log SET body = $3 WHERE node = $1 AND n = $2", [
          node,
          n,
          rest ?? EMPTY_BATCH,
        ]);
      after.set(node, n);
    }
    return rows.length > 0;
  }
}

/** Removes responses to sites that do not exist. @returns true when there are more */
export async function emptyNobody(sql: Sql): Promise<boolean> {
  const isSome = await removeSome(sql, "survey", NOBODY);
  return (await removeSome(sql, "waiting_survey", NOBODY)) || isSome;
}

/** The columns that name a row of a site. */
const KEYS = {
  block: "month, source, part",
  survey: "id",
  survey_day: "day",
  waiting_survey: "id",
  past: "source, counter",
} as const;

async function removeSome(
  sql: Sql,
  table: keyof typeof KEYS,
  site: SiteKey,
  rows = ROWS_PER_STEP,
): Promise<boolean> {
  const key = KEYS[table];
  const gone = await sql.rows(
    `DELETE FROM ${table} WHERE site = $1
       AND (${key}) IN (SELECT ${key} FROM ${table} WHERE site = $1 LIMIT ${rows})
     RETURNING 1 AS gone`,
    [site],
  );
  return gone.length > 0;
}
