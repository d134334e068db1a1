/** The rows of a box's own things and of its owner's settings. Times are epoch milliseconds. */

import type { DocumentKind } from "../base/documents.ts";
import type { SiteKey } from "./counting.ts";
import type { SiteAlarms } from "./reports.ts";

/** A document as it is kept. */
export interface DocumentRow {
  readonly id: string;
  /** JSON. */
  readonly body: string;
  /** See Document. */
  readonly revision: number;
  readonly size: number;
}

/** Documents of a kind that are added or replaced, and others that go. */
export interface DocumentsChange {
  /** Without bounds where who plans the change has seen to them. */
  readonly kind: Pick<DocumentKind, "name" | "full" | "of"> & Partial<Pick<DocumentKind, "bound">>;
  readonly put: readonly {
    /** Null for a site that is new: it gets the next number. */
    readonly id: string | null;
    /** JSON. */
    readonly body: string;
    readonly file?: Uint8Array | undefined;
    /** Stays as a backup had it. */
    readonly revision?: 0 | undefined;
  }[];
  /** Their ids; one that is not there is no error. */
  readonly remove: readonly string[];
  /** All others of the kind go, but the one of this id, where there is any. */
  readonly keepOnly?: string | null;
}

/** The alarms of a site that are on, and since when each stands; null where it does not. */
export interface SiteAlarmsRecord extends SiteAlarms {
  readonly site: SiteKey;
  readonly silenceSince: number | null;
  readonly rushSince: number | null;
}

/** The things that an import named, as they were before. */
export interface BeforeImport {
  /** The changes that put the documents back. */
  readonly documents: readonly DocumentsChange[];
  readonly sites: readonly {
    readonly id: string;
    /** `none` when there was no such site. */
    readonly was: "there" | "retired" | "none";
    readonly host: string | null;
    readonly badge: boolean;
  }[];
}
