import { type KeyObject, X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import type { SecureContext } from "node:tls";
import { DAY_MS } from "../../../base/calendar.ts";
import { isObject, isText } from "../../../base/input/json.ts";
import { sha256 } from "../../../base/system/secrets.ts";
import { newKey } from "../keys.ts";
import type { Resource } from "./authority.ts";
import type { Identifier } from "./certificate.ts";
import { holder, integer, octets, oid, sequence, TRUE, time } from "./der.ts";
import { AcmeFailed, failureOf, type Validation } from "./problem.ts";
import { keyAuthorization } from "./signed-requests.ts";
import {
  distinguishedName,
  publicHalf,
  SIGNATURE_ALGORITHM,
  signed,
  subjectAltName,
} from "./x509.ts";

/** Presents challenges to the CA. Each method returns a function that ends it. */
export interface ChallengeResponder {
  /** Presents it to clients that request the name by `acme-tls/1`: see `serverNameOf`. */
  tlsAlpn(identifier: Identifier, context: SecureContext): () => void;
  /** Serves `http://NAME/.well-known/acme-challenge/TOKEN` (RFC 8555 section 8.3). */
  http(token: string, keyAuthorization: string): () => void;
}

export type ChallengeType = Validation["challenge"];

interface Challenge {
  readonly type: ChallengeType;
  readonly url: string;
  readonly token: string;
}

/** Types of challenges. The one by port 443 is first, since that port is needed anyway. */
export const CHALLENGE_TYPES: readonly ChallengeType[] = ["tls-alpn-01", "http-01"];
const MOST_CHALLENGES = 16;
/** A token of at least 128 bits in base64url (RFC 8555 section 8.1), which is part of a path. */
const TOKEN = /^[\w-]{22,256}$/;

/** The first of these types that an authorisation offers. @throws {AcmeFailed} where it has none */
export function chooseChallenge(offered: Resource, types: readonly ChallengeType[]): Challenge {
  const all = challengesOf(offered);
  for (const wanted of types) {
    const found = all.find(({ type }) => type === wanted);
    if (found === undefined) continue;
    const { url, token } = found;
    if (!isText(url) || !isText(token) || !TOKEN.test(token))
      throw new AcmeFailed("bad-answer", "a challenge has no address or no proper token");
    return { type: wanted, url, token };
  }
  const names = all.map(({ type }) => String(type)).join(", ");
  throw new AcmeFailed("bad-answer", `none of the challenges offered can be answered: ${names}`);
}

/** The outcome of a challenge, from the authorisation that it was of (RFC 8555 section 8). */
export function validationOf(authorization: Resource, { type }: Challenge): Validation {
  const found = challengesOf(authorization).find((challenge) => challenge.type === type) ?? {};
  const records = Array.isArray(found.validationRecord) ? found.validationRecord : [];
  const last: unknown = records.at(-1);
  const { addressUsed } = isObject(last) ? last : {};
  const isAddress = isText(addressUsed) && isIP(addressUsed) !== 0;
  return { challenge: type, ...(isAddress && { addressUsed }) };
}

export function challengeFailure(authorization: Resource, challenge: Challenge): AcmeFailed {
  const found = challengesOf(authorization).find(({ type }) => type === challenge.type) ?? {};
  const validation = validationOf(authorization, challenge);
  const said = failureOf(found.error, { validation });
  const status = String(authorization.status).slice(0, 20);
  return said ?? new AcmeFailed("server", `the authorisation is ${status}`, { validation });
}

/** Presents a challenge. @returns a function that ends it */
export function present(
  presenter: ChallengeResponder,
  identifier: Identifier,
  { type, token }: Challenge,
  { key, now }: { key: KeyObject; now: number },
): () => void {
  const proof = keyAuthorization(token, key);
  return type === "http-01"
    ? presenter.http(token, proof)
    : presenter.tlsAlpn(identifier, challengeContext(identifier, proof, now));
}

function challengesOf({ challenges }: Resource): Resource[] {
  return Array.isArray(challenges) ? challenges.slice(0, MOST_CHALLENGES).filter(isObject) : [];
}

/** id-pe-acmeIdentifier (section 3). */
const ACME_IDENTIFIER = "1.3.6.1.5.5.7.1.31";
const VERSION_3 = holder(0, integer(Uint8Array.of(2)));

/**
 * The certificate that the CA is shown in TLS-ALPN-01 (RFC 8737 section 3): it signs itself, for
 * the one name, with the hash of the key authorisation as a critical extension.
 */
function challengeContext(
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
