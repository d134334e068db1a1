import { isIP } from "node:net";
import { AskFailed } from "../../../base/http/exchange.ts";
import { type AskOutside, type OutsideQuestion, type OutsideReply, retryAfterMs } from "../ask.ts";

/** The addresses that a provider says we have. */
interface Addresses {
  readonly v4?: string;
  readonly v6?: string;
}

/**
 * The outcome of telling a provider. After `refused` nothing is sent until the settings change. `why` may be shown:
 * nothing secret is in it.
 */
export type DnsAnswer =
  | { readonly kind: "done"; readonly seen?: Addresses }
  | { readonly kind: "refused"; readonly why: "auth" | "name" | "abuse" | "paid" | "bad-request" }
  | { readonly kind: "later"; readonly afterMs?: number; readonly why: string };

/** The most bytes of an answer, many times more than any provider sends. */
const MOST_BYTES = 4_096;

const NOT_UNDERSTOOD: DnsAnswer = { kind: "later", why: "it answered what no provider says" };

/**
 * Asks a provider. `read` gets the words of its answer in lower case, with those of the first line apart, and gives undefined
 * for a text that it does not understand. Never rejects because of the provider.
 */
export type AskProvider = (
  question: Pick<OutsideQuestion, "url" | "headers">,
  read: (words: readonly string[], text: string) => DnsAnswer | undefined,
) => Promise<DnsAnswer>;

export function askProviderWith(ask: AskOutside, signal: AbortSignal): AskProvider {
  return async (question, read) => {
    try {
      const reply = await ask({ method: "GET", ...question }, { mostBytes: MOST_BYTES, signal });
      const meant = byStatus(reply);
      if (meant !== undefined) return meant;
      const text = reply.body.toString("utf8").replace(/^\uFEFF/, "");
      const [line = ""] = text.trim().toLowerCase().split("\n");
      return read(line.trim().split(/[\s,]+/), text.trim()) ?? NOT_UNDERSTOOD;
    } catch (error) {
      if (!(error instanceof AskFailed)) throw error;
      return { kind: "later", why: error.message };
    }
  };
}

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
