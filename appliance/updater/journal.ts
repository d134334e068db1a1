import { join } from "node:path";
import { replaceFile, textOf } from "../base/files.ts";
import type { Release, Slot } from "../release/release.ts";
import type { Outcome } from "../release/told.ts";
import { type Box, JOURNAL } from "./box.ts";

/**
 * How far an attempt is. `verified`: the other slot is being written, and is nothing yet. `prepared`:
 * it is whole, on the card, and read back. `armed`: the next start is to be its trial. `started`: its
 * trial began.
 */
type AttemptState = "verified" | "prepared" | "armed" | "started";

/** What is to become of the other slot. */
export interface Attempt {
  readonly id: string;
  /** `back` starts what is in the slot already. */
  readonly kind: "update" | "back";
  readonly slot: Slot;
  readonly to: Release;
  /** What runs until then, and again when it fails. */
  readonly from: Release;
  readonly state: AttemptState;
  /** What it writes cannot be read by what ran before: the data is kept first, and brought back. */
  readonly breaksData: boolean;
  /** What was well before it was armed, for the trial to compare with. */
  readonly before?: unknown;
  /** The start of the machine in which its trial began. */
  readonly boot?: string;
  /** How often it was armed and did not start. */
  readonly interruptions?: number;
  /** A sentence of the trial, which gave up. */
  readonly reason?: string;
}

/** What the updater knows over restarts. */
export interface Journal {
  /** The highest release that was ever kept; 0 before the first start. */
  readonly highest: number;
  /** None of these is tried again unless its owner asks for it. */
  readonly failed: readonly number[];
  readonly attempt?: Attempt;
  readonly last?: Outcome;
  /** False once the board did not keep the wish for a trial; true once a trial started. */
  readonly canTry?: boolean;
  /** The format of the data that each slot's release writes, as far as it is known. */
  readonly formats?: Partial<Readonly<Record<Slot, number>>>;
  /** What the root of each slot is, as far as it is known. */
  readonly images?: Partial<Readonly<Record<Slot, Image>>>;
  /** A slot whose image is not what was written there. */
  readonly rotten?: Slot;
}

/** The root of a release. */
export interface Image {
  readonly release: number;
  /** Bytes. */
  readonly size: number;
  /** In hexadecimal digits. */
  readonly sha256: string;
}

const NOTHING: Journal = { highest: 0, failed: [] };

/** Another release may have written it: what is not known is kept. One that is garbled is begun anew. */
export function readJournal({ root }: Pick<Box, "root">): Journal {
  try {
    const read: unknown = JSON.parse(textOf(join(root, JOURNAL)) ?? "{}");
    return typeof read === "object" ? { ...NOTHING, ...read } : NOTHING;
  } catch {
    return NOTHING;
  }
}

/** It is on the card when this returns. */
export function writeJournal({ root }: Pick<Box, "root">, journal: Journal): void {
  replaceFile(join(root, JOURNAL), JSON.stringify(journal), 0o600);
}
