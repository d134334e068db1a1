import { join } from "node:path";
import {
  entryOf,
  fieldsIn,
  type Guarded,
  hasFields,
  type Is,
  isFlag,
  isListOf,
  isMapOf,
  isText,
} from "../../base/input/json.ts";
import { MOST_RELEASE, type Slot } from "../../base/release/release.ts";
import { replaceFile, textOf } from "../../base/system/files.ts";
import type { UpdateOutcome } from "../../base/text/update-outcome.ts";
import { type Box, JOURNAL } from "./box.ts";

const isCount: Is<number> = (value): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0;
const isNumber: Is<number> = (value): value is number => isCount(value) && value <= MOST_RELEASE;
const isSlot: Is<Slot> = (value) => value === "a" || value === "b";
const RELEASE = { release: isNumber, version: isText };

/** The fields of an attempt that other releases need. */
const isBegun = hasFields({
  id: isText,
  /** `back` starts the release that is in the slot already. */
  kind: (kind) => kind === "update" || kind === "back",
  slot: isSlot,
  to: hasFields(RELEASE),
  /** The release that runs until then, and again when it fails. */
  from: hasFields(RELEASE),
  /**
   * `verified`: the other slot is being written and cannot start yet. `prepared`: it is whole, on the card, and read
   * back. `armed`: the next start is to be its trial. `started`: its trial began.
   */
  state: (state) =>
    state === "verified" || state === "prepared" || state === "armed" || state === "started",
});

/** The plan for the other slot. */
export interface Attempt extends Guarded<typeof isBegun> {
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
export const isAttempt = isBegun as Is<Attempt>;

/** The way out of a kept release that was not well any more: the slot and the release that are left. */
const isRetreat = hasFields({
  slot: isSlot,
  release: isNumber,
  /** Whether the other system has started since. */
  isOver: isFlag,
});
export type Retreat = Guarded<typeof isRetreat>;

/** The root of a release: bytes, and the hash in hexadecimal digits. */
const isImage = hasFields({ release: isNumber, size: isCount, sha256: isText });
export type Image = Guarded<typeof isImage>;

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

const KNOWN: Readonly<Record<string, Is>> = {
  highest: isNumber,
  failed: isListOf(isNumber),
  attempt: isAttempt,
  last: hasFields({
    ...RELEASE,
    kind: isText,
    // A higher number is no valid date.
    at: (at): at is number => isCount(at) && at < 1e11,
    reason: (reason) => reason === null || isText(reason),
  }),
  retreat: isRetreat,
  canTry: isFlag,
  formats: isMapOf(isCount),
  images: isMapOf(isImage),
  rotten: isSlot,
  checkedAt: isCount,
};

/** Writes the journal, which is on the card when this returns. */
export function writeJournal({ root }: Pick<Box, "root">, journal: Journal): void {
  replaceFile(join(root, JOURNAL), JSON.stringify(journal), 0o600);
}
