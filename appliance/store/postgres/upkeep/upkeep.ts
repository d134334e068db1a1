import type { Clock } from "../../../base/clock.ts";
import { DayZone } from "../../../base/day-zone.ts";
import type { SiteKey } from "../../counting.ts";
import type { UpkeepTime } from "../../queries.ts";
import {
  BYTES_PER_STEP,
  eraseBlocks,
  eraseNobody,
  eraseRecords,
  eraseRows,
} from "../../settling/erasing.ts";
import type { Sql } from "../../sql.ts";
import { fileSurveys, forgetSurveyDays } from "../../surveys/statements.ts";
import type { Connection } from "../connection/connection.ts";
import type { ServerSql } from "../connection/sql.ts";
import type { DatabaseTime } from "../database-time.ts";
import { epochOf } from "../epoch.ts";
import { BLOCK_BYTES, PostgresSnapshot } from "../snapshot.ts";
import { SurveyIds } from "../surveys.ts";
import { bootStatement, DUE_SURVEYS } from "./boots.ts";
import type { Lease } from "./lease.ts";

const TELL_BOOT_MS = 3_600_000;

interface UpkeepOptions {
  readonly connection: Connection;
  readonly lease: Lease;
  readonly time: DatabaseTime;
  readonly clock: Clock;
  /** 0–1 */
  readonly random: () => number;
}

/**
 * Regular work on the data besides settling, in small steps, each a transaction of its own. One node does it at a
 * time, while all go on counting.
 */
export class PostgresUpkeep {
  readonly #options: UpkeepOptions;
  readonly #erasing = new Erasing();
  readonly #ids: SurveyIds;
  #boot = { isKnown: false, at: -Infinity };

  constructor(options: UpkeepOptions) {
    this.#options = options;
    this.#ids = new SurveyIds(options.clock, options.random);
  }

  /** @returns false when nothing is left to do for this node. @throws {Away}, {Lost} */
  async step(time: UpkeepTime): Promise<boolean> {
    await this.#tellBoot(time);
    const { connection, lease } = this.#options;
    try {
      return await connection.transaction(
        async (sql) => (await lease.take(sql)) && this.#work(sql, time),
      );
    } catch (error) {
      this.#erasing.forget();
      throw error;
    }
  }

  async #tellBoot(time: UpkeepTime): Promise<void> {
    const { connection, clock } = this.#options;
    const isKnown = time.bootedAt !== null;
    const at = clock.monotonic();
    if (isKnown === this.#boot.isKnown && at - this.#boot.at < TELL_BOOT_MS) return;
    await connection.all([bootStatement(time)]);
    this.#boot = { isKnown, at };
  }

  async #work(sql: ServerSql, { zone }: UpkeepTime): Promise<boolean> {
    const { lease, time } = this.#options;
    const ms = lease.heldMs;
    await sql.rows(ADD_RUN_TIME, [String(ms)]);
    lease.told(ms);
    if (await this.#erasing.step(sql, await epochOf(sql))) return true;
    const drawId = () => this.#ids.draw();
    if (await fileSurveys(sql, DUE_SURVEYS, new DayZone(zone), drawId)) return true;
    if (await eraseNobody(sql.rows)) return true;
    const forgetDays = forgetSurveyDays(time.today());
    await sql.all([
      forgetDays,
      { text: FORGET_LOGS },
      { text: FORGET_NODES },
      { text: FORGET_BOOTS },
    ]);
    return false;
  }
}

/** Adds to the time run, which retention goes by. */
const ADD_RUN_TIME = `
  INSERT INTO meta (key, value) VALUES ('run_ms', $1)
  ON CONFLICT (key) DO UPDATE SET value = (meta.value::bigint + excluded.value::bigint)::text`;

/** Deletes entries of nodes without a sign of life for a month whose log is folded. */
const FORGET_LOGS = `
  DELETE FROM folded WHERE NOT EXISTS (SELECT 1 FROM log WHERE log.node = folded.node)
    AND NOT EXISTS (SELECT 1 FROM node WHERE node.id = folded.node
      AND seen_at > now() - interval '30 days')`;

const FORGET_NODES = "DELETE FROM node WHERE seen_at < now() - interval '30 days'";

const FORGET_BOOTS = "DELETE FROM boot WHERE told_at < now() - interval '30 days'";

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
      (await eraseBlocks(sql.rows, site, BLOCK_BYTES)) ||
      (await this.#eraseFromLog(sql, site)) ||
      eraseRows(sql.rows, site)
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
