import type { Clock } from "../../base/clock.ts";
import type { CopyEnd } from "./end.ts";

/** Where a copy is. */
export interface ProgressLine {
  readonly text: string;
  /** 0 to 1, of the days. */
  readonly share: number;
}

export interface CopyOptions {
  readonly from: CopyEnd;
  readonly to: CopyEnd;
  readonly clock: Pick<Clock, "now" | "monotonic" | "after">;
  /** Ends it after the transaction that runs, by Interrupted. */
  readonly signal: AbortSignal;
  /** Takes a sentence for the owner. */
  readonly say: (sentence: string) => void;
  readonly show: (line: ProgressLine) => void;
}
