import type { UpdateOutcome } from "../base/text/update-outcome.ts";
import type { Release, Slot } from "../release/release.ts";
import type { BundleOffer, UpdateProgress, UpdaterState } from "../release/updater-state.ts";
import type { UpdateMode } from "./settings.ts";

/** A release that the service knows of, or the updater. */
export interface Candidate extends Omit<BundleOffer, "source"> {
  readonly source: "network" | "upload" | "card" | "stick";
  /** All of it is on this box. */
  readonly isWhole: boolean;
}

/** A release that is newer than the running one. */
export interface ReadyRelease extends Omit<Candidate, "isWhole"> {
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

/** `GET /api/update`: the state of updates wherever it is shown; no browser knows more of it. */
export interface UpdateView {
  readonly running: Release & { readonly slot: Slot };
  /** The release that "go back" starts. */
  readonly other: Release | null;
  readonly mode: UpdaterState["mode"];
  readonly updates: UpdateMode;
  /** The host that is asked for releases; null where none is. */
  readonly source: string | null;
  /** When it was last asked and answered; epoch seconds. */
  readonly checkedAt: number | null;
  /** The newest release known. */
  readonly ready: ReadyRelease | null;
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
  /** How the last attempt ended, and whether the owner knows. */
  readonly last: (UpdateOutcome & { readonly isSeen: boolean }) | null;
  /** A sentence: what is wrong, and what to do. */
  readonly problem: string | null;
}

/** The changes that an owner may want. */
export type UpdateChange =
  | { readonly action: "check" | "cancel" | "back" | "keep" | "seen" }
  | { readonly action: "skip"; readonly release: number }
  | {
      readonly action: "now" | "tonight";
      readonly release: number;
      /** The owner knows that updates on this board were never tried. */
      readonly untried?: boolean;
    };
