/** What copying needs of either database. */

import type { Day } from "../../base/calendar.ts";
import type { Clock } from "../../base/clock.ts";
import type { SiteKey } from "../counting.ts";
import type { Soon } from "../counts/source.ts";
import type { SurveyLabels } from "../reports.ts";
import type { SiteAlarmsRecord } from "../rows.ts";
import type { Directory, SiteRecord } from "../sites/directory.ts";
import type { SiteChange } from "../sites/draft.ts";
import type { BlockRow, LogRow, Snapshot, SourceNumber } from "../snapshot.ts";
import type { Rows } from "../sql.ts";

/** A site with all that its owner has set. */
export interface CopySite extends SiteRecord {
  readonly retired: boolean;
  readonly labels: SurveyLabels;
  readonly alarms: SiteAlarmsRecord | undefined;
}

/** Counts by name, summed over all values. */
export type Sums = ReadonlyMap<string, number>;

/** What one database counted under one origin, as any database has it that knows of it. */
export interface Source {
  readonly number: SourceNumber;
  /** Names it for good, wherever it is copied to. */
  readonly origin: string;
  /** For people. */
  readonly name: string;
}

export interface CopiedSurvey {
  readonly id: number;
  /** Where it came from, and what it is called by there. */
  readonly source: SourceNumber;
  readonly number: number;
  readonly site: SiteKey;
  readonly version: number;
  readonly day: Day;
  readonly payload: string;
}

/** What a copy cannot do, in a sentence for its owner. */
export class CopyRefused extends Error {
  override readonly name = "CopyRefused";
}

/** One database, in a transaction. */
export interface CopyAccess {
  /** SQL that either engine understands: values are `$1` …, a conflict names its columns. */
  readonly rows: Rows;
  /** Several that do not need each other's rows. @returns the rows of each */
  all(
    statements: readonly { readonly text: string; readonly values: readonly unknown[] }[],
  ): Promise<readonly (readonly object[])[]>;
  readonly snapshot: Snapshot;
  /** What is counted there now. */
  own(): Soon<Pick<Source, "number" | "origin">>;
  /** In one that writes nobody else changes it until the end. */
  directory(): Soon<Directory>;
}

export interface CopyWrites extends CopyAccess {
  carryOut(changes: readonly SiteChange[]): Soon<void>;
  /**
   * Blocks are others at the end: who settles meanwhile prepares anew, and who else would change blocks waits.
   */
  passGeneration(): Soon<void>;
  /** Adds a block, or puts it in the place of the one that is there. */
  put(block: BlockRow): Soon<void>;
  /** A row of the log holds nothing from now on; its number stays. */
  empty(row: LogRow): Soon<void>;
  /** New ones, ascending. */
  surveyIds(n: number): Soon<readonly number[]>;
}

/** What copying needs of an engine. */
export interface CopyEngine {
  /** Of what it counts now. */
  readonly origin: string;
  /** For people: a folder, or an address without its password. */
  readonly name: string;
  /** True where it passes by itself, within moments or once the database is back. */
  isAway(error: unknown): boolean;
  /** What a person is told of it; undefined for what is nobody's doing. */
  problemOf(error: unknown): string | undefined;
  /** All that is read is of one moment. */
  read<T>(task: (access: CopyAccess) => Promise<T>): Promise<T>;
  /** All of it or nothing; `task` may run more than once. */
  write<T>(task: (access: CopyWrites) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** What it takes to open a database. */
export interface Opening {
  readonly clock: Clock;
  /** 0–1. */
  readonly random: () => number;
  /** By which it was named, for sentences: `--to`. */
  readonly flag: string;
  /** It is copied to, and made where there is none; else it is only read. */
  readonly isTarget: boolean;
}
