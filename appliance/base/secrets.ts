import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** A new token that reads numbers: 32 random bytes behind a prefix that secret scanners can find. */
export function makeReadToken(random: (bytes: number) => Buffer = randomBytes): {
  token: string;
  hash: Uint8Array;
} {
  const token = `tdr_${random(32).toString("base64url")}`;
  return { token, hash: hashToken(token) };
}

/** Read tokens are random and long: a plain hash is enough, a slow one would only help floods. */
export function hashToken(token: string): Uint8Array {
  return createHash("sha256").update(token).digest();
}

export function constantTimeEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
