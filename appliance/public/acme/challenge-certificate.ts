import { X509Certificate } from "node:crypto";
import type { SecureContext } from "node:tls";
import { DAY_MS } from "../../base/calendar.ts";
import { sha256 } from "../../system/secrets.ts";
import { newKey } from "../keys.ts";
import { holder, integer, octets, oid, sequence, TRUE, time } from "./der.ts";
import type { Identifier } from "./identifier.ts";
import {
  distinguishedName,
  publicHalf,
  SIGNATURE_ALGORITHM,
  signed,
  subjectAltName,
} from "./x509.ts";

/** id-pe-acmeIdentifier (section 3). */
const ACME_IDENTIFIER = "1.3.6.1.5.5.7.1.31";
const VERSION_3 = holder(0, integer(Uint8Array.of(2)));

/**
 * The certificate that the CA is shown in TLS-ALPN-01 (RFC 8737 section 3): it signs itself, for
 * the one name, with the hash of the key authorisation as a critical extension.
 */
export function challengeContext(
  identifier: Identifier,
  keyAuthorization: string,
  now: number,
): SecureContext {
  const key = newKey();
  const hash = sha256(keyAuthorization);
  const body = sequence(
    VERSION_3,
    integer(hash.subarray(0, 16)),
    SIGNATURE_ALGORITHM,
    distinguishedName("ACME challenge"),
    sequence(time(now - DAY_MS), time(now + DAY_MS)),
    distinguishedName("ACME challenge"),
    publicHalf(key),
    holder(
      3,
      sequence(
        subjectAltName(identifier),
        sequence(oid(ACME_IDENTIFIER), TRUE, octets(octets(hash))),
      ),
    ),
  );
  const { createSecureContext } = process.getBuiltinModule("node:tls");
  return createSecureContext({
    key: key.export({ type: "pkcs8", format: "pem" }),
    cert: new X509Certificate(signed(body, key)).toString(),
  });
}
