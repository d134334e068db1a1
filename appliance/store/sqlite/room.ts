import { closeSync, existsSync, openSync, rmSync, writeSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { join } from "node:path";
import type { Log } from "../../base/log.ts";
import type { Soon } from "../counts/site-counts.ts";
import type { Space } from "../engine.ts";
import { isSqliteError } from "./database.ts";

const MB = 1024 * 1024;
const LOW_SPACE_BYTES = 100 * MB;
const LOW_SPACE_SHARE = 0.05;
/** The bytes that the write-ahead log may need beside the database, however much is free inside that. */
const LOG_BYTES = 32 * MB;
/** Ballast is taken well above the limit, so that it does not bring low space about. */
const BALLAST_ABOVE = 1.25;

function limitOf({ total }: Space): number {
  return Math.max(LOW_SPACE_BYTES, total * LOW_SPACE_SHARE);
}

/** Whether new values count as `(other)` for lack of room. @param spare bytes inside the database that it can use again */
export function isLow(space: Space, spare: number): boolean {
  return space.free < LOG_BYTES || space.free + spare < limitOf(space);
}

/** Bytes that other data than counts may take, without low space for new values. */
export function besideCounting(space: Space): number {
  return space.free - BALLAST_ABOVE * limitOf(space);
}

/** The room for the data, as of the last check. */
export class Room {
  /** Bytes inside the database that it can use again. */
  spare = 0;
  readonly #dataDir: string;
  readonly #space: (dir: string) => Promise<Space>;
  readonly #log: Log;
  #isLow = false;
  #lastFree = 0;
  #ballastFailed = false;

  constructor(dataDir: string, space: (dir: string) => Promise<Space>, log: Log) {
    this.#dataDir = dataDir;
    this.#space = space;
    this.#log = log;
  }

  /** Whether new values count as `(other)` for lack of room. */
  get isLow(): boolean {
    return this.#isLow;
  }

  /** Looks at the disk. @returns true when more is free than before */
  async look(): Promise<boolean> {
    const space = await this.#read();
    const low = isLow(space, this.spare);
    if (low && !this.#isLow)
      this.#log.warn("Little space is left: new values are counted as (other)");
    this.#isLow = low;
    const hasGrown = space.free > this.#lastFree;
    this.#lastFree = space.free;
    return hasGrown;
  }

  /** Takes ballast when there is none and room enough. */
  async takeBallast(): Promise<void> {
    const space = await this.#read();
    const enough = BALLAST_ABOVE * limitOf(space);
    if (this.#ballastFailed || space.free - BALLAST_BYTES < enough) return;
    if (!hasBallast(this.#dataDir)) this.#ballastFailed = !takeBallast(this.#dataDir);
  }

  /** Gives the ballast up for work that makes room. @returns false when there was none */
  giveUpBallast(): boolean {
    const given = giveUpBallast(this.#dataDir);
    if (given) this.#log.warn("The disk is full: what was kept in reserve is used to erase");
    return given;
  }

  async #read(): Promise<Space> {
    return this.#space(this.#dataDir).catch(() => ({
      free: Number.POSITIVE_INFINITY,
      total: 0,
    }));
  }
}

/** Free and total bytes of the disk a folder is on. */
export async function spaceOf(dir: string): Promise<Space> {
  const { bavail, blocks, bsize } = await statfs(dir);
  return { free: bavail * bsize, total: blocks * bsize };
}

/** Several times the bytes that erasing a site writes before anything is given back. */
export const BALLAST_BYTES = 8 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;

function fileIn(dataDir: string): string {
  return join(dataDir, "ballast");
}

function hasBallast(dataDir: string): boolean {
  return existsSync(fileIn(dataDir));
}

/**
 * Reserves space on the disk that is given up when nothing else is left. The file is written in full, since one
 * with holes would reserve nothing.
 * @returns false where there is not enough space
 */
function takeBallast(dataDir: string): boolean {
  const file = fileIn(dataDir);
  let open: number | undefined;
  try {
    open = openSync(file, "wx", 0o600);
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (let size = 0; size < BALLAST_BYTES; size += writeSync(open, chunk));
    return true;
  } catch {
    rmSync(file, { force: true });
    return false;
  } finally {
    if (open !== undefined) closeSync(open);
  }
}

/** @returns false when there was none */
function giveUpBallast(dataDir: string): boolean {
  if (!hasBallast(dataDir)) return false;
  rmSync(fileIn(dataDir), { force: true });
  return true;
}

/** Does work that makes room; when the disk is too full even for that, with the room of the ballast. */
export async function withBallast<T>(dataDir: string, makeRoom: () => Soon<T>): Promise<T> {
  try {
    return await makeRoom();
  } catch (error) {
    if (!isSqliteError(error, "SQLITE_FULL") || !giveUpBallast(dataDir)) throw error;
    return makeRoom();
  }
}
