import type { AskOutside } from "../ask.ts";
import { type Addresses, answerText, basic, type DnsAnswer, understood } from "./answer.ts";
import { answerIn } from "./dyndns2.ts";

interface UrlFormOptions {
  /** An address with `{name}`, `{ip4}`, `{ip6}`, `{user}` and `{token}` where they belong. */
  readonly template: string;
  readonly user: string;
  readonly token: string;
}

const A_PAGE = /^<(?:!doctype html|html)\b/i;
/** Refusals of FreeDNS, Namecheap and DuckDNS in answers of status 200. */
const NO = /^(?:ko|err|fail|invalid|bad)|<ErrCount>[1-9]/im;

/** Sends a request to the owner's URL. Placeholders of unknown addresses become empty. */
export async function updateByUrl(
  { template, user, token }: UrlFormOptions,
  name: string,
  { v4 = "", v6 = "" }: Addresses,
  ask: AskOutside,
  signal: AbortSignal,
): Promise<DnsAnswer> {
  const values: Readonly<Record<string, string>> = { name, ip4: v4, ip6: v6, user, token };
  const url = template.replaceAll(/\{(\w+)\}/g, (holder, key: string) =>
    Object.hasOwn(values, key) ? encodeURIComponent(values[key] ?? "") : holder,
  );
  // A secret is sent once: in the URL if that has a place for it, or else as a header.
  const isBeside = `${user}${token}` !== "" && !template.includes("{token}");
  const headers = isBeside ? { authorization: basic(user, token) } : {};
  const found = await answerText(ask, { method: "GET", url, headers }, signal);
  return understood(found, (words, text) => {
    if (A_PAGE.test(text)) return undefined;
    if (NO.test(text) && answerIn(words) === undefined)
      return { kind: "refused", why: "bad-request" };
    return answerIn(words, v4) ?? { kind: "done", changed: true };
  });
}
