/** The shapes in which copying has either database. */

import type { Day } from "../../base/calendar.ts";
import type { Clock } from "../../base/clock.ts";
import type { SourceKind } from "../../base/text/source-name.ts";
import type { SiteKey } from "../counting.ts";
import type { SiteRecord } from "../sites/directory.ts";
import type { SourceNumber } from "../snapshot.ts";
import type { Db, Transaction } from "../sql.ts";

/** A site with all its settings. */
export interface CopySite extends SiteRecord {
  readonly retired: boolean;
  /** The site's settings, by the names of SITE_SETTINGS. */
  readonly settings: ReadonlyMap<string, unknown>;
}

/** Counts by name, summed over all values. */
export type Sums = ReadonlyMap<string, number>;

/** The counts of one database under one origin, in a database that has them. */
export interface Source {
  readonly number: SourceNumber;
  /** Names it for good, wherever it is copied to. */
  readonly origin: string;
  /** The name for people. */
  readonly name: string;
  readonly kind: SourceKind;
  /** See imports/about; null for other kinds. */
  readonly about: string | null;
}

export interface CopiedSurvey {
  readonly id: number;
  /** The database that it came from, and its number there. */
  readonly source: SourceNumber;
  readonly number: number;
  readonly site: SiteKey;
  readonly version: number;
  readonly day: Day;
  readonly payload: string;
}

/** A copy cannot start or go on; the message is a sentence for its owner. */
export class CopyRefused extends Error {
  override readonly name = "CopyRefused";
}

/** An engine, as far as copying needs it. */
export interface CopyEngine {
  /** The origin of new counts. */
  readonly origin: string;
  /** The name for people: a folder, or an address without its password. */
  readonly name: string;
  /** Whether an error passes by itself, within moments or once the database is back. */
  isAway(error: unknown): boolean;
  /** A sentence for the owner; undefined for an error that no owner can fix. */
  problemOf(error: unknown): string | undefined;
  readonly db: Pick<Db, "transaction">;
  /** The server that a transaction reads from: on another one the numbers of the log may mean something else. */
  server(sql: Transaction): Promise<string>;
  close(): Promise<void>;
}

/** Options with which a database is opened. */
export interface Opening {
  readonly clock: Clock;
  /** 0–1. */
  readonly random: () => number;
  /** The flag that named it, for sentences: `--to`. */
  readonly flag: string;
  /** Whether it is the target, which is made where there is none; a source is only read. */
  readonly isTarget: boolean;
}
