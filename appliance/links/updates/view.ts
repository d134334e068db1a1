import type { Release, Slot } from "../../base/release/release.ts";
import type {
  BundleOffer,
  UpdateProgress,
  UpdaterState,
} from "../../base/release/updater-state.ts";
import type { UpdateOutcome } from "../../base/text/update-outcome.ts";
import type { UpdateMode } from "./settings.ts";

export interface Candidate extends Omit<BundleOffer, "source"> {
  readonly source: "network" | "upload" | "card" | "stick";
  /** Whether all of it is on this box. */
  readonly isWhole: boolean;
}

/** A release that is newer than the running one. */
export interface ReadyRelease extends Omit<Candidate, "isWhole"> {
  /**
   * Its progress: only known of, being fetched, whole on this box, being written to the other slot,
   * or there and read back.
   */
  readonly state: "offered" | "downloading" | "downloaded" | "writing" | "prepared";
  /** Whether it failed on this box: then it is not tried again by itself. */
  readonly failedBefore: boolean;
  readonly isSkipped: boolean;
}

/** `GET /api/update`: the state of updates, for all displays and browsers. */
export interface UpdateView {
  readonly running: Release & { readonly slot: Slot };
  /** The release that "go back" starts. */
  readonly other: Release | null;
  readonly mode: UpdaterState["mode"];
  readonly updates: UpdateMode;
  /** The host of releases; null without one. */
  readonly source: string | null;
  /** The time of its last answer; epoch seconds. */
  readonly checkedAt: number | null;
  readonly ready: ReadyRelease | null;
  readonly progress: UpdateProgress | null;
  /** The release that is worked on, or restarted into. */
  readonly next: Release | null;
  /** The release being written is not wanted, or not any more: the box does not restart for it. */
  readonly isCalledOff: boolean;
  /** The time at which the box restarts into it; epoch milliseconds. */
  readonly restartsAt: number | null;
  /** Whether no update was ever tried on such a board, nor on this box. */
  readonly isUntriedBoard: boolean;
  /** Whether the board has ignored the flag for a trial, without which nothing is installed. */
  readonly couldNotTry: boolean;
  /** The model, as the board calls itself. */
  readonly board: string | null;
  /** The outcome of the last attempt, and whether the owner has seen it. */
  readonly last: (UpdateOutcome & { readonly isSeen: boolean }) | null;
  /** A sentence about a problem, with advice. */
  readonly problem: string | null;
}

export type UpdateChange =
  | { readonly action: "check" | "cancel" | "back" | "keep" | "seen" }
  | { readonly action: "skip"; readonly release: number }
  | {
      readonly action: "now" | "tonight";
      readonly release: number;
      /** Whether the owner accepts that updates on this board were never tried. */
      readonly untried?: boolean;
    };
