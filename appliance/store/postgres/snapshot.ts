import type { Months } from "../blocks/month.ts";
import type { SiteKey } from "../counting.ts";
import {
  BLOCKS_IN_ORDER,
  blockSizes,
  keyAnd,
  SharedSnapshot,
  type SnapshotSql,
} from "../shared-snapshot.ts";
import {
  type BlockKey,
  type BlockPage,
  type BlockRow,
  type BlockSize,
  type Due,
  type LogRow,
  PIECES,
  type Piece,
  SLICE_BYTES,
  type SlicedBlock,
  type Snapshot,
} from "../snapshot.ts";
import type { Sql } from "../sql.ts";
import { numbers } from "./connection/sql.ts";

/** The rows of the log read at a time. */
const ROWS = 4_096;
const NOTHING = new Uint8Array();

/** Bytes of all of a piece. */
interface Lengths {
  readonly countsLength: number;
  readonly detailLength: number;
}

/**
 * The log and the blocks in a database. Use it in a transaction that reads one snapshot. It caches nothing, since
 * after a failover the same numbers may mean something else.
 */
export class PostgresSnapshot extends SharedSnapshot implements Snapshot {
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

  blocks(
    sites: readonly SiteKey[],
    { from, to }: Months,
    pieces: readonly Piece[],
  ): Promise<readonly BlockRow[]> {
    return this.#sql.rows(blocksOf(pieces), [numbers(sites), from, to]);
  }

  async slicedBlocks(
    sites: readonly SiteKey[],
    { from, to }: Months,
    pieces: readonly Piece[],
    { after, maxBytes }: BlockPage,
  ): Promise<readonly SlicedBlock[]> {
    const left = sites.filter((one) => one >= (after?.site ?? one));
    const rows = await this.#sql.rows<BlockRow & Lengths>(slicedBlocksOf(pieces), [
      ...[numbers(left), from, to],
      ...keyAnd(after, maxBytes),
    ]);
    return rows.map(({ countsLength, detailLength, ...row }) => ({
      ...row,
      counts: this.#sliced(row, "counts", countsLength),
      detail: this.#sliced(row, "detail", detailLength),
    }));
  }

  #sliced(row: BlockRow, piece: "counts" | "detail", length: number): SlicedBlock[typeof piece] {
    const first = row[piece];
    if (length <= first.length) return first;
    const { site, month, source, part } = row;
    return {
      length,
      first,
      slice: async (n: number) => {
        const values = [site, month, source, part, n * SLICE_BYTES + 1];
        const [read] = await this.#sql.rows<{ bytes: Uint8Array }>(SLICE[piece], values);
        return read?.bytes ?? NOTHING;
      },
    };
  }

  override list(after: BlockKey | null, limit: number, due?: Due): Promise<readonly BlockSize[]> {
    if (due === undefined) return super.list(after, limit);
    return this.#sql.rows(LIST_DUE, keyAnd(after, limit, due.from, due.to, due.detailTo));
  }
}

/** Bytes of a row of `block`. They are known without reading them. */
export const BLOCK_BYTES = "octet_length(counters) + octet_length(counts) + octet_length(detail)";

export const WORDS: SnapshotSql = {
  bytes: BLOCK_BYTES,
  detailBytes: "octet_length(detail)",
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

/** SQL that reads only these pieces of blocks. */
export function blocksOf(pieces: readonly Piece[]): string {
  return `
    SELECT site, month, source, part, ${PIECES.map((piece) => columnOf(piece, pieces)).join(", ")} FROM block
    WHERE site = ANY($1::int[]) AND month BETWEEN $2::int AND $3::int
    ${BLOCKS_IN_ORDER}`;
}

/** SQL for blocks with the first slice of large pieces, whose length is known without reading them. */
export function slicedBlocksOf(pieces: readonly Piece[]): string {
  const columns = PIECES.map((piece) => {
    const isSliced = piece !== "counters" && pieces.includes(piece);
    return isSliced
      ? `substring(${piece} FROM 1 FOR ${SLICE_BYTES}) AS ${piece}, octet_length(${piece}) AS "${piece}Length"`
      : `${columnOf(piece, pieces)}, 0 AS "${piece}Length"`;
  });
  const bytes =
    pieces.map((piece) => `LEAST(octet_length(${piece}), ${SLICE_BYTES})`).join(" + ") || "0";
  return `
    SELECT site, month, source, part, ${columns.join(", ")} FROM (
      SELECT site, month, source, part, counters, counts, detail,
        sum(${bytes}) OVER (${BLOCKS_IN_ORDER}) AS bytes,
        row_number() OVER (${BLOCKS_IN_ORDER}) AS place
      FROM block
      WHERE site = ANY($1::int[]) AND month BETWEEN $2::int AND $3::int
        AND (site, month, source, part) > ($4::int, $5::int, $6::int, $7::int)
    ) AS block
    WHERE bytes <= $8::bigint OR place = 1
    ${BLOCKS_IN_ORDER}`;
}

function columnOf(piece: Piece, pieces: readonly Piece[]): string {
  return pieces.includes(piece) ? piece : `''::bytea AS ${piece}`;
}

/** Stored as it is, a part of a piece is read without the rest. */
const SLICE = {
  counts: sliceOf("counts"),
  detail: sliceOf("detail"),
} as const;

export function sliceOf(piece: "counts" | "detail"): string {
  return `SELECT substring(${piece} FROM $5::int FOR ${SLICE_BYTES}) AS bytes
    FROM block
    WHERE site = $1::int AND month = $2::int AND source = $3::int AND part = $4::int`;
}

const SIZES = blockSizes(WORDS);
const PAGE = `${BLOCKS_IN_ORDER} LIMIT $5`;

/** Lists due blocks, each kind by its own index. Otherwise the planner would walk all keys, which have this order. */
export const LIST_DUE = `
  WITH months AS MATERIALIZED (${SIZES} AND part = 0 AND month BETWEEN $6::int AND $7::int),
    details AS MATERIALIZED (${SIZES} AND part = 0 AND octet_length(detail) > 0
      AND month <= $8::int AND month NOT BETWEEN $6::int AND $7::int)
  (${SIZES} AND part > 0 ${PAGE}) UNION ALL TABLE months UNION ALL TABLE details ${PAGE}`;
