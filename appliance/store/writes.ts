/**
 * Every change to the data that is not a hit, by name. An engine runs each in a transaction, and answers after
 * the commit.
 */

import type { ValueRule } from "../base/text/dimensions.ts";
import type { DocumentsChange } from "./changes.ts";
import type { MonthWrite, RestWrite } from "./imports/imports.ts";
import type { Disobeyed, HomeWord } from "./places/obey.ts";
import type { DaysTake, PlaceTake, PlaceTaken } from "./places/take.ts";
import type { AlarmSince } from "./sites/alarms.ts";
import type { RuleOutcome, ShareOutcome, SiteInput, SiteOutcome } from "./sites/directory.ts";
import type { ShareUse, SiteShare } from "./sites/shares.ts";
import type { SourceNumber } from "./snapshot.ts";

/** The things that an import named, as they were before. */
export interface BeforeImport {
  /** The changes that put the documents back. */
  readonly documents: readonly DocumentsChange[];
  readonly sites: readonly {
    readonly id: string;
    /** The state before; `none` for a site that did not exist. */
    readonly was: "there" | "retired" | "none";
    readonly host: string | null;
    readonly badge: boolean;
  }[];
}

/** Changes of a site and of the tokens that read it, which have an outcome: the fleet's, where there is one. */
interface SiteWrites {
  /** Adds a site, or brings back a retired one with its numbers. */
  createSite(input: SiteInput): SiteOutcome;
  updateSite(input: SiteInput): SiteOutcome;
  /** The numbers, the token and the host stay with the site. A retired one stays retired. */
  renameSite(input: { readonly id: string; readonly to: string }): SiteOutcome;
  /** Removes a site at once; upkeep erases its counts. */
  eraseSite(input: { readonly id: string }): SiteOutcome;
  /** A null hash revokes the token. */
  setSiteToken(input: { readonly id: string; readonly hash: Uint8Array | null }): SiteOutcome;
  /** Shares a site by one more link. */
  shareSite(input: { readonly id: string; readonly share: SiteShare }): ShareOutcome;
  /** Takes a link of a site back, by the link's id. */
  unshareSite(input: { readonly id: string; readonly share: string }): ShareOutcome;
  /** Makes values of a site one: what comes from now on, and by the next settlements what is there. */
  mergeValues(input: { readonly id: string; readonly rule: ValueRule }): RuleOutcome;
  /** Takes a rule for what comes back; what was made one stays. */
  forgetRule(input: {
    readonly id: string;
    readonly rule: Pick<ValueRule, "dimension" | "from">;
  }): RuleOutcome;
  /** Replaces a setting of a site, one of SITE_SETTINGS by its name. */
  setOfSite(input: {
    readonly id: string;
    readonly kind: string;
    readonly body: unknown;
  }): SiteOutcome;
}

/** All changes of the numbers and their sites. */
interface FleetWrites extends SiteWrites {
  /** Removes some rows of a source; `more` asks for another call. */
  deleteSource(input: { readonly number: SourceNumber }): "done" | "more" | "unknown";
  /** Writes a month of an import. @returns false where others have changed something meanwhile */
  importMonth(input: MonthWrite): boolean;
  /** Writes what an import has besides. */
  importRest(input: RestWrite): void;
  /** Makes the sites of a place those of its home. @returns those that are not */
  obeyHome(input: HomeWord): readonly Disobeyed[];
  /** Writes days that came from a place. */
  takePlaceDays(input: DaysTake): PlaceTaken;
  /** Counts what else came from a place. */
  takePlace(input: Omit<PlaceTake, "days">): PlaceTaken;
  /** Makes all changes of documents or none. */
  changePlaces(input: readonly DocumentsChange[]): void;
  saveAlarmSince(input: AlarmSince): void;
  saveShareUse(input: ShareUse): void;
}

/** Changes of data that belongs to this box. */
interface LocalWrites {
  /** Makes all changes or none. */
  changeDocuments(input: DocumentsChange): void;
  /** Notes when (epoch ms) it was found that writes are taken. */
  touch(input: number): void;
}

/** Changes of both: each engine does its part. */
interface SharedWrites {
  /**
   * Sets the admin token, and signs out all sessions but the one with the stored id `kept`. A null hash revokes the
   * token.
   */
  setAdminToken(input: { readonly hash: Uint8Array | null; readonly kept: string | null }): void;
  /**
   * Adds and changes sites, tokens and documents from settings, and deletes none. Sites that the configuration declares
   * stay as they are. The caller has to check that no host and no name of a token belongs to another site.
   */
  importSettings(input: {
    readonly sites: readonly SiteInput[];
    readonly documents: readonly DocumentsChange[];
  }): BeforeImport;
  /**
   * Undoes an import.
   * @returns the sites that stay as they are: new ones with counts, and those whose host belongs to another site by
   *   now
   */
  undoImport(input: BeforeImport): string[];
}

type Writes = FleetWrites & LocalWrites & SharedWrites;
export type WriteName = keyof Writes;
export type PlannedWriteName = keyof SiteWrites;
/** The changes that a database that many share makes. */
export type FleetWriteName = keyof (FleetWrites & SharedWrites);
/** Writes by their place: the numbers, the box, or both. */
export type NumbersWriteName = keyof FleetWrites;
export type LocalWriteName = keyof LocalWrites;
export type SharedWriteName = keyof SharedWrites;

export type WriteInput<W extends WriteName> = Parameters<Writes[W]>[0];
export type WriteResult<W extends WriteName> = ReturnType<Writes[W]>;
