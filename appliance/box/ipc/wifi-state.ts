/** The address of the box on its own set-up network: of TEST-NET-1 (RFC 5737), so that it is nobody's and not private. */
export const SET_UP_ADDRESS = "192.0.2.1";

/** Where a phone on the set-up network finds the form. */
export const SET_UP_URL = `http://${SET_UP_ADDRESS}/`;

/** The reasons why a network was not joined. */
export type WifiReason = "not-accepted" | "not-found" | "no-address" | "failed";

/** A network that was not joined. */
export interface WifiTrouble {
  readonly reason: WifiReason;
  /** Its name for people. */
  readonly network: string;
  /** Epoch milliseconds by the box's clock; null while that is not sure. */
  readonly at: number | null;
}

/** The state of the Wi-Fi, from root for the service. */
export interface WifiState {
  /**
   * `idle`: nothing to do; `scanning`, `open`, `joining`: a set-up runs; `over`: its time or its tries ended; `changing`:
   * the owner's change in the Web UI is tried.
   */
  readonly phase: "idle" | "scanning" | "open" | "joining" | "over" | "changing";
  /** The box's own network, while it is open. */
  readonly own: { readonly name: string; readonly key: string } | null;
  /** The phones on it. */
  readonly phones: number;
  /** Whether the box's own network did open when it was tried last; null before. */
  readonly hasOpened: boolean | null;
  /** The most phones that were on it at a time. */
  readonly mostPhones: number;
  /** The network that is being joined, or that was joined last. */
  readonly network: string | null;
  readonly trouble: WifiTrouble | null;
  /** Whether the network that was joined leads to the internet; null while that is unknown. */
  readonly hasInternet: boolean | null;
  /** Whether this box has a radio. */
  readonly hasRadio: boolean;
  /** Whether the box never had a network: then a restart begins a set-up by itself. */
  readonly isNew: boolean;
}

/** Files with requests to root, and with what it has to know. */
export const ASKED_WIFI = {
  /** Opens the set-up network. */
  begin: "begin",
  /** Joins another network: a `WifiRequest`. */
  join: "join.json",
  /** A key was without network for a while. */
  look: "look",
  /** Is there while a deck shows pictures. */
  shown: "deck",
} as const;

/** In root's own folder: the card or a jumper asks at this start for a set-up, whatever network answers. */
export const INSISTED_WIFI = "insisted";

/** The owner's wish for another network. */
export interface WifiRequest {
  readonly name: string;
  /** Empty for an open network. */
  readonly password: string;
  /** Two letters; empty: as it was. */
  readonly country: string;
  readonly hidden: boolean;
}
