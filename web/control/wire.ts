/**
 * The JSON of the control API as the Web UI reads it. Times are epoch milliseconds.
 */

import type { Widget } from "../../appliance/deck/face/widget.ts";
import type { Slot as SlotPlace } from "../../appliance/deck/usb/models.ts";

/** A key or zone: where it is, its size in pixels, and what it is set to show. */
export interface Slot extends SlotPlace {
  widget: Widget;
}

export interface Deck {
  id: string;
  model: string;
  name: string;
  serial: string | null;
  connected: boolean;
  virtual: boolean;
  /** percent */
  brightness: number;
  /** how sure the project is of this model: `HW`, `SRC`, `OFF`, `INF` or `untested` */
  evidence: string;
  slots: Slot[];
}

/** URLs of the Web UI on the own network; null where there is none. */
export interface AddressAnswer {
  number: string | null;
  name: string | null;
}

/** Something that keeps a deck from working, with what to do about it. */
export interface DeckProblem {
  /** `not_seen`, `no_permission`, `in_use`, `power` or `no_usb` */
  code: string;
  /** name of the model; empty when no deck in particular is meant */
  deck: string;
  /** USB port */
  port: string;
  message: string;
}

/** `GET /api/decks`, and the event `decks`. */
export interface DecksAnswer {
  decks: Deck[];
  problems: DeckProblem[];
}

/** The event `slot`: it shows another picture. The event `pressed` has no revision. */
export interface SlotEvent {
  deck: string;
  slot: string;
  revision: number;
}

export interface PushToken {
  id: string;
  name: string;
  /** the six characters after `tdp_` */
  prefix: string;
  /** empty while the token is paused */
  scopes: string[];
  createdAt: number;
  lastUsedAt: number | null;
}

/** A token with its plaintext, at creation and rotation only. */
export interface NewPushToken extends PushToken {
  token: string;
}

export interface PushChannel {
  channel: string;
  text: string;
  color: string | null;
  background: string | null;
  updatedAt: number;
  /** null for a value that stays */
  expiresAt: number | null;
  state: "live" | "expired";
  /** keys and zones on connected decks that show the channel */
  bound: number;
}

/** `GET /api/push-channels`, and the event `channels`. */
export interface ChannelsAnswer {
  channels: PushChannel[];
}

/** What a push was answered with. */
export interface PushAnswer {
  ok: true;
  channel: string;
  expiresAt: number | null;
  bound: number;
  replaced: number;
  truncated: boolean;
}

export interface Site {
  id: string;
  host: string | null;
  badge: boolean;
  /** declared in the configuration, which alone can change it */
  declared: boolean;
  /** whether it has a token of its own */
  hasToken: boolean;
  /** was declared once and is no more: it keeps its numbers, and can come back or be erased */
  retired: boolean;
}

/** `GET /api/sites`; the collector's port tells where the tag and the badge are loaded from. */
export interface SitesAnswer {
  sites: Site[];
  collector: { port: number };
}

/** `POST /api/settings/import?preview=1`: how much an import would add and change. */
export interface ImportPreview {
  keys: number;
  decks: { added: number; changed: number };
  sites: { added: number; changed: number };
}

/** `POST /api/settings/undo-import`: the sites that stay as they are. */
export interface UndoneImport {
  kept: string[];
}

/** `GET /api/rescue`, while the data cannot be used: why, in a sentence. */
export interface RescueAnswer {
  problem: string;
  /** true unless the data is whole for a newer version */
  mayStartAnew: boolean;
}
