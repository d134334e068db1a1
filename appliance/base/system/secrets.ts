import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { SCHEMES } from "../tokens.ts";

/** Random bytes of a token: too many to guess. */
const TOKEN_BYTES = 32;

/** A token, and the hash that is kept of it. */
interface Secret {
  readonly token: string;
  readonly hash: Uint8Array;
}

export function makeReadToken(): Secret {
  return makeToken(SCHEMES.read, randomBytes);
}

export function makeShareToken(): Secret {
  return makeToken(SCHEMES.share, randomBytes);
}

/**
 * A new token.
 * @param scheme begins it, so that scanners for secrets can find it
 * @param random returns unpredictable bytes
 */
export function makeToken(scheme: string, random: (bytes: number) => Buffer): Secret {
  const token = scheme + random(TOKEN_BYTES).toString("base64url");
  return { token, hash: sha256(token) };
}

/** Tokens are random and long: a plain hash is enough, a slow one would only help floods. */
export function sha256(secret: string | Uint8Array): Buffer {
  return createHash("sha256").update(secret).digest();
}

/** Compares two secrets, or their hashes, in a time that shows nothing but whether their lengths are equal. */
export function isSameSecret(a: string | Uint8Array, b: string | Uint8Array): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** The same for hashes, where null means none. */
export function isSameHash(one: Uint8Array | null, other: Uint8Array | null): boolean {
  return one === null || other === null ? one === other : isSameSecret(one, other);
}
