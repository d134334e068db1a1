import { SharedSnapshot, type SnapshotSql } from "../shared-snapshot.ts";
import type { LogRow } from "../snapshot.ts";
import type { Sql } from "../sql.ts";
import { numbers } from "./connection/sql.ts";

/** The rows of the log read at a time. */
const ROWS = 4_096;

/**
 * The log and the blocks in a database. Use it in a transaction that reads one snapshot. It caches nothing, since
 * after a failover the same numbers may mean something else.
 */
export class PostgresSnapshot extends SharedSnapshot {
  readonly #sql: Sql;
  readonly #to: ReadonlyMap<number, number> | undefined;

  /** @param to node → the last number of its log that belongs to the snapshot; all rows of a missing node do */
  constructor(sql: Sql, to?: ReadonlyMap<number, number>) {
    super((text, values) => sql.rows(text, values), WORDS);
    this.#sql = sql;
    this.#to = to;
  }

  log(after: ReadonlyMap<number, number>, maxBytes: number): Promise<readonly LogRow[]> {
    const to = this.#to;
    return this.#sql.rows(LOG, [
      ...[numbers(after.keys()), numbers(after.values()), maxBytes],
      ...(to === undefined ? [null, null] : [numbers(to.keys()), numbers(to.values())]),
    ]);
  }
}

export const WORDS: SnapshotSql = {
  isSound: "true",
  isAsked: "= ANY($1::int[])",
  listOf: numbers,
};

/** The last number of each node's log, and its bytes. */
export const LOG_ENDS = `
  SELECT folded.node, log.n, log.bytes FROM folded CROSS JOIN LATERAL (
    SELECT max(n) AS n, sum(octet_length(body)) AS bytes FROM log WHERE log.node = folded.node
  ) AS log
  WHERE log.n IS NOT NULL`;

/** The lengths of bodies are known without reading them. */
export const LOG = `
  SELECT node, n, source, body FROM (
    SELECT node, n, source, body, sum(octet_length(body)) OVER (ORDER BY node, n) AS bytes,
      row_number() OVER (ORDER BY node, n) AS place
    FROM (
      SELECT beyond.node, beyond.n, beyond.source, beyond.body
      FROM folded LEFT JOIN unnest($1::bigint[], $2::bigint[]) AS seen (node, n)
          ON seen.node = folded.node
        LEFT JOIN unnest($4::bigint[], $5::bigint[]) AS upto (node, n) ON upto.node = folded.node
        CROSS JOIN LATERAL (
          SELECT node, n, source, body FROM log
          WHERE log.node = folded.node AND log.n > GREATEST(folded.n, seen.n)
            AND ($4::bigint[] IS NULL OR log.n <= upto.n)
          ORDER BY log.n LIMIT ${ROWS}
        ) AS beyond
      ORDER BY node, n LIMIT ${ROWS}
    ) AS next
  ) AS piece
  WHERE bytes <= $3::bigint OR place = 1
  ORDER BY node, n`;
