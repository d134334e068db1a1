/** What copying needs of either database. */

import type { Day } from "../../base/calendar.ts";
import type { ZoneSetting } from "../../base/day-zone.ts";
import type { SiteKey } from "../counting.ts";
import type { SurveyLabels } from "../reports.ts";
import type { SiteAlarmsRecord } from "../rows.ts";
import type { SiteRecord } from "../sites/directory.ts";
import type { DayCounts } from "./difference.ts";

/** Stands for all days past retention in what was taken over. */
export const PAST: Day = -1;
/** Stands for the admin token in the sites that were taken over. */
export const ADMIN_SITE = "";

/** A site with all that its owner has set. */
export interface CopySite extends SiteRecord {
  readonly retired: boolean;
  readonly labels: SurveyLabels;
  readonly alarms: SiteAlarmsRecord | undefined;
}

/** Counts by dimension, summed over all values. */
export type Sums = ReadonlyMap<string, number>;

/** What a copy cannot do, in a sentence for its owner. */
export class CopyRefused extends Error {
  override readonly name = "CopyRefused";
}

export interface CopyEnd {
  /** Names this data for good, backups of it included. */
  readonly id: string;
  /** For people: a folder, or an address without its password. */
  readonly name: string;
  /** True where it passes by itself, within moments or once the database is back. */
  isAway(error: unknown): boolean;
  /** What a person is told of it; undefined for what is nobody's doing. */
  problemOf(error: unknown): string | undefined;
  sites(): Promise<readonly CopySite[]>;
  adminHash(): Promise<Uint8Array | null>;
  /** By which days begin; null where nobody has named it. */
  dayZone(): Promise<ZoneSetting | null>;

  // What it remembers of the copies it took, by the id of their source. Both ends are asked, for what
  // came from the other one does not go back.
  /** Site there → site here, which may be erased since. */
  takenSites(source: string): Promise<ReadonlyMap<string, SiteKey>>;
  /** By day: what tells the state that was brought, null where some of it is missing; PAST is among them. */
  takenHashes(source: string, site: string): Promise<ReadonlyMap<Day, Uint8Array | null>>;
  taken(source: string, site: string, days: readonly Day[]): Promise<ReadonlyMap<Day, DayCounts>>;

  // What a comparison looks at.
  /** Of those days on which there is anything. */
  sums(site: SiteKey, days: readonly Day[]): Promise<ReadonlyMap<Day, Sums>>;
  /** Counters of all time, days past retention included. */
  totals(site: SiteKey): Promise<Sums>;
  /** How many responses there are, by `version day`. */
  surveySums(site: SiteKey): Promise<Sums>;
  /** Every day that retention has not dropped. */
  keptDays(): Promise<ReadonlySet<Day>>;

  close(): Promise<void>;
}
