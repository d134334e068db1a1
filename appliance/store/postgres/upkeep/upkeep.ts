import type { Clock } from "../../../base/clock.ts";
import { DayZone } from "../../../base/day-zone.ts";
import { eraseNobody } from "../../erasing.ts";
import type { UpkeepTime } from "../../queries.ts";
import { fileSurveys, forgetSurveyDays } from "../../surveys/statements.ts";
import type { Connection } from "../connection/connection.ts";
import { performOn, type Transaction } from "../connection/sql.ts";
import type { DatabaseTime } from "../database-time.ts";
import { epochOf } from "../epoch.ts";
import { SurveyIds } from "../surveys.ts";
import { bootStatement, DUE_SURVEYS } from "./boots.ts";
import { Erasing } from "./erase.ts";
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
 * The work that the data needs from time to time besides settling, in small steps, each a transaction
 * of its own: done by one node at a time, while all go on counting.
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

  async #work(sql: Transaction, { zone }: UpkeepTime): Promise<boolean> {
    const { lease, time } = this.#options;
    const ms = lease.heldMs;
    await sql.rows(ADD_RUN_TIME, [String(ms)]);
    lease.told(ms);
    if (await this.#erasing.step(sql, await epochOf(sql))) return true;
    const file = fileSurveys(DUE_SURVEYS, new DayZone(zone), () => this.#ids.draw());
    if (await performOn(sql, file)) return true;
    if (await performOn(sql, eraseNobody())) return true;
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

/** Adds to the time that retention goes by: for how long nodes have done upkeep of this data. */
const ADD_RUN_TIME = `
  INSERT INTO meta (key, value) VALUES ('run_ms', $1)
  ON CONFLICT (key) DO UPDATE SET value = (meta.value::bigint + excluded.value::bigint)::text`;

/** Of nodes that were not heard of for a month, whose log is folded. */
const FORGET_LOGS = `
  DELETE FROM folded WHERE NOT EXISTS (SELECT 1 FROM log WHERE log.node = folded.node)
    AND NOT EXISTS (SELECT 1 FROM node WHERE node.id = folded.node
      AND seen_at > now() - interval '30 days')`;

const FORGET_NODES = "DELETE FROM node WHERE seen_at < now() - interval '30 days'";

const FORGET_BOOTS = "DELETE FROM boot WHERE told_at < now() - interval '30 days'";
