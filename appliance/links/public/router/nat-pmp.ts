/** NAT-PMP, RFC 6886, for older routers. */

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

/** Section 3.2 and 3.3: the answer's opcode is the request's and 128. */
const ADDRESS = 0;
const MAP_TCP = 2;
const ANSWER = 128;
const ADDRESS_ANSWER_BYTES = 12;
const MAP_ANSWER_BYTES = 16;
/** The least bytes of an answer, which have its result. */
const LEAST_ANSWER_BYTES = 4;

/** Section 3.5. miniupnpd says 3 behind CGNAT and behind another router, too. */
const REFUSED: Readonly<Record<number, RefusedWhy>> = {
  1: "not-supported",
  2: "not-allowed",
  3: "no-public-address",
  4: "no-room",
  5: "not-supported",
};

interface NatPmpAnswer {
  readonly result: number;
  readonly externalPort: number;
  readonly lifetimeS: number;
}

export const natPmp: PortProtocol = {
  async map({ internal, external }, talk): Promise<PortAnswer> {
    const granted = await askToMap({ internal, external, lifetimeS: LIFETIME_S }, talk);
    if (granted === undefined) return { kind: "no-router" };
    if (granted.result !== 0)
      return { kind: "refused", by: "natpmp", why: REFUSED[granted.result] ?? "failed" };
    const mapping: Mapping = {
      by: "natpmp",
      internalPort: internal,
      externalPort: granted.externalPort,
      lifetimeS: lifetimeOf(granted.lifetimeS),
    };
    if (granted.externalPort !== external) {
      await this.unmap(mapping, talk);
      return { kind: "conflict", by: "natpmp" };
    }
    const address = await this.outerAddress?.(talk);
    return { kind: "open", mapping: { ...mapping, ...(address !== undefined && { address }) } };
  },

  async unmap({ internalPort }, talk) {
    const granted = await askToMap({ internal: internalPort, external: 0, lifetimeS: 0 }, talk);
    return granted?.result === 0;
  },

  async outerAddress(talk) {
    const answer = await asked(Uint8Array.of(0, ADDRESS), talk, (bytes) =>
      bytes.length === ADDRESS_ANSWER_BYTES || resultOf(bytes) !== 0 ? bytes : undefined,
    );
    if (answer === undefined || resultOf(answer) !== 0) return undefined;
    const address = octetsToAddress(answer.subarray(8, 12));
    return isUnspecified(address) ? undefined : address;
  },
};

function askToMap(
  wanted: { internal: number; external: number; lifetimeS: number },
  talk: GatewayClient,
): Promise<NatPmpAnswer | undefined> {
  const request = Buffer.alloc(12);
  request.writeUInt8(MAP_TCP, 1);
  request.writeUInt16BE(wanted.internal, 4);
  request.writeUInt16BE(wanted.external, 6);
  request.writeUInt32BE(wanted.lifetimeS, 8);
  return asked(request, talk, (bytes) => {
    const result = resultOf(bytes);
    if (result !== 0) return { result, externalPort: 0, lifetimeS: 0 };
    if (bytes.length !== MAP_ANSWER_BYTES || bytes.readUInt16BE(8) !== wanted.internal)
      return undefined;
    return { result, externalPort: bytes.readUInt16BE(10), lifetimeS: bytes.readUInt32BE(12) };
  });
}

function asked<T>(
  request: Uint8Array,
  talk: GatewayClient,
  read: (bytes: Buffer) => T | undefined,
): Promise<T | undefined> {
  const to = { address: talk.gateway.address, port: talk.ports.control };
  const opcode = ANSWER + (request[1] ?? 0);
  const isAnswer = (bytes: Buffer) =>
    bytes.length >= LEAST_ANSWER_BYTES && bytes[0] === 0 && bytes[1] === opcode;
  return askByUdp(
    { to, messages: [request], read: (bytes) => (isAnswer(bytes) ? read(bytes) : undefined) },
    talk,
  );
}

function resultOf(bytes: Buffer): number {
  return bytes.readUInt16BE(2);
}
