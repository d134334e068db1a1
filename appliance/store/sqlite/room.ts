import { statfs } from "node:fs/promises";
import type { Log } from "../../base/log.ts";
import { BALLAST_BYTES, giveUpBallast, hasBallast, takeBallast } from "./ballast.ts";

const MB = 1024 * 1024;
const LOW_SPACE_BYTES = 100 * MB;
const LOW_SPACE_SHARE = 0.05;
/** The bytes that the write-ahead log may need beside the database, however much is free inside that. */
const LOG_BYTES = 32 * MB;
/** Ballast is taken well above the limit, so that it does not bring low space about. */
const BALLAST_ABOVE = 1.25;

/** Free and total bytes where the data is. */
export interface Space {
  readonly free: number;
  readonly total: number;
}

function limitOf({ total }: Space): number {
  return Math.max(LOW_SPACE_BYTES, total * LOW_SPACE_SHARE);
}

/** True where no new values are to be taken in. @param spare bytes inside the database that it can use again */
export function isLow(space: Space, spare: number): boolean {
  return space.free < LOG_BYTES || space.free + spare < limitOf(space);
}

/** Bytes that may be taken by what is not counted: new values are taken in all the same then. */
export function besideCounting(space: Space): number {
  return space.free - BALLAST_ABOVE * limitOf(space);
}

/** How much room there is for the data, as far as it was looked at. */
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

  /** True when no new values are to be taken in. */
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
