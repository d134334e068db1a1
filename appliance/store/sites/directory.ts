import { readZoneSetting, unknownZoneIn, type ZoneSetting } from "../../base/day-zone.ts";
import type { SiteKey } from "../counting.ts";

/** A site as the database knows it. */
export interface SiteRecord {
  readonly key: SiteKey;
  readonly id: string;
  /** The collector's own domain for the site, or null. */
  readonly host: string | null;
  readonly badge: boolean;
  /** True while the configuration names it: then it cannot be changed elsewhere. */
  readonly declared: boolean;
  /** SHA-256 of the site's own token, or null. */
  readonly tokenHash: Uint8Array | null;
  /** SHA-256 of the token in the link by which it is shared, or null. */
  readonly shareHash: Uint8Array | null;
}

/** All that decides which site a request is for, who may read it, and on which day it counts. */
export interface Directory {
  /** All but the retired. */
  readonly sites: readonly SiteRecord[];
  /**
   * The sites that the configuration named once and names no more: numbers are kept, nothing else.
   */
  readonly retired: readonly SiteRecord[];
  readonly adminHash: Uint8Array | null;
  /** By which zone days are counted; null for UTC, because none has been named. */
  readonly dayZone: ZoneSetting | null;
  /** A zone was named that this machine does not know; it counts by UTC. */
  readonly unknownZone?: string | undefined;
}

export const EMPTY_DIRECTORY: Directory = {
  sites: [],
  retired: [],
  adminHash: null,
  dayZone: null,
};

/** A site as a row of a database. */
export type SiteRow = SiteRecord & { readonly retired: boolean };

/** @param dayZone what is noted of it; null where nothing is */
export function directoryOf(
  rows: readonly SiteRow[],
  adminHash: Uint8Array | null,
  dayZone: string | null,
): Directory {
  const records = (retired: boolean) =>
    rows.filter((row) => row.retired === retired).map(({ retired: _, ...record }) => record);
  const unknownZone = unknownZoneIn(dayZone);
  return {
    sites: records(false),
    retired: records(true),
    adminHash,
    dayZone: readZoneSetting(dayZone),
    ...(unknownZone !== undefined && { unknownZone }),
  };
}

/** A site that is not retired. */
export function siteIn({ sites }: Directory, id: string): SiteRecord | undefined {
  return sites.find((site) => site.id === id);
}

export function retiredIn({ retired }: Directory, id: string): SiteRecord | undefined {
  return retired.find((site) => site.id === id);
}

/** A site as the configuration names it. */
export interface DeclaredSite {
  readonly id: string;
  readonly host: string | null;
}

/** The outcome of a change; nothing is changed unless it is done. */
export type SiteOutcome =
  | "done"
  | "exists"
  | "not_found"
  | "declared"
  | "host_taken"
  /** There are as many as may be. */
  | "too_many"
  /** Another site's token has the same name. */
  | "same_token_name"
  /** It can only be brought back, or erased. */
  | "retired";

export interface SiteInput {
  readonly id: string;
  readonly host?: string | null | undefined;
  readonly badge?: boolean | undefined;
  /** By which days are counted, where it is the first site and no zone has been named. */
  readonly zone?: string | undefined;
}
