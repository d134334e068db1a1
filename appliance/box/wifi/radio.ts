import type { WifiReason } from "../ipc/wifi-state.ts";
import type { AccessPoint } from "./channels.ts";

/** A network of the neighbourhood. */
export interface SeenNetwork {
  /** Its name: 1 to 32 bytes, in hexadecimal. */
  readonly ssid: string;
  readonly isOpen: boolean;
  /** dBm */
  readonly signal: number;
}

export interface Scan {
  /** Networks that the box can join, the strongest first. */
  readonly networks: readonly SeenNetwork[];
  /** All that sends; none where the radio does not tell. */
  readonly heard: readonly AccessPoint[];
}

/** A network to join. */
export interface JoinRequest {
  /** Its name in hexadecimal. */
  readonly ssid: string;
  /** Empty for an open network. */
  readonly password: string;
  /** Two letters; empty: as it was. */
  readonly country: string;
  readonly isHidden: boolean;
}

export interface OwnNetwork {
  readonly name: string;
  readonly key: string;
  /** 1, 6 or 11 */
  readonly channel: number;
}

export type JoinEnd =
  | { readonly joined: true; readonly hasInternet: boolean }
  | { readonly joined: false; readonly reason: WifiReason };

/** The state of the radio as it is now. */
export interface RadioState {
  readonly hasRadio: boolean;
  /** Whether the own network can be joined. */
  readonly isUp: boolean;
  /** Phones on the own network; 0 while it is not open. */
  readonly phones: number;
  /** The wireless interface's own address in somebody's network. */
  readonly isOnline: boolean;
}

/** The wireless interface: a station or an access point, never both. Another program could stand behind it. */
export interface Radio {
  scan(signal: AbortSignal): Promise<Scan>;
  start(own: OwnNetwork, signal: AbortSignal): Promise<void>;
  /** Closes it: the interface is a station again. */
  stop(): Promise<void>;
  /**
   * Joins a network, or, without one, any that is known. A network that was not joined is forgotten, and those before
   * are as they were.
   */
  join(wish: JoinRequest | undefined, signal: AbortSignal): Promise<JoinEnd>;
  state(): Promise<RadioState>;
}
