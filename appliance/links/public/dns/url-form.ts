import { type AskProvider, basic, type DnsAnswer } from "./answer.ts";
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

/** Sends a request to the owner's URL. The placeholder of IPv6, and that of an unknown address, become empty. */
export function updateByUrl(
  { template, user, token }: UrlFormOptions,
  name: string,
  v4: string | undefined,
  ask: AskProvider,
): Promise<DnsAnswer> {
  const values: Readonly<Record<string, string>> = { name, ip4: v4 ?? "", ip6: "", user, token };
  const url = template.replaceAll(/\{(\w+)\}/g, (holder, key: string) =>
    Object.hasOwn(values, key) ? encodeURIComponent(values[key] ?? "") : holder,
  );
  // A secret is sent once: in the URL if that has a place for it, or else as a header.
  const isBeside = `${user}${token}` !== "" && !template.includes("{token}");
  const headers = isBeside ? { authorization: basic(user, token) } : {};
  return ask({ url, headers }, (words, text) => {
    if (A_PAGE.test(text)) return undefined;
    if (NO.test(text) && answerIn(words) === undefined)
      return { kind: "refused", why: "bad-request" };
    return answerIn(words, v4) ?? { kind: "done" };
  });
}
