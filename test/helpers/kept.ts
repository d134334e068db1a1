import Database from "better-sqlite3";
import type { Day } from "../../appliance/base/calendar.ts";
import { decodeBlock } from "../../appliance/store/blocks/codec.ts";
import { MAX_DAYS } from "../../appliance/store/blocks/dictionary.ts";
import { firstDayOf } from "../../appliance/store/blocks/month.ts";
import { type Batch, decodeBatch } from "../../appliance/store/log/batch.ts";
import {
  type BlockKey,
  type BlockRow,
  bytesOf,
  type Piece,
} from "../../appliance/store/snapshot.ts";
import { databaseFile, withDatabase } from "../../appliance/store/sqlite/database.ts";
import type { World } from "./world.ts";

/** The hits in a data folder, decoded: those in blocks, and those in the log. */
interface Kept {
  /** Days of blocks that hold anything, by site. */
  readonly days: readonly { readonly site: number; readonly day: Day }[];
  /** Every text, whosever it is. */
  readonly texts: ReadonlySet<string>;
  /** The site of every hit in the log. */
  readonly inLog: readonly number[];
  /** Hits that wait for the clock, by second of arrival. */
  readonly waiting: readonly {
    readonly boot: string;
    /** Milliseconds. */
    readonly at: number;
    readonly saved_clock: number;
    readonly hits: number;
  }[];
  readonly bytes: number;
}

/** Reads a folder whose service may run. */
export function kept(dataDir: string): Kept {
  const db = new Database(databaseFile(dataDir), { readonly: true });
  const rows = (text: string) => db.prepare(text).all();
  return withDatabase(db, () => unpacked(rows(BLOCKS), rows(PIECES), rows(LOG)));
}

/** The same of a world that runs, whatever keeps its data. */
export async function keptIn(world: World): Promise<Kept> {
  const [blocks, pieces] = [await world.rows(BLOCKS), await world.rows(PIECES)];
  return unpacked(blocks, pieces, await world.rows(LOG));
}

const BLOCKS = "SELECT * FROM block";
const PIECES = "SELECT * FROM piece";
const LOG = "SELECT body FROM log";

interface LogBody {
  readonly body: Uint8Array;
}

function unpacked(
  rows: readonly unknown[],
  pieces: readonly unknown[],
  log: readonly unknown[],
): Kept {
  const batches = (log as LogBody[]).map(({ body }) => decodeBatch(body));
  const nameOf = ({ site, month, source, part }: BlockKey) => [site, month, source, part].join();
  const byBlock = Map.groupBy(pieces as (BlockKey & Piece)[], nameOf);
  const blocks = (rows as BlockRow[]).map((row) => {
    const its = byBlock.get(nameOf(row)) ?? [];
    return { ...row, pieces: new Map(its.map(({ n, bytes }) => [n, bytes])) };
  });
  const decoded = blocks.map((row) => ({ site: row.site, block: decodeBlock(row) }));
  return {
    days: decoded.flatMap(({ site, block }) =>
      Array.from({ length: MAX_DAYS }, (_, day) => day)
        .filter((day) => (block.days >> day) & 1)
        .map((day) => ({ site, day: firstDayOf(block.month) + day })),
    ),
    texts: new Set([
      ...decoded.flatMap(({ block }) =>
        [...block.dimensions.values()].flatMap(({ texts }) => texts),
      ),
      ...batches.flatMap(({ texts }) => texts),
    ]),
    waiting: batches.flatMap(waitingIn),
    inLog: batches.flatMap(({ sites, times }) =>
      [...sites].flatMap((site, row) => Array<number>(times[row] ?? 0).fill(site)),
    ),
    bytes: blocks.reduce((sum, row) => sum + bytesOf(row), 0),
  };
}

/** The waiting hits of a batch of the log. */
function waitingIn({ undated, moments, times }: Batch): Kept["waiting"] {
  if (undated === undefined) return [];
  const seconds = new Map<number, number>();
  for (const [row, second] of moments.entries())
    seconds.set(second, (seconds.get(second) ?? 0) + (times[row] ?? 0));
  return [...seconds].map(([second, hits]) => ({
    boot: undated.boot,
    at: second * 1_000,
    saved_clock: undated.savedZero + second * 1_000,
    hits,
  }));
}
