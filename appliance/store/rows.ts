/** What is kept of a box's own things and of its owner's settings. Times are epoch milliseconds. */

import type { SiteKey } from "./counting.ts";
import type { SiteAlarms } from "./reports.ts";

/** What is kept of a deck. */
export interface DeckRow {
  readonly id: string;
  readonly model: string;
  readonly serial: string;
  readonly name: string;
  /** Percent. */
  readonly brightness: number;
  /** JSON: slot → widget, of a deck that was stored before there were pages. */
  readonly widgets: string;
  /** JSON: its pages and all else; null when it was stored before there were pages. */
  readonly settings: string | null;
  /** This box has written it, or read it through. */
  readonly checked: boolean;
}

/** A document as it is kept. */
export interface DocumentRow {
  readonly id: string;
  /** JSON. */
  readonly body: string;
}

/** What a site alarms of, and since when what stands. */
export interface SiteAlarmsRecord extends SiteAlarms {
  readonly site: SiteKey;
  readonly silenceSince: number | null;
  readonly rushSince: number | null;
}

/** What an import named, as it was before. */
export interface BeforeImport {
  readonly decks: readonly { readonly id: string; readonly row: DeckRow | undefined }[];
  readonly sites: readonly {
    readonly id: string;
    /** `none` when there was no such site. */
    readonly was: "there" | "retired" | "none";
    readonly host: string | null;
    readonly badge: boolean;
  }[];
}
