import {
  type Fitting,
  FLAG,
  integerFrom,
  listOf,
  objectOf,
  oneAmong,
  orNull,
  textUpTo,
} from "../input/schema.ts";
import { MOST_RELEASE } from "./release.ts";

const COUNT = integerFrom(0);
const NUMBER_OF_RELEASE = integerFrom(1, MOST_RELEASE);
const RELEASE = { release: NUMBER_OF_RELEASE, version: textUpTo(64) };
const SENTENCE = textUpTo(2_000);

/** A bundle on the data partition that is whole and signed, and fits this box. */
const OFFER = objectOf({
  ...RELEASE,
  /** Its origin. */
  source: oneAmong("service", "card", "stick"),
  bytes: COUNT,
  /** A sentence or two by its maker. */
  notes: textUpTo(8_000),
});
export type BundleOffer = Fitting<typeof OFFER>;
export type BundleSource = BundleOffer["source"];

/** The updater's work right now, in bytes; both are 0 where there is nothing to measure. The download is the service's. */
const WORK = objectOf({
  step: oneAmong("verify", "write", "read-back", "arm", "restart"),
  to: objectOf(RELEASE),
  done: COUNT,
  of: COUNT,
});
export type UpdaterWork = Fitting<typeof WORK>;

export interface UpdateProgress extends Omit<UpdaterWork, "step" | "to"> {
  readonly step: UpdaterWork["step"] | "download";
}

/**
 * The state of updates, written by root's updater: JSON in `STATE_FILE`, replaced as a whole. All users of the box may
 * read it, and only root may write it. Fields that are not named here are for other readers.
 */
export const UPDATER_STATE = objectOf(
  {
    running: objectOf({ ...RELEASE, slot: oneAmong("a", "b") }),
    /**
     * `trial`: started once, and kept only if it is healthy. `visit`: the other slot was started by the jumper, or by
     * hand; it is kept only on the owner's wish.
     */
    mode: oneAmong("normal", "trial", "visit"),
    offers: listOf(OFFER, 16),
    /** Releases that failed on this box. They are tried again only on the owner's wish. */
    failed: listOf(NUMBER_OF_RELEASE, 1_000),
  },
  {
    /** The complete release in the other slot, which "go back" starts. */
    other: objectOf(RELEASE),
    /** Written to the other slot and read back; `arm` restarts into it. */
    prepared: objectOf(RELEASE),
    work: WORK,
    /** As `UpdateOutcome`. */
    last: objectOf({
      kind: oneAmong("updated", "back", "failed", "interrupted", "refused"),
      ...RELEASE,
      at: COUNT,
      reason: orNull(SENTENCE),
    }),
    /** False once the board has ignored the flag for a trial; true once a trial has started on it. */
    canTry: FLAG,
    /** A sentence about a problem of a bundle, the card or a slot, with advice. */
    problem: SENTENCE,
    /** The time of the problem, epoch seconds by the box's clock, since the same may happen again. */
    problemAt: COUNT,
  },
);
export type UpdaterState = Fitting<typeof UPDATER_STATE>;

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
