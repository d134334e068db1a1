/**
 * Port Control Protocol, RFC 6887, with only MAP (section 11) for IPv4. A request with the same nonce renews a mapping, or
 * creates one that the router has forgotten. So the router's epoch (section 8.5), which shows restarts, is not needed.
 */
import {
  type GatewayClient,
  isUnspecified,
  LIFETIME_S,
  lifetimeOf,
  type Mapping,
  octetsToAddress,
  type PortAnswer,
  type PortProtocol,
  type RefusedWhy,
} from "./mapping.ts";
import { askByUdp } from "./udp.ts";

const VERSION = 2;
const MAP = 1;
/** Set in an opcode that answers. */
const ANSWER = 0x80;
const TCP = 6;
const HEADER_BYTES = 24;
const MAP_BYTES = 60;
/** Section 7: no message is larger. */
const MOST_BYTES = 1_100;
export const NONCE_BYTES = 12;
/** Section 5: ::ffff:0:0/96 holds the addresses of IPv4. */
const IPV4_MAPPED = Buffer.from("00000000000000000000ffff", "hex");

/** Section 7.4. */
const CANNOT_PROVIDE_EXTERNAL = 11;
const REFUSED: Readonly<Record<number, RefusedWhy>> = {
  1: "not-supported",
  2: "not-allowed",
  4: "not-supported",
  5: "not-supported",
  7: "no-internet",
  // The router lacks something: miniupnpd says so behind CGNAT, and means an address.
  8: "no-public-address",
  9: "not-supported",
  10: "no-room",
  12: "router-behind-router",
};

interface Wanted {
  readonly internal: number;
  readonly external: number;
  readonly lifetimeS: number;
  readonly nonce: Buffer;
}

interface PcpAnswer {
  readonly result: number;
  readonly lifetimeS: number;
  readonly externalPort: number;
  readonly address: string | undefined;
}

export const pcp: PortProtocol = {
  async map({ internal, external }, talk): Promise<PortAnswer> {
    const nonce = Buffer.from(talk.nonce, "hex");
    const wanted = { internal, external, lifetimeS: LIFETIME_S, nonce };
    const granted = await askToMap(wanted, talk);
    if (granted === undefined) return { kind: "no-router" };
    const { result, externalPort, address } = granted;
    if (result === CANNOT_PROVIDE_EXTERNAL) return { kind: "conflict", by: "pcp" };
    if (result !== 0) return { kind: "refused", by: "pcp", why: REFUSED[result] ?? "failed" };
    const mapping: Mapping = {
      by: "pcp",
      internalPort: internal,
      externalPort,
      ...(address !== undefined && { address }),
      lifetimeS: lifetimeOf(granted.lifetimeS),
      nonce: talk.nonce,
    };
    if (externalPort === external) return { kind: "open", mapping };
    await this.unmap(mapping, talk);
    return { kind: "conflict", by: "pcp" };
  },

  /** Section 15.1: a lifetime of 0 deletes, and the outer port is not named. */
  async unmap({ internalPort, nonce = "" }, talk) {
    const deletion = { internal: internalPort, external: 0, lifetimeS: 0 };
    const granted = await askToMap({ ...deletion, nonce: Buffer.from(nonce, "hex") }, talk);
    return granted?.result === 0;
  },
};

function askToMap(wanted: Wanted, talk: GatewayClient): Promise<PcpAnswer | undefined> {
  const to = { address: talk.gateway.address, port: talk.ports.control };
  const messages = [mapRequest(wanted, talk.gateway.own)];
  return askByUdp({ to, messages, read: (bytes) => granted(bytes, wanted) }, talk);
}

function mapRequest({ internal, external, lifetimeS, nonce }: Wanted, own: string): Buffer {
  const request = Buffer.alloc(MAP_BYTES);
  request.writeUInt8(VERSION, 0);
  request.writeUInt8(MAP, 1);
  request.writeUInt32BE(lifetimeS, 4);
  IPV4_MAPPED.copy(request, 8);
  request.set(own.split(".").map(Number), 20);
  nonce.copy(request, 24, 0, NONCE_BYTES);
  request.writeUInt8(TCP, 36);
  request.writeUInt16BE(internal, 40);
  request.writeUInt16BE(external, 42);
  // Requests any outer address.
  IPV4_MAPPED.copy(request, 44);
  return request;
}

/** Reads an answer, and ignores those to other requests (sections 8.3 and 11.4). */
function granted(bytes: Buffer, { nonce, internal }: Wanted): PcpAnswer | undefined {
  if (isNatPmpOnly(bytes)) return { result: 1, lifetimeS: 0, externalPort: 0, address: undefined };
  if (bytes.length < HEADER_BYTES || bytes.length > MOST_BYTES || bytes.length % 4 !== 0)
    return undefined;
  if (bytes[0] !== VERSION || bytes[1] !== (ANSWER | MAP) || bytes.length < MAP_BYTES)
    return undefined;
  const isOurs =
    bytes.subarray(24, 36).equals(nonce) &&
    bytes[36] === TCP &&
    bytes.readUInt16BE(40) === internal;
  if (!isOurs) return undefined;
  const isIpv4 = bytes.subarray(44, 56).equals(IPV4_MAPPED);
  const address = octetsToAddress(bytes.subarray(56, 60));
  return {
    result: bytes.readUInt8(3),
    lifetimeS: bytes.readUInt32BE(4),
    externalPort: bytes.readUInt16BE(42),
    address: isIpv4 && !isUnspecified(address) ? address : undefined,
  };
}

/** Whether a router knows RFC 6886 only: it answers with its own version (appendix A). */
function isNatPmpOnly(bytes: Buffer): boolean {
  return bytes.length >= 4 && bytes[0] === 0 && bytes.readUInt16BE(2) === 1;
}
