import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { ipv6Groups } from "../../../base/http/client.ts";

/** The name or address that a certificate is for (RFC 8555 section 9.7.7, RFC 8738 section 3). */
export interface Identifier {
  readonly type: "dns" | "ip";
  /** A name in lower case, an international one as `xn--`; or an address in its shortest form. */
  readonly value: string;
}

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

/** A certificate with its key, for serving it. Times are epoch milliseconds. */
export interface Issued {
  /** PEM, the certificate itself first. */
  readonly chain: string;
  readonly key: KeyObject;
  readonly notBefore: number;
  readonly notAfter: number;
}

const MOST_CHAIN_BYTES = 65_536;
const MOST_CERTIFICATES = 8;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;

/**
 * Reads a chain for a key. The result has its certificates only, without any text between them.
 * @throws {Error} whose message is the reason, as the end of a sentence
 */
export function readChain(pem: string, key: KeyObject): Issued {
  const certificates = certificatesIn(pem);
  const [leaf] = certificates;
  if (leaf === undefined) throw new Error("there is no certificate in it");
  if (!leaf.checkPrivateKey(key)) throw new Error("the certificate is for another key");
  certificates.forEach((certificate, at) => {
    const issuer = certificates[at + 1];
    if (issuer !== undefined && !certificate.verify(issuer.publicKey))
      throw new Error("its certificates do not sign each other");
  });
  const [notBefore, notAfter] = [leaf.validFromDate.getTime(), leaf.validToDate.getTime()];
  return { chain: certificates.map(String).join(""), key, notBefore, notAfter };
}

function certificatesIn(pem: string): X509Certificate[] {
  if (pem.length > MOST_CHAIN_BYTES) throw new Error("the chain is too long");
  const parts = pem.match(CERTIFICATE) ?? [];
  if (parts.length > MOST_CERTIFICATES) throw new Error("there are too many certificates in it");
  try {
    return parts.map((part) => new X509Certificate(part));
  } catch {
    throw new Error("a certificate in it cannot be read");
  }
}

/** Whether visitors of this name or address accept a certificate. */
export function isFor({ chain }: Pick<Issued, "chain">, { type, value }: Identifier): boolean {
  const leaf = new X509Certificate(chain);
  return type === "ip"
    ? leaf.checkIP(value) !== undefined
    : leaf.checkHost(value, { subject: "never", wildcards: false }) !== undefined;
}

/** The key of a certificate and its chain in one text: a file of it is whole or not there. */
export function certificateFile({ chain, key }: Pick<Issued, "chain" | "key">): string {
  return `${key.export({ type: "pkcs8", format: "pem" })}${chain}`;
}

/** @throws {Error} as `readChain` */
export function readCertificateFile(pem: string): Issued {
  return readChain(pem, readKey(pem));
}

/** @throws {Error} as `readChain` */
export function readKey(pem: string): KeyObject {
  const [text] = pem.match(/-----BEGIN PRIVATE KEY-----[^-]+-----END PRIVATE KEY-----/) ?? [];
  const key = text === undefined ? undefined : createPrivateKey(text);
  if (key?.asymmetricKeyDetails?.namedCurve !== "prime256v1")
    throw new Error("there is no P-256 key in it");
  return key;
}
