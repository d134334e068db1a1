import { MAX_MONTH, type Months } from "../blocks/month.ts";
import type { SiteKey } from "../counting.ts";
import { LAST_PART } from "../settling/parts.ts";
import { BLOCKS_IN_ORDER, keyAnd, SharedSnapshot, type SnapshotSql } from "../shared-snapshot.ts";
import {
  type BlockPage,
  type BlockRow,
  type LogRow,
  PIECES,
  type Piece,
  type Snapshot,
} from "../snapshot.ts";
import type { Database } from "./database.ts";
import { BYTES, beyond, type SqliteBlock, sliced, wholeOf } from "./slices.ts";
import { prepared, rowsOf } from "./sql.ts";

/** The number of the only node that writes to a file. */
export const NODE = 0;

/** The condition that the numbers of a row of `block` are sound. Others are skipped: no start looks through a large file. */
const HAS_NUMBERS = `site BETWEEN 1 AND ${2 ** 31 - 1} AND month BETWEEN 0 AND ${MAX_MONTH} AND source BETWEEN 0 AND ${2 ** 30} AND part BETWEEN 0 AND ${LAST_PART}`;

const WORDS: SnapshotSql = {
  bytes: BYTES,
  detailBytes: `length(detail) + ${beyond("detail")}`,
  isSound: HAS_NUMBERS,
  isAsked: "IN (SELECT value FROM json_each($1))",
  listOf: (numbers) => JSON.stringify([...numbers]),
};

interface Found {
  readonly id: number;
  readonly bytes: number;
}

/** The log and the blocks in a file. Use it in a transaction. */
export class SqliteSnapshot extends SharedSnapshot implements Snapshot {
  readonly #db: Database;
  readonly #to: number;

  /** @param to the last number of the log that belongs to it */
  constructor(db: Database, to: number = Number.MAX_SAFE_INTEGER) {
    super(rowsOf(db), WORDS);
    this.#db = db;
    this.#to = to;
  }

  log(after: ReadonlyMap<number, number>, maxBytes: number): LogRow[] {
    const rows = prepared(
      this.#db,
      "SELECT n, source, body FROM log WHERE n > ? AND n <= ? ORDER BY n",
    ).iterate(after.get(NODE) ?? 0, this.#to) as IterableIterator<Omit<LogRow, "node">>;
    return firstOf(rows, ({ body }) => body.length, maxBytes).map((row) => ({
      node: NODE,
      ...row,
    }));
  }

  blocks(sites: readonly SiteKey[], months: Months, pieces: readonly Piece[]): readonly BlockRow[] {
    const page = { after: null, maxBytes: Number.POSITIVE_INFINITY };
    return this.slicedBlocks(sites, months, pieces, page).map((block) => ({
      ...block,
      counts: wholeOf(block.counts),
      detail: wholeOf(block.detail),
    }));
  }

  slicedBlocks(
    sites: readonly SiteKey[],
    { from, to }: Months,
    pieces: readonly Piece[],
    { after, maxBytes }: BlockPage,
  ): readonly SqliteBlock[] {
    const left = sites.filter((one) => one >= (after?.site ?? one));
    // The row has the length of each piece; a piece itself may be megabytes.
    const bytes = pieces.map((piece) => `length(${piece})`).join(" + ") || "0";
    const found = prepared(
      this.#db,
      `SELECT rowid AS id, ${bytes} AS bytes FROM block
       WHERE site IN (SELECT value FROM json_each(?)) AND month BETWEEN ? AND ?
         AND (site, month, source, part) > (?, ?, ?, ?) AND ${HAS_NUMBERS}
       ${BLOCKS_IN_ORDER}`,
    ).iterate(WORDS.listOf(left), from, to, ...keyAnd(after)) as IterableIterator<Found>;
    const columns = PIECES.map((piece) => (pieces.includes(piece) ? piece : `x'' AS ${piece}`));
    const read = prepared(
      this.#db,
      `SELECT site, month, source, part, ${columns.join(", ")} FROM block WHERE rowid = ?`,
    );
    return firstOf(found, (row) => row.bytes, maxBytes).map(({ id }) => {
      const row = read.get(id) as BlockRow;
      const counts = sliced(this.#db, row, "counts", row.counts);
      return { ...row, counts, detail: sliced(this.#db, row, "detail", row.detail) };
    });
  }
}

/** The first rows within `maxBytes`, at least one. */
function firstOf<Row>(rows: Iterable<Row>, bytesOf: (row: Row) => number, maxBytes: number): Row[] {
  const taken: Row[] = [];
  let bytes = 0;
  for (const row of rows) {
    bytes += bytesOf(row);
    if (taken.length > 0 && bytes > maxBytes) break;
    taken.push(row);
  }
  return taken;
}

/** The number of the last row of the log; 0 where it is empty. */
export function lastInLog(db: Database): number {
  return db.prepare("SELECT coalesce(max(n), 0) FROM log").pluck().get() as number;
}
