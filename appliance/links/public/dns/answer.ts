import { isIP } from "node:net";
import { AskFailed } from "../../../base/http/exchange.ts";
import { type AskOutside, type OutsideQuestion, type OutsideReply, retryAfterMs } from "../ask.ts";

/** The home's addresses. */
export interface Addresses {
  readonly v4?: string;
  readonly v6?: string;
}

/**
 * The outcome of telling a provider. `seen` are the addresses that it says we have. After `refused`
 * nothing is sent until the settings change. `why` may be shown: nothing secret is in it.
 */
export type DnsAnswer =
  | { readonly kind: "done"; readonly changed: boolean; readonly seen?: Addresses }
  | { readonly kind: "refused"; readonly why: "auth" | "name" | "abuse" | "paid" | "bad-request" }
  | { readonly kind: "later"; readonly afterMs?: number; readonly why: string };

/** The most bytes of an answer, many times more than any provider sends. */
const MOST_BYTES = 4_096;

const NOT_UNDERSTOOD: DnsAnswer = { kind: "later", why: "it answered what no provider says" };

/** Sends a request. @returns the text of the answer, or the meaning of its status */
export async function answerText(
  ask: AskOutside,
  question: OutsideQuestion,
  signal: AbortSignal,
): Promise<{ text: string } | DnsAnswer> {
  try {
    const reply = await ask(question, { mostBytes: MOST_BYTES, signal });
    return (
      byStatus(reply) ?? {
        text: reply.body
          .toString("utf8")
          .replace(/^\uFEFF/, "")
          .trim(),
      }
    );
  } catch (error) {
    if (!(error instanceof AskFailed)) throw error;
    return { kind: "later", why: error.message };
  }
}

/**
 * The meaning of a text by `read`, which gets its words in lower case, with those of the first line apart. An unknown text
 * is not understood.
 */
export function understood(
  found: { text: string } | DnsAnswer,
  read: (words: readonly string[], text: string) => DnsAnswer | undefined,
): DnsAnswer {
  if ("kind" in found) return found;
  const [line = ""] = found.text.toLowerCase().split("\n");
  return read(line.trim().split(/[\s,]+/), found.text) ?? NOT_UNDERSTOOD;
}

/** The addresses among words. */
export function addressesIn(words: readonly string[]): Addresses {
  const v4 = words.find((word) => isIP(word) === 4);
  const v6 = words.find((word) => isIP(word) === 6);
  return { ...(v4 !== undefined && { v4 }), ...(v6 !== undefined && { v6 }) };
}

/** The value of an `Authorization` header: RFC 7617. */
export function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}

/** The meaning of a status; undefined where the text decides. */
function byStatus({ status, headers }: OutsideReply): DnsAnswer | undefined {
  if (status >= 200 && status < 300) return undefined;
  switch (status) {
    case 401:
    case 403:
      return { kind: "refused", why: "auth" };
    case 404:
    case 410:
      return { kind: "refused", why: "name" };
  }
  if (status < 400 || status === 408 || status === 429 || status >= 500) {
    const afterMs = retryAfterMs(headers);
    return {
      kind: "later",
      why: WHY[status] ?? `it answered ${status}`,
      ...(afterMs !== undefined && { afterMs }),
    };
  }
  return { kind: "refused", why: "bad-request" };
}

const WHY: Readonly<Record<number, string>> = {
  429: "it was asked too often",
  503: "it is busy or being mended",
};
