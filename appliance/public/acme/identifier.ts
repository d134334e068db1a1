import { isIP } from "node:net";
import { ipv6Groups } from "../../http/client.ts";

/** The name or address that a certificate is for (RFC 8555 section 9.7.7, RFC 8738 section 3). */
export interface Identifier {
  readonly type: "dns" | "ip";
  /** A name in lower case, an international one as `xn--`; or an address in its shortest form. */
  readonly value: string;
}

/** The identifier of a public name, which may be an address. */
export function identifierOf(name: string): Identifier {
  return { type: isIP(name) === 0 ? "dns" : "ip", value: name };
}

/** 4 or 16 bytes. */
export function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split(".").map(Number));
  return Buffer.from(ipv6Groups(address).flatMap((group) => [group >> 8, group & 0xff]));
}

/**
 * The name by which the CA requests the challenge certificate. TLS has no addresses there, so an address has its name in
 * reverse DNS (RFC 8738 section 6).
 */
export function serverNameOf({ type, value }: Identifier): string {
  if (type === "dns") return value;
  const bytes = addressBytes(value);
  return bytes.length === 4
    ? `${[...bytes].reverse().join(".")}.in-addr.arpa`
    : `${[...bytes.toString("hex")].reverse().join(".")}.ip6.arpa`;
}
