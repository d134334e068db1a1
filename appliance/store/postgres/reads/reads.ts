import { LastAnswers } from "../../answer.ts";
import { PLAIN } from "../../counts/block-counts.ts";
import { foldPlan } from "../../counts/fold-plan.ts";
import { FLEET_READS, type FleetSource } from "../../fleet-reads.ts";
import type { FleetQueryName, QueryInput, QueryResult } from "../../queries.ts";
import type { Connection, Sql } from "../connection.ts";
import { siteAlarms } from "../tables/site-alarms.ts";
import { PostgresCounts } from "./counts.ts";
import { KnownValues } from "./known-values.ts";
import { PostgresSurveys } from "./surveys.ts";

/** What can be asked of a database; one question at a time. */
export class Reads {
  readonly #known = new KnownValues();
  readonly #lastAnswers = new LastAnswers();

  /** All that is read is of one moment. @throws {Away}, {Lost}, and what the server refuses */
  run<Q extends FleetQueryName>(
    connection: Connection,
    query: Q,
    input: QueryInput<Q>,
  ): Promise<QueryResult<Q>> {
    this.#known.trim();
    const read = async (sql: Sql) => FLEET_READS[query](this.#source(sql), input);
    return connection.transaction(read, { read: true });
  }

  #source(sql: Sql): FleetSource {
    const counts = new PostgresCounts(sql, this.#known);
    return {
      counts: ({ of, where } = PLAIN) =>
        of === "views" && where.length === 0 ? counts : counts.detail(),
      surveys: new PostgresSurveys(sql),
      siteAlarms: () => siteAlarms(sql),
      foldPlan: (input) => foldPlan(counts, input),
      version: () => versionOf(sql),
      lastAnswers: this.#lastAnswers,
    };
  }
}

/**
 * Batches, changes of sites, the lease of upkeep, which is renewed with each of its steps, and what
 * waits for a clock, which each node files by itself.
 */
async function versionOf(sql: Sql): Promise<string> {
  const rows = await sql.rows<object>(
    `SELECT (SELECT sum(batch) FROM node) AS batches, (SELECT count(*) FROM node) AS nodes,
       (SELECT directory FROM revision) AS directory, (SELECT count(*) FROM waiting) AS waiting,
       (SELECT until FROM lease WHERE name = 'upkeep')::text AS upkeep`,
  );
  return JSON.stringify(rows);
}
