import type { Release, Slot } from "./release.ts";

/** Where a bundle that waits on the data partition came from. */
export type Source = "service" | "card" | "stick";

/** A bundle that is whole and signed, and fits this box. */
export interface Offer extends Release {
  readonly source: Source;
  readonly bytes: number;
  /** A sentence or two of who made it. */
  readonly notes: string;
}

/** How an attempt ended. */
export interface Outcome {
  /** `updated` and `back` run now; after the others the box runs what it ran before. */
  readonly kind: "updated" | "back" | "failed" | "interrupted" | "refused";
  /** The release that was to be started. */
  readonly to: Release;
  /** Epoch seconds by the box's clock. */
  readonly at: number;
  /** A sentence: why it is not what was asked for. */
  readonly reason?: string;
}

/**
 * The updater's work right now; `done` and `of` in bytes, both 0 where there is nothing to count.
 */
export interface Work {
  readonly step: "verify" | "write" | "read-back" | "arm" | "restart";
  readonly to: Release;
  readonly done: number;
  readonly of: number;
}

/**
 * The report of the updater, which is root's, to the service: JSON in `TOLD_FILE`, replaced as a
 * whole. All users of the box may read it, only root may write it.
 */
export interface Told {
  readonly running: Release & { readonly slot: Slot };
  /** Whole in the other slot: what "go back" starts. */
  readonly other?: Release;
  /**
   * `trial`: started once, to be kept only if it is well. `visit`: the other slot runs because of
   * the jumper, or because the board was armed by hand; nothing is kept unless the owner says so.
   */
  readonly mode: "normal" | "trial" | "visit";
  readonly offers: readonly Offer[];
  /** Written to the other slot and read back; `start` starts it. */
  readonly prepared?: Release;
  readonly work?: Work;
  readonly last?: Outcome;
  /** Releases that failed on this box: none is tried again unless its owner asks for it. */
  readonly failed: readonly number[];
  /** False once the board did not keep the wish for a trial; true once a trial started on it. */
  readonly canTry?: boolean;
  /** A sentence: what is wrong with a bundle, the card or a slot, and what to do. */
  readonly problem?: string;
  /** When that was found, epoch seconds by the box's clock: the same may go wrong once more. */
  readonly problemAt?: number;
}

export const TOLD_FILE = "state.json";

/**
 * The requests that the service may make of the updater, by a file of this name in the folder for
 * that. Its text is a release number for `prepare`, `start` and `discard`, and is not read for
 * `back` and `keep`. `prepare` writes an offer to the other slot, `start` restarts into it, `back`
 * starts the other slot's release, `keep` makes the slot that is visited the box's own, `discard`
 * removes an offer.
 */
export const ASKS = ["prepare", "start", "back", "keep", "discard"] as const;
export type Ask = (typeof ASKS)[number];
