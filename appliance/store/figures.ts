import type { Histogram } from "../base/histogram.ts";
import type { DatabaseFigures } from "./engine.ts";

/** What became of batches since the start, and what waits for the next. */
export interface IntakeFigures {
  /** Of each commit that was made. */
  readonly commitSeconds: Pick<Histogram, "sum" | "buckets">;
  /** Commits that were tried and not made. */
  readonly failedBatches: number;
  readonly waitingHits: number;
  /** Bytes of memory that they take, about. */
  readonly waitingBytes: number;
}

/** How the store fares. */
export interface StoreFigures extends IntakeFigures {
  readonly ready: boolean;
  /** Nothing can be stored now. */
  readonly unavailable: boolean;
  /** Undefined where the database is a file. */
  readonly database: DatabaseFigures | undefined;
}
