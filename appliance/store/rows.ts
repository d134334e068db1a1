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

/** A push token as it is kept. */
export interface PushTokenRow {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  /** SHA-256 of the plaintext. */
  readonly hash: Uint8Array;
  readonly paused: boolean;
  readonly mayRead: boolean;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
}

/** Somebody who is signed in. */
export interface SessionRow {
  /** SHA-256 of the cookie. */
  readonly hash: Uint8Array;
  readonly expiresAt: number;
}

/** A push channel as it is kept over a restart. */
export interface ChannelRow {
  readonly channel: string;
  /** JSON. */
  readonly kept: string;
}

/** The box at an MQTT broker; `settings` and `announced` are JSON, null where there are none. */
export interface MqttRow {
  readonly box: string;
  readonly settings: string | null;
  readonly announced: string | null;
}

/** How the internet reaches the box; `settings` is JSON. */
export interface PublicAddressRow {
  readonly settings: string;
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
