import { createPublicKey, type KeyObject, sign } from "node:crypto";
import { addressBytes, type Identifier } from "./certificate.ts";
import { bits, choice, holder, octets, oid, sequence, setOf, text } from "./der.ts";

/** The parts of requests and certificates (RFC 2986, RFC 5280). */

const ECDSA_WITH_SHA256 = "1.2.840.10045.4.3.2";
const COMMON_NAME = "2.5.4.3";
const SUBJECT_ALT_NAME = "2.5.29.17";
const EXTENSION_REQUEST = "1.2.840.113549.1.9.14";
/** Kinds of a GeneralName (RFC 5280 section 4.2.1.6). */
const NAME_KIND = { dns: 2, ip: 7 };

/** Something with its signature by a P-256 key. */
export function signed(body: Buffer, key: KeyObject): Buffer {
  return sequence(body, SIGNATURE_ALGORITHM, bits(sign("sha256", body, key)));
}

export const SIGNATURE_ALGORITHM = sequence(oid(ECDSA_WITH_SHA256));

export const distinguishedName = (commonName: string) =>
  sequence(setOf(sequence(oid(COMMON_NAME), text(commonName))));

export const publicHalf = (key: KeyObject) =>
  createPublicKey(key).export({ type: "spki", format: "der" });

export const subjectAltName = ({ type, value }: Identifier) =>
  sequence(
    oid(SUBJECT_ALT_NAME),
    octets(
      sequence(choice(NAME_KIND[type], type === "ip" ? addressBytes(value) : Buffer.from(value))),
    ),
  );

/**
 * A request for a certificate (PKCS#10, DER) with its name as a subject alternative name only. A common name could hold
 * neither addresses nor names of more than 64 characters.
 */
export function certificateRequest(identifier: Identifier, key: KeyObject): Buffer {
  const extensions = sequence(oid(EXTENSION_REQUEST), setOf(sequence(subjectAltName(identifier))));
  const version1 = Buffer.from([0x02, 0x01, 0x00]);
  return signed(sequence(version1, sequence(), publicHalf(key), holder(0, extensions)), key);
}
