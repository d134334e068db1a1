import { join } from "node:path";
import {
  entryOf,
  fieldsIn,
  hasFields,
  type Is,
  isFlag,
  isListOf,
  isMapOf,
  isText,
} from "../../base/input/json.ts";
import { MOST_RELEASE, type Release, type Slot } from "../../base/release/release.ts";
import { replaceFile, textOf } from "../../base/system/files.ts";
import type { UpdateOutcome } from "../../base/text/update-outcome.ts";
import { type Box, JOURNAL } from "./box.ts";

/**
 * The state of an attempt. `verified`: the other slot is being written and cannot start yet. `prepared`:
 * it is whole, on the card, and read back. `armed`: the next start is to be its trial. `started`: its
 * trial began.
 */
type AttemptState = (typeof STATES)[number];
const STATES = ["verified", "prepared", "armed", "started"] as const;

/** The plan for the other slot. */
export interface Attempt {
  readonly id: string;
  /** `back` starts the release that is in the slot already. */
  readonly kind: "update" | "back";
  readonly slot: Slot;
  readonly to: Release;
  /** The release that runs until then, and again when it fails. */
  readonly from: Release;
  readonly state: AttemptState;
  /**
   * Whether the release before cannot read data of this one. Then the data is copied first, and put back after a
   * failure.
   */
  readonly breaksData: boolean;
  /** The facts from before it was armed, for the trial to compare with. */
  readonly before?: unknown;
  /** The start of the machine in which it was armed, or in which its trial began. */
  readonly boot?: string;
  /** The number of times that it was armed and did not start, or could not be judged. */
  readonly interruptions?: number;
  /** Whether the reason of the failure may be outside of the release. */
  readonly isOutside?: boolean;
  /** A sentence of the trial, which gave up. */
  readonly reason?: string;
}

/** The way out of a kept release that was not well any more. */
export interface Retreat {
  /** The slot and the release that are left. */
  readonly slot: Slot;
  readonly release: number;
  /** Whether the other system has started since. */
  readonly isOver: boolean;
}

/** The updater's memory over restarts. */
export interface Journal {
  /** The highest release that was ever kept; 0 before the first start. */
  readonly highest: number;
  /** Releases that are tried again only on the owner's wish. */
  readonly failed: readonly number[];
  readonly attempt?: Attempt;
  readonly last?: UpdateOutcome;
  /** Undefined unless the box has left a kept release since one was last kept. */
  readonly retreat?: Retreat;
  /** False once the board has ignored the flag for a trial; true once a trial has started. */
  readonly canTry?: boolean;
  /** The format of the data that each slot's release writes, as far as it is known. */
  readonly formats?: Partial<Readonly<Record<Slot, number>>>;
  /** The root image of each slot, as far as it is known. */
  readonly images?: Partial<Readonly<Record<Slot, Image>>>;
  /** A slot whose content has changed since it was written. */
  readonly rotten?: Slot;
  /** Epoch seconds by the box's clock of the last successful check of the running slot. */
  readonly checkedAt?: number;
}

/** The root of a release. */
export interface Image {
  readonly release: number;
  /** Bytes. */
  readonly size: number;
  /** The hash in hexadecimal digits. */
  readonly sha256: string;
}

const NOTHING: Journal = { highest: 0, failed: [] };

/**
 * Reads the journal, which another release may have written. Unknown fields are kept. Invalid ones are dropped, since
 * every start would fail on them otherwise, and a damaged journal is started again.
 */
export function readJournal({ root }: Pick<Box, "root">): Journal {
  const read = fieldsIn(textOf(join(root, JOURNAL)));
  const fit = Object.entries(read).filter(([name, value]) => entryOf(KNOWN, name)?.(value) ?? true);
  return { ...NOTHING, ...Object.fromEntries(fit) };
}

const isCount: Is = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const isNumber: Is = (value) => isCount(value) && Number(value) <= MOST_RELEASE;
const isSlot: Is = (value) => value === "a" || value === "b";
const RELEASE = { release: isNumber, version: isText };

/** Whether it has the fields of an attempt that other releases need. */
export const isAttempt: Is = hasFields({
  id: isText,
  kind: (kind) => kind === "update" || kind === "back",
  slot: isSlot,
  to: hasFields(RELEASE),
  from: hasFields(RELEASE),
  state: (value) => STATES.some((state) => state === value),
});

const KNOWN: Readonly<Record<string, Is>> = {
  highest: isNumber,
  failed: isListOf(isNumber),
  attempt: isAttempt,
  last: hasFields({
    ...RELEASE,
    kind: isText,
    // A higher number is no valid date.
    at: (at) => isCount(at) && Number(at) < 1e11,
    reason: (reason) => reason === null || isText(reason),
  }),
  retreat: hasFields({ slot: isSlot, release: isNumber, isOver: isFlag }),
  canTry: isFlag,
  formats: isMapOf(isCount),
  images: isMapOf(hasFields({ release: isNumber, size: isCount, sha256: isText })),
  rotten: isSlot,
  checkedAt: isCount,
};

/** Writes the journal, which is on the card when this returns. */
export function writeJournal({ root }: Pick<Box, "root">, journal: Journal): void {
  replaceFile(join(root, JOURNAL), JSON.stringify(journal), 0o600);
}
