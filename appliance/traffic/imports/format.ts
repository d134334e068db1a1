import type { Day } from "../../base/calendar.ts";
import type { ImportedCounts } from "../../store/desk.ts";
import type { Lack } from "../../store/reports.ts";
import type { Sheet } from "./files/input.ts";

/** Things that no file of another tool knows: it has no touches, and nothing of how pages were read. */
export const NEVER_KNOWN: readonly Lack[] = ["hi", "time"];
/** The same of one with sums of days. */
export const KNOWN_BY_DAY: readonly Lack[] = [...NEVER_KNOWN, "hours"];

/** The things in a file of ours besides its days. */
export interface ImportRest {
  /** Counters of days that were no longer kept; null where the file is of another tool. */
  past: Record<string, number> | null;
  readonly surveys: {
    readonly number: number;
    readonly day: Day;
    readonly version: number;
    readonly payload: string;
  }[];
  /** Settings of the site, by the name of their kind. */
  readonly settings: Map<string, unknown>;
}

/** Takes the counts of a file. */
export interface Sink {
  readonly counts: ImportedCounts;
  /** Hours since 1970 in the owner's zone, of a moment in epoch milliseconds. */
  hourAt(epochMs: number): number;
  /** The day of a text like `2026-01-31`; undefined, and told as left out, where it is none that can be counted. */
  dayOf(text: string): Day | undefined;
  /** The same of an hour since 1970; NaN is none. */
  dayOfHour(hour: number): Day | undefined;
  /** Notes the zone by which the file's days begin, an IANA name, where it says so. */
  zone(name: string): void;
  /** Notes what the file does not know of a day, in place of what was noted before. */
  lack(day: Day, lacks: readonly Lack[]): void;
  /** Notes what it knows of no day. */
  lackAlways(lacks: readonly Lack[]): void;
  /** Takes what a file of ours has besides counts. */
  readonly rest: ImportRest;
  /** Notes a sentence for the owner about the file. */
  note(sentence: string): void;
  /** Notes rows that are left out, by their kind. */
  leave(what: string, rows?: number): void;
}

/** A format of files from elsewhere. */
export interface Format {
  /** For people. */
  readonly name: string;
  /**
   * The days of the file: by a zone that it does not name, by UTC, or by ours since it has the time of each request.
   */
  readonly days: "unknown" | "UTC" | "ours";
  /** The number of times that it reads its files; once unless given. */
  readonly readings?: number;
  /**
   * Whether a file is of this format.
   * @throws {ImportRefused} with the right way to export, where it only looks like it
   */
  recognises(sheets: readonly Sheet[]): boolean;
  /** Reads all of it. @throws {ImportRefused} */
  read(sheets: readonly Sheet[], sink: Sink): Promise<void>;
}
