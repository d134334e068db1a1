import { BlockList, isIP } from "node:net";

/** `shared`: 192.0.0.0/29, the home's end of DS-Lite (RFC 6333). */
export type AddressKind =
  | "public"
  | "cgnat"
  | "private"
  | "shared"
  | "loopback"
  | "link-local"
  | "reserved";

/** The blocks of IANA's special-purpose registries (RFC 6890), the first that fits counts. */
const IPV4: readonly [block: string, bits: number, kind: AddressKind][] = [
  ["10.0.0.0", 8, "private"],
  ["172.16.0.0", 12, "private"],
  ["192.168.0.0", 16, "private"],
  ["100.64.0.0", 10, "cgnat"],
  ["192.0.0.0", 29, "shared"],
  ["127.0.0.0", 8, "loopback"],
  ["169.254.0.0", 16, "link-local"],
  ["0.0.0.0", 8, "reserved"],
  ["192.0.0.0", 24, "reserved"],
  ["192.88.99.0", 24, "reserved"],
  ["198.18.0.0", 15, "reserved"],
  ["224.0.0.0", 3, "reserved"],
  // Blocks for documentation.
  ["192.0.2.0", 24, "reserved"],
  ["198.51.100.0", 24, "reserved"],
  ["203.0.113.0", 24, "reserved"],
];

/** IPv6 addresses are assigned from 2000::/3 only, in which some blocks are for tunnels, tests and documentation. */
const IPV6: typeof IPV4 = [
  ["fc00::", 7, "private"],
  ["::1", 128, "loopback"],
  ["fe80::", 10, "link-local"],
  ["2001::", 23, "reserved"],
  ["2001:db8::", 32, "reserved"],
  ["2002::", 16, "reserved"],
  ["3fff::", 20, "reserved"],
  ["2000::", 3, "public"],
  ["::", 0, "reserved"],
];

const blocks = {
  4: IPV4.map(([block, bits, kind]) => ({ kind, list: listOf(block, bits, "ipv4") })),
  6: IPV6.map(([block, bits, kind]) => ({ kind, list: listOf(block, bits, "ipv6") })),
};

/**
 * The use of an address: only a `public` one can be reached from outside. Text that is no address
 * is `reserved`.
 */
export function kindOfAddress(address: string): AddressKind {
  const bare = address.split("%")[0] ?? "";
  switch (isIP(bare)) {
    case 4:
      return blocks[4].find(({ list }) => list.check(bare, "ipv4"))?.kind ?? "public";
    // Sockets write IPv4 addresses so; no visitor can be sent to one.
    case 6:
      return /^::ffff:/i.test(bare) ? "reserved" : kindOfIPv6(bare);
    default:
      return "reserved";
  }
}

/** The way in which this home is connected to the internet. */
export type Standing = "public" | "cgnat" | "double-nat" | "ds-lite" | "unknown";

export interface StandingEvidence {
  /** The router's own word of its outer IPv4 address; `0.0.0.0` or empty says that it has none. */
  readonly outer?: string | undefined;
  /** The IPv4 address of this box as the DNS provider sees it. */
  readonly seen?: string | undefined;
  /** The addresses of this machine's own interface. */
  readonly own?: readonly string[];
}

/** Whether a port that the router opens is reachable from the internet. */
export function judge({ outer, seen, own = [] }: StandingEvidence): Standing {
  const isGlobal = (family: number) =>
    own.some((address) => isIP(address) === family && kindOfAddress(address) === "public");
  if (isGlobal(4)) return "public";
  if (outer === undefined) return "unknown";
  switch (kindOfAddress(outer)) {
    case "public":
      // The home has no other router, so the internet provider translates addresses.
      return seen === undefined || seen === outer ? "public" : "cgnat";
    case "cgnat":
      return "cgnat";
    case "private":
      return "double-nat";
    case "shared":
      return "ds-lite";
    default:
      return isGlobal(6) ? "ds-lite" : "unknown";
  }
}

function kindOfIPv6(address: string): AddressKind {
  return blocks[6].find(({ list }) => list.check(address, "ipv6"))?.kind ?? "reserved";
}

function listOf(block: string, bits: number, family: "ipv4" | "ipv6"): BlockList {
  const list = new BlockList();
  list.addSubnet(block, bits, family);
  return list;
}
