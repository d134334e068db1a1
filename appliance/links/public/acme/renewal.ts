import { X509Certificate } from "node:crypto";
import { isObject, isText } from "../../../base/input/json.ts";
import { retryAfterMs } from "../ask.ts";
import type { Authority } from "./authority.ts";
import { readAll } from "./der.ts";
import { AcmeFailed } from "./problem.ts";

/** The window in which the CA wants a certificate renewed (RFC 9773 section 4.2). Epoch milliseconds. */
export interface RenewalInfo {
  readonly start: number;
  /** The end of the window. A window in the past means a renewal at once. */
  readonly end: number;
  /** The time after which to ask again. */
  readonly retryAfterMs: number;
}

const MINUTE_MS = 60_000;
const DEFAULT_RETRY_MS = 6 * 60 * MINUTE_MS;
const AUTHORITY_KEY_IDENTIFIER = "551d23";
const OID = 0x06;
const OCTETS = 0x04;
const EXTENSIONS = 0xa3;
const KEY_IDENTIFIER = 0x80;

/**
 * The id of a certificate (section 4.1): the key identifier of its issuer, and its serial number; undefined without a key
 * identifier.
 */
export function certificateId(chain: string): string | undefined {
  try {
    return idOf(new X509Certificate(chain).raw);
  } catch {
    return undefined;
  }
}

function idOf(certificate: Buffer): string | undefined {
  const parts = readAll(inside(inside(certificate)));
  // A certificate of version 3 begins with its version.
  const serial = parts[1]?.content;
  const extensions = parts.find(({ tag }) => tag === EXTENSIONS);
  if (serial === undefined || extensions === undefined) return undefined;
  const signer = readAll(inside(extensions.content))
    .map(({ content }) => readAll(content))
    .find(([id]) => id?.tag === OID && id.content.toString("hex") === AUTHORITY_KEY_IDENTIFIER)
    ?.find(({ tag }) => tag === OCTETS);
  const key = signer && readAll(inside(signer.content)).find(({ tag }) => tag === KEY_IDENTIFIER);
  return key && `${key.content.toString("base64url")}.${serial.toString("base64url")}`;
}

function inside(bytes: Buffer): Buffer {
  return readAll(bytes)[0]?.content ?? Buffer.alloc(0);
}

/**
 * Requests the window for a renewal; undefined where the CA has none.
 * @throws {AcmeFailed}
 */
export async function askRenewal(
  authority: Authority,
  chain: string,
  signal: AbortSignal,
): Promise<RenewalInfo | undefined> {
  const { renewalInfo } = await authority.directory(signal);
  const id = certificateId(chain);
  if (renewalInfo === undefined || id === undefined) return undefined;
  const url = `${renewalInfo.replace(/\/$/, "")}/${id}`;
  const reply = await authority.ask({ method: "GET", url }, signal);
  const { suggestedWindow } = authority.json(reply);
  const { start, end } = isObject(suggestedWindow) ? suggestedWindow : {};
  const [from, to] = [timeOf(start), timeOf(end)];
  if (!(from < to)) throw new AcmeFailed("bad-answer", "the window for the renewal is none");
  const wanted = retryAfterMs(reply.headers) ?? DEFAULT_RETRY_MS;
  // Section 4.3.2.
  return { start: from, end: to, retryAfterMs: Math.max(wanted, MINUTE_MS) };
}

/** Reads a time of RFC 3339; NaN where it is invalid. */
function timeOf(value: unknown): number {
  return isText(value) && /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/i.test(value)
    ? Date.parse(value)
    : Number.NaN;
}
