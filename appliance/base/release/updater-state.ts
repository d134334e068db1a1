import type { UpdateOutcome } from "../text/update-outcome.ts";
import type { Release, Slot } from "./release.ts";

/** The origin of a bundle on the data partition. */
export type BundleSource = "service" | "card" | "stick";

/** A bundle that is whole and signed, and fits this box. */
export interface BundleOffer extends Release {
  readonly source: BundleSource;
  readonly bytes: number;
  /** A sentence or two by its maker. */
  readonly notes: string;
}

/** The progress of the work, in bytes; both are 0 where there is nothing to measure. */
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
 * The state of updates, written by root's updater: JSON in `STATE_FILE`, replaced as a whole. All users of the box may
 * read it, and only root may write it.
 */
export interface UpdaterState {
  readonly running: Release & { readonly slot: Slot };
  /** The complete release in the other slot, which "go back" starts. */
  readonly other?: Release;
  /**
   * `trial`: started once, and kept only if it is healthy. `visit`: the other slot was started by the jumper, or by
   * hand; it is kept only on the owner's wish.
   */
  readonly mode: "normal" | "trial" | "visit";
  readonly offers: readonly BundleOffer[];
  /** Written to the other slot and read back; `arm` restarts into it. */
  readonly prepared?: Release;
  readonly work?: UpdaterWork;
  readonly last?: UpdateOutcome;
  /** Releases that failed on this box. They are tried again only on the owner's wish. */
  readonly failed: readonly number[];
  /** False once the board has ignored the flag for a trial; true once a trial has started on it. */
  readonly canTry?: boolean;
  /** A sentence about a problem of a bundle, the card or a slot, with advice. */
  readonly problem?: string;
  /** The time of the problem, epoch seconds by the box's clock, since the same may happen again. */
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
