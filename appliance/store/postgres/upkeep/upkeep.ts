import type { Clock } from "../../../base/clock.ts";
import { NOBODY, type SiteKey } from "../../counting.ts";
import type { UpkeepTime } from "../../queries.ts";
import { BYTES_PER_STEP, eraseBlocks, eraseRecords, eraseRows } from "../../settling/erasing.ts";
import { FORGOTTEN_BATCHES, SOURCE_NODES } from "../../snapshot.ts";
import type { Sql } from "../../sql.ts";
import { forgetSurveyDays } from "../../surveys/statements.ts";
import type { Connection } from "../connection/connection.ts";
import type { ServerSql } from "../connection/sql.ts";
import { epochOf } from "../epoch.ts";
import { PostgresSnapshot } from "../snapshot.ts";
import type { Lease } from "./lease.ts";

interface UpkeepOptions {
  readonly connection: Connection;
  readonly lease: Lease;
  readonly clock: Pick<Clock, "monotonic">;
}

/**
 * Regular work on the data besides settling, in small steps, each a transaction of its own. One node does it at a
 * time, while all go on counting.
 */
export class PostgresUpkeep {
  readonly #options: UpkeepOptions;
  readonly #erasing = new Erasing();
  /** Monotonic ms up to which this node has added to the time run, or another one does. */
  #ranUntil: number;

  constructor(options: UpkeepOptions) {
    this.#options = options;
    this.#ranUntil = options.clock.monotonic();
  }

  /** @returns false when nothing is left to do for this node. @throws {Away}, {Lost} */
  async step(time: UpkeepTime): Promise<boolean> {
    const { connection, lease, clock } = this.#options;
    const now = clock.monotonic();
    const ran = lease.isHeld ? Math.floor(now - this.#ranUntil) : 0;
    this.#ranUntil = now;
    try {
      return await connection.transaction(
        async (sql) => (await lease.take(sql)) && this.#work(sql, time, ran),
      );
    } catch (error) {
      this.#erasing.forget();
      throw error;
    }
  }

  async #work(sql: ServerSql, { today }: UpkeepTime, ran: number): Promise<boolean> {
    await sql.rows(ADD_RUN_TIME, [String(ran)]);
    if (await this.#erasing.step(sql, await epochOf(sql))) return true;
    if (await eraseRows(sql.rows, NOBODY, ["survey"])) return true;
    await sql.all([forgetSurveyDays(today), { text: FORGET_LOGS }, { text: FORGET_NODES }]);
    return false;
  }
}

/** Adds to the time run, which retention goes by, since the clock of a database may jump, too. */
const ADD_RUN_TIME = `
  INSERT INTO meta (key, value) VALUES ('run_ms', $1)
  ON CONFLICT (key) DO UPDATE SET value = (meta.value::bigint + excluded.value::bigint)::text`;

/**
 * Deletes entries of nodes without a sign of life for a month whose log is folded. The sum of their numbers is kept: by it, a
 * home finds whether it has all of them.
 */
const FORGET_LOGS = `
  WITH gone AS (
    DELETE FROM folded WHERE NOT EXISTS (SELECT 1 FROM log WHERE log.node = folded.node)
      AND NOT EXISTS (SELECT 1 FROM node WHERE node.id = folded.node
        AND seen_at > now() - interval '30 days')
    RETURNING node, n
  )
  INSERT INTO meta (key, value)
  SELECT '${FORGOTTEN_BATCHES}', sum(n)::bigint::text FROM gone WHERE node < ${SOURCE_NODES}
  HAVING count(*) > 0
  ON CONFLICT (key) DO UPDATE SET value = (meta.value::bigint + excluded.value::bigint)::text`;

const FORGET_NODES = "DELETE FROM node WHERE seen_at < now() - interval '30 days'";

/**
 * Removes the data of erased sites, in small steps. It goes on for a day, since a node that was away may still write
 * hits for them.
 */
class Erasing {
  /** The last number of each node's log without anything of an erased site, by site. */
  readonly #logs = new Map<SiteKey, Map<number, number>>();
  /** The epoch of these numbers. */
  #epoch: number | null = null;

  /**
   * Runs in a transaction of the caller, who must call `forget` where that fails.
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
    return (
      (await eraseBlocks(sql.rows, site)) ||
      (await this.#eraseFromLog(sql, site)) ||
      eraseRows(sql.rows, site, ["survey", "survey_day", "past"])
    );
  }

  async #eraseFromLog(sql: Sql, site: SiteKey): Promise<boolean> {
    const after = this.#logs.get(site) ?? new Map<number, number>();
    this.#logs.set(site, after);
    const rows = await new PostgresSnapshot(sql).log(after, BYTES_PER_STEP);
    await sql.all(eraseRecords(rows, site));
    for (const { node, n } of rows) after.set(node, n);
    return rows.length > 0;
  }
}
