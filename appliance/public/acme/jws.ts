import { createPublicKey, type KeyObject, sign } from "node:crypto";
import { sha256 } from "../../system/secrets.ts";

/** JWS with ES256 (RFC 7515, RFC 7518 section 3.4), flattened as RFC 8555 section 6.2 wants it. */

interface ProtectedHeader {
  readonly nonce: string;
  readonly url: string;
  /** The account's URL; without it the key itself is sent. */
  readonly kid?: string | undefined;
}

/** @param payload undefined for POST-as-GET (RFC 8555 section 6.3) */
export function signJws(
  key: KeyObject,
  { nonce, url, kid }: ProtectedHeader,
  payload: object | undefined,
): string {
  const who = kid === undefined ? { jwk: jwkOf(key) } : { kid };
  const header = base64url(JSON.stringify({ alg: "ES256", ...who, nonce, url }));
  const body = payload === undefined ? "" : base64url(JSON.stringify(payload));
  const signature = sign("sha256", Buffer.from(`${header}.${body}`), {
    key,
    dsaEncoding: "ieee-p1363",
  });
  return JSON.stringify({
    protected: header,
    payload: body,
    signature: signature.toString("base64url"),
  });
}

/** The proof that the answer of a challenge comes from the holder of the account's key (RFC 8555 section 8.1). */
export function keyAuthorization(token: string, key: KeyObject): string {
  return `${token}.${sha256(JSON.stringify(jwkOf(key))).toString("base64url")}`;
}

/** The public half, with its members in the order that its thumbprint wants (RFC 7638 section 3). */
function jwkOf(key: KeyObject): object {
  const { crv, kty, x, y } = createPublicKey(key).export({ format: "jwk" });
  return { crv, kty, x, y };
}

const base64url = (text: string) => Buffer.from(text).toString("base64url");
