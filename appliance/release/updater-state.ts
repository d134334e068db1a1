import type { UpdateOutcome } from "../base/text/update-outcome.ts";
import type { Release, Slot } from "./release.ts";

/** Where a bundle that waits on the data partition came from. */
export type BundleSource = "service" | "card" | "stick";

/** A bundle that is whole and signed, and fits this box. */
export interface BundleOffer extends Release {
  readonly source: BundleSource;
  readonly bytes: number;
  /** A sentence or two of who made it. */
  readonly notes: string;
}

/** How far the work is that goes on; in bytes, both 0 where there is nothing to count. */
export interface UpdateProgress {
  readonly step: "download" | "verify" | "write" | "read-back" | "arm" | "restart";
  readonly done: number;
  readonly of: number;
}

/** The updater's work right now. The download is the service's. */
export interface UpdaterWork extends UpdateProgress {
  readonly step: Exclude<UpdateProgress["step"], "download">;
  readonly to: Release;
}

/**
 * The state of updates as the updater, which is root's, tells it: JSON in `STATE_FILE`, replaced as a
 * whole. All users of the box may read it, only root may write it.
 */
export interface UpdaterState {
  readonly running: Release & { readonly slot: Slot };
  /** Whole in the other slot: what "go back" starts. */
  readonly other?: Release;
  /**
   * `trial`: started once, to be kept only if it is well. `visit`: the other slot runs because of
   * the jumper, or because the board was armed by hand; nothing is kept unless the owner says so.
   */
  readonly mode: "normal" | "trial" | "visit";
  readonly offers: readonly BundleOffer[];
  /** Written to the other slot and read back; `arm` restarts into it. */
  readonly prepared?: Release;
  readonly work?: UpdaterWork;
  readonly last?: UpdateOutcome;
  /** Releases that failed on this box: none is tried again unless its owner asks for it. */
  readonly failed: readonly number[];
  /** False once the board did not keep the wish for a trial; true once a trial started on it. */
  readonly canTry?: boolean;
  /** A sentence: what is wrong with a bundle, the card or a slot, and what to do. */
  readonly problem?: string;
  /** When that was found, epoch seconds by the box's clock: the same may go wrong once more. */
  readonly problemAt?: number;
}

export const STATE_FILE = "state.json";

/**
 * The requests that the service may make of the updater, by a file of this name in the folder for
 * that. Its text is a release number for `prepare`, `arm` and `discard`, and is not read for
 * `rollback` and `keep`. `prepare` writes an offer to the other slot, `arm` restarts into it for a
 * trial, `rollback` does so with the other slot's release, `keep` makes the slot that is visited the
 * box's own, `discard` removes an offer.
 */
export const UPDATER_REQUESTS = ["prepare", "arm", "rollback", "keep", "discard"] as const;
export type UpdaterRequest = (typeof UPDATER_REQUESTS)[number];
