/** The interface of the owner's tunnel; the firewall and the network's files know it by this name. */
export const TUNNEL = "tallydeck-wg";

/** The state of the tunnel, as root tells it to the service. */
export interface TunnelState {
  /** It is the card's, and can be changed there only. */
  readonly declared: boolean;
  readonly endpoint: string;
  /** The box's own. */
  readonly addresses: readonly string[];
  /** The box's own, for the server to know. */
  readonly publicKey: string;
}

/** The files by which the service asks root for another tunnel, or for none. */
export const ASKED_TUNNEL = { make: "wireguard.conf", remove: "remove" } as const;
