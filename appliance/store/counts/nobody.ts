import { createHmac, randomInt } from "node:crypto";
import { OTHER } from "../../base/names.ts";
import type { SiteKey } from "../counting.ts";
import type { Hit } from "../log/record.ts";

// A hit for a site that does not exist is written like any other, so that the time of the answer does not tell
// whether a site exists. Its rows belong to NOBODY, are illegible, and are deleted after their day.

/** The number of sites of NOBODY. With several, each name that is tried seems to have limits of its own. */
const NAMES = 256;
/** A new salt at each start, so that masks cannot be reversed. */
const SALT = randomInt(2 ** 32);
const FNV_PRIME = 0x01000193;

/** The number for a site that does not exist. @param name as in the request @param secret 32 bytes */
export function nobodyCalled(name: string, secret: Uint8Array): SiteKey {
  const digest = createHmac("sha256", secret).update(`survey\0${name}`).digest();
  return -1 - (digest.readUInt32BE() % NAMES);
}

/** A hit for NOBODY: as large as the given one, without its contents. */
export function maskedHit({ kind, flags, values }: Hit): Hit {
  return { kind, flags, values: values.map(([name, text]) => [name, maskOf(text)] as const) };
}

/** A survey's payload for NOBODY: as large, without its contents. */
export function maskedPayload(payload: string): string {
  return JSON.stringify("-".repeat(Buffer.byteLength(payload)));
}

/** Equal texts have equal masks. It is quick, since its time must not show either. */
function maskOf(text: string): string {
  if (text === OTHER) return text;
  let mask = SALT;
  for (let i = 0; i < text.length; i++) mask = Math.imul(mask ^ text.charCodeAt(i), FNV_PRIME);
  return (mask >>> 0).toString(36).padEnd(Buffer.byteLength(text), "-");
}
