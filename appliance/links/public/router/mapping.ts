import type { Clock } from "../../../base/clock.ts";
import type { AskOutside } from "../ask.ts";
import type { Gateway } from "./gateway.ts";

/** A port of the router that leads to this box. */
export interface Mapping {
  readonly by: "pcp" | "natpmp" | "igd";
  readonly internalPort: number;
  readonly externalPort: number;
  /** The router's outer IPv4 address, if it reports that. */
  readonly address?: string;
  /** Seconds; 0: until it is deleted, or the router forgets. */
  readonly lifetimeS: number;
  /** The proof that it is ours, 24 hexadecimal digits; PCP only. */
  readonly nonce?: string;
}

export type RefusedWhy =
  | "not-allowed"
  | "no-room"
  | "no-internet"
  /** The router is offline, or behind another that has a public address. */
  | "no-public-address"
  | "router-behind-router"
  | "not-supported"
  | "failed";

/**
 * `conflict`: the port leads elsewhere already. `no-router`: no answer, or none that makes sense; a
 * mapping that was granted before may still be there.
 */
export type PortAnswer =
  | { readonly kind: "open"; readonly mapping: Mapping }
  | { readonly kind: "refused"; readonly by: Mapping["by"]; readonly why: RefusedWhy }
  | { readonly kind: "conflict"; readonly by: Mapping["by"] }
  | { readonly kind: "no-router" };

/** The TCP ports outside and in this box. */
export interface PortPair {
  readonly internal: number;
  readonly external: number;
}

/** Ports of routers, and the port for answers to a search. Tests use others. */
export interface RouterPorts {
  /** UDP, for PCP and NAT-PMP. */
  readonly control: number;
  /** The UDP group for announcements of restarts by PCP and NAT-PMP. */
  readonly announced: { readonly address: string; readonly port: number };
  /** UDP, where devices of UPnP say that they are there. */
  readonly notified: { readonly address: string; readonly port: number };
  /** UDP, for the search of UPnP. */
  readonly search: { readonly address: string; readonly port: number };
  /** UDP of this box; 0: any. */
  readonly searchFrom: number;
}

export interface GatewayClient {
  readonly gateway: Gateway;
  readonly ports: RouterPorts;
  readonly ask: AskOutside;
  readonly clock: Clock;
  /** 24 hexadecimal digits, the id of the mapping. */
  readonly nonce: string;
  /** Ends a request, as without an answer. */
  readonly signal: AbortSignal;
}

/** A way to ask a router. Each of its questions takes seconds at most, and none rejects. */
export interface PortProtocol {
  /** Creates or renews a mapping. */
  map(pair: PortPair, talk: GatewayClient): Promise<PortAnswer>;
  /** @returns whether the router has confirmed the removal */
  unmap(mapping: Mapping, talk: GatewayClient): Promise<boolean>;
  /** The router's outer IPv4 address, if it reports that without a mapping. */
  outerAddress?(talk: GatewayClient): Promise<string | undefined>;
}

/** The requested lifetime. */
export const LIFETIME_S = 7_200;
/** A router that grants less, or more, is taken at this. */
const LEAST_LIFETIME_S = 120;
const MOST_LIFETIME_S = 86_400;

/** Seconds that a router granted, within reason. */
export function lifetimeOf(granted: number): number {
  return Math.min(Math.max(granted, LEAST_LIFETIME_S), MOST_LIFETIME_S);
}

const SOONEST_MS = 60_000;
/**
 * A request again by then mends a router that was restarted, and learns of another outer address.
 */
const LATEST_MS = 600_000;

/** Milliseconds until the renewal of a mapping: half of its life, and 10 min at most. */
export function renewAfter({ lifetimeS }: Mapping): number {
  if (lifetimeS === 0) return LATEST_MS;
  return Math.min(Math.max(lifetimeS * 500, SOONEST_MS), LATEST_MS);
}

/** `[192, 0, 2, 1]` is 192.0.2.1. */
export function octetsToAddress(octets: Uint8Array): string {
  return octets.join(".");
}

/** Whether it is 0.0.0.0, which routers send while they have no address. */
export function isUnspecified(address: string): boolean {
  return address === "0.0.0.0";
}
