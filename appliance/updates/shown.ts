import type { Release, Slot } from "../release/release.ts";
import type { Outcome, Work } from "../release/told.ts";
import type { UpdateMode } from "./settings.ts";

/** The state of updates wherever it is shown: no browser knows more of it. */

/** A release that is newer than the running one. */
export interface ReadyView extends Release {
  /** The size of what is fetched, or was; 0 where it is not told. */
  readonly bytes: number;
  /** A sentence or two of who made it. */
  readonly notes: string;
  readonly source: "network" | "upload" | "card" | "stick";
  /**
   * How far it is: only known of, being fetched, whole on this box, being written to the other slot,
   * or there and read back.
   */
  readonly state: "offered" | "downloading" | "downloaded" | "writing" | "prepared";
  /** It failed on this box: it is not tried again by itself. */
  readonly failedBefore: boolean;
  /** The owner does not want it. */
  readonly isSkipped: boolean;
}

/** The work that goes on; `done` and `of` in bytes, both 0 where there is nothing to count. */
interface UpdateProgress {
  readonly step: "download" | Work["step"];
  readonly done: number;
  readonly of: number;
}

/** How the last attempt ended; `at` in epoch seconds. */
export interface LastUpdate extends Release {
  readonly kind: Outcome["kind"];
  readonly at: number;
  /** A sentence: why it is not what was asked for. */
  readonly reason: string | null;
  /** The owner knows. */
  readonly isSeen: boolean;
}

/** `GET /api/update`: how the box stands with its releases. */
export interface UpdateView {
  readonly running: Release & { readonly slot: Slot };
  /** The release that "go back" starts. */
  readonly other: Release | null;
  readonly mode: "normal" | "trial" | "visit";
  readonly updates: UpdateMode;
  /** The host that is asked for releases; null where none is. */
  readonly source: string | null;
  /** When it was last asked and answered; epoch seconds. */
  readonly checkedAt: number | null;
  /** The newest release known. */
  readonly ready: ReadyView | null;
  readonly progress: UpdateProgress | null;
  /** The release that is worked on, or restarted into. */
  readonly next: Release | null;
  /** The release being written is not wanted, or not any more: the box does not restart for it. */
  readonly isCalledOff: boolean;
  /** When the box restarts into it; epoch milliseconds. */
  readonly restartsAt: number | null;
  /** No update was ever tried on boards like this one, and none on this box. */
  readonly isUntriedBoard: boolean;
  /** The board did not keep the wish for a trial: what is not tried is not installed. */
  readonly couldNotTry: boolean;
  /** The model, as the board calls itself. */
  readonly board: string | null;
  readonly last: LastUpdate | null;
  /** A sentence: what is wrong, and what to do. */
  readonly problem: string | null;
}

/** The wishes that an owner may have. */
export type UpdateWish =
  | { readonly action: "check" | "cancel" | "back" | "keep" | "seen" }
  | { readonly action: "skip"; readonly release: number }
  | {
      readonly action: "now" | "tonight";
      readonly release: number;
      /** The owner knows that updates on this board were never tried. */
      readonly untried?: boolean;
    };
