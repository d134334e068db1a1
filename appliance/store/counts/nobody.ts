import { createHmac, randomInt } from "node:crypto";
import { OTHER } from "../../base/names.ts";
import type { SiteKey } from "../counting.ts";
import type { Hit } from "../log/record.ts";

// A hit for a site that does not exist is written as if it did, so that the time of the answer
// tells nothing: the same rows, but of NOBODY, illegible, and gone when their day is over.

/**
 * Names by which the sites of NOBODY are told apart, so that each seems to have a bound of its own.
 */
const NAMES = 256;
/** Made anew at each start: it cannot be found out what a mask stood for. */
const SALT = randomInt(2 ** 32);
const FNV_PRIME = 0x01000193;

/** Stands for a site that does not exist and was called `name`. `secret`: 32 bytes. */
export function nobodyCalled(name: string, secret: Uint8Array): SiteKey {
  const digest = createHmac("sha256", secret).update(`survey\0${name}`).digest();
  return -1 - (digest.readUInt32BE() % NAMES);
}

/** A hit as it is counted for NOBODY: as large, and of no meaning. */
export function maskedHit({ kind, flags, values }: Hit): Hit {
  return { kind, flags, values: values.map(([name, text]) => [name, maskOf(text)] as const) };
}

/** A survey's payload as it is written for NOBODY. */
export function maskedPayload(payload: string): string {
  return JSON.stringify("-".repeat(Buffer.byteLength(payload)));
}

/** Alike for like texts, and quick: what it costs must not show either. */
function maskOf(text: string): string {
  if (text === OTHER) return text;
  let mask = SALT;
  for (let i = 0; i < text.length; i++) mask = Math.imul(mask ^ text.charCodeAt(i), FNV_PRIME);
  return (mask >>> 0).toString(36).padEnd(Buffer.byteLength(text), "-");
}
