/** The interface of the owner's tunnel, which the firewall and the network's files name, too. */
export const TUNNEL = "tallydeck-wg";

/** The state of the tunnel, from root for the service. */
export interface TunnelState {
  /** It is the card's, and can be changed there only. */
  readonly declared: boolean;
  readonly endpoint: string;
  /** The box's own. */
  readonly addresses: readonly string[];
  /** The box's own public key, for the configuration of the server. */
  readonly publicKey: string;
}

/** Files with requests to root, for another tunnel or for none. */
export const ASKED_TUNNEL = { make: "wireguard.conf", remove: "remove" } as const;
