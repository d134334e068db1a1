import type { Months } from "../blocks/month.ts";
import type { SiteKey } from "../counting.ts";
import type { Soon } from "../counts/source.ts";
import {
  type BlockKey,
  type BlockPage,
  type BlockRow,
  type BlockSize,
  type LogRow,
  PIECES,
  type Piece,
  type Snapshot,
} from "../snapshot.ts";
import type { Database } from "./database.ts";
import { HAS_NUMBERS } from "./numbering.ts";
import { generation } from "./settle.ts";
import { BYTES, beyond, type SqliteBlock, sliced, wholeOf } from "./slices.ts";

/** The only one whose batches are in a file. */
export const NODE = 0;
const BEFORE_ALL: BlockKey = { site: -(2 ** 31), month: -1, source: -1, part: -1 };

interface Found {
  readonly id: number;
  readonly bytes: number;
}

/** The log and the blocks in a file. To be asked in a transaction. */
export class SqliteSnapshot implements Snapshot {
  readonly #db: Database;
  readonly #to: number;

  /** @param to what came to the log after this number is not in it */
  constructor(db: Database, to: number = Number.MAX_SAFE_INTEGER) {
    this.#db = db;
    this.#to = to;
  }

  generation(): number {
    return generation(this.#db);
  }

  folded(): ReadonlyMap<number, number> {
    const rows = this.#db.prepare("SELECT node, n FROM folded").raw().all();
    return new Map(rows as [number, number][]);
  }

  log(after: ReadonlyMap<number, number>, maxBytes: number): LogRow[] {
    const rows = this.#db
      .prepare("SELECT n, source, body FROM log WHERE n > ? AND n <= ? ORDER BY n")
      .iterate(after.get(NODE) ?? 0, this.#to) as IterableIterator<Omit<LogRow, "node">>;
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
    const { site, month, source, part } = after ?? BEFORE_ALL;
    const left = sites.filter((one) => one >= site);
    // How long a piece is stands in its row; the piece itself may be megabytes.
    const bytes = pieces.map((piece) => `length(${piece})`).join(" + ") || "0";
    const found = this.#db
      .prepare(
        `SELECT rowid AS id, ${bytes} AS bytes FROM block
         WHERE site IN (SELECT value FROM json_each(?)) AND month BETWEEN ? AND ?
           AND (site, month, source, part) > (?, ?, ?, ?) AND ${HAS_NUMBERS}
         ORDER BY site, month, source, part`,
      )
      .iterate(
        JSON.stringify(left),
        from,
        to,
        site,
        month,
        source,
        part,
      ) as IterableIterator<Found>;
    const columns = PIECES.map((piece) => (pieces.includes(piece) ? piece : `x'' AS ${piece}`));
    const read = this.#db.prepare(
      `SELECT site, month, source, part, ${columns.join(", ")} FROM block WHERE rowid = ?`,
    );
    return firstOf(found, (row) => row.bytes, maxBytes).map(({ id }) => {
      const row = read.get(id) as BlockRow;
      const counts = sliced(this.#db, row, "counts", row.counts);
      return { ...row, counts, detail: sliced(this.#db, row, "detail", row.detail) };
    });
  }

  list(after: BlockKey | null, limit: number): readonly BlockSize[] {
    const { site, month, source, part } = after ?? BEFORE_ALL;
    return this.#db
      .prepare(
        `SELECT site, month, source, part, ${BYTES} AS bytes, length(detail) + ${beyond("detail")} AS detailBytes
         FROM block WHERE (site, month, source, part) > (?, ?, ?, ?) AND ${HAS_NUMBERS}
         ORDER BY site, month, source, part LIMIT ?`,
      )
      .all(site, month, source, part, limit) as BlockSize[];
  }

  past(sites: readonly SiteKey[]): readonly ReadonlyMap<string, number>[] {
    const counters = this.#db
      .prepare("SELECT counter, sum(n) FROM past WHERE site = ? GROUP BY counter")
      .raw();
    return sites.map((site) => new Map(counters.all(site) as [string, number][]));
  }

  siteKeys(): ReadonlySet<SiteKey> {
    return new Set(this.#db.prepare("SELECT key FROM site").pluck().all() as SiteKey[]);
  }
}

/** The first rows, as many as take `maxBytes`, and one at least where there is any. */
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

/** Runs what reads in one transaction: it is all of one moment. */
export async function ofOneMoment<T>(db: Database, read: () => Soon<T>): Promise<T> {
  db.exec("BEGIN");
  try {
    return await read();
  } finally {
    // Some errors have ended it already.
    if (db.inTransaction) db.exec("COMMIT");
  }
}
