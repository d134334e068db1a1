import { MAX_MONTH } from "../blocks/month.ts";
import { LAST_PART } from "../settling/parts.ts";
import { SharedSnapshot, type SnapshotSql } from "../shared-snapshot.ts";
import type { BlockKey, BlockPieces, LogRow, Piece } from "../snapshot.ts";
import type { Database } from "./database.ts";
import { prepared, rowsOf } from "./sql.ts";

/** The number of the only node that writes to a file. */
export const NODE = 0;

/** The condition that the numbers of a row of `block` are sound. Others are skipped: no start looks through a large file. */
const HAS_NUMBERS = `site BETWEEN 1 AND ${2 ** 31 - 1} AND month BETWEEN 0 AND ${MAX_MONTH} AND source BETWEEN 0 AND ${2 ** 30} AND part BETWEEN 0 AND ${LAST_PART}`;

const WORDS: SnapshotSql = {
  isSound: HAS_NUMBERS,
  isAsked: "IN (SELECT value FROM json_each($1))",
  listOf: (numbers) => JSON.stringify([...numbers]),
};

/** The log and the blocks in a file. Use it in a transaction. */
export class SqliteSnapshot extends SharedSnapshot {
  readonly #db: Database;
  readonly #to: number;

  /** @param to the last number of the log that belongs to it */
  constructor(db: Database, to: number = Number.MAX_SAFE_INTEGER) {
    super(rowsOf(db), WORDS);
    this.#db = db;
    this.#to = to;
  }

  /** Without waiting. */
  log(after: ReadonlyMap<number, number>, maxBytes: number): LogRow[] {
    const rows = prepared(
      this.#db,
      "SELECT n, source, body FROM log WHERE n > ? AND n <= ? ORDER BY n",
    ).iterate(after.get(NODE) ?? 0, this.#to) as IterableIterator<Omit<LogRow, "node">>;
    const taken: LogRow[] = [];
    let bytes = 0;
    for (const row of rows) {
      bytes += row.body.length;
      if (taken.length > 0 && bytes > maxBytes) break;
      taken.push({ node: NODE, ...row });
    }
    return taken;
  }
}

/** A whole block, without waiting; undefined where there is none. */
export function wholeBlock(
  db: Database,
  { site, month, source, part }: BlockKey,
): BlockPieces | undefined {
  const key = [site, month, source, part];
  const row = prepared(db, `SELECT counters, counts FROM block ${OF_KEY}`).get(key);
  if (row === undefined) return undefined;
  const pieces = prepared(db, `SELECT n, bytes FROM piece ${OF_KEY} ORDER BY n`).all(
    key,
  ) as Piece[];
  return {
    ...(row as Omit<BlockPieces, "pieces">),
    pieces: new Map(pieces.map(({ n, bytes }) => [n, bytes])),
  };
}

const OF_KEY = "WHERE site = ? AND month = ? AND source = ? AND part = ?";

/** The number of the last row of the log; 0 where it is empty. */
export function lastInLog(db: Database): number {
  return db.prepare("SELECT coalesce(max(n), 0) FROM log").pluck().get() as number;
}
