import { entryOf } from "../../../base/input/json.ts";
import { kindOfAddress } from "../addresses.ts";
import { type AskProvider, addressesIn, basic, type DnsAnswer } from "./answer.ts";

const MINUTE_MS = 60_000;
/** The wait for a service that is down: https://help.dyn.com/return-codes.html */
const DOWN: DnsAnswer = { kind: "later", afterMs: 30 * MINUTE_MS, why: "it is being mended" };

/** The words of dyndns2, and variants of some services. */
const WORDS: Readonly<Record<string, DnsAnswer>> = {
  good: { kind: "done" },
  nochg: { kind: "done" },
  nochange: { kind: "done" },
  badauth: { kind: "refused", why: "auth" },
  "!donator": { kind: "refused", why: "paid" },
  nohost: { kind: "refused", why: "name" },
  notfqdn: { kind: "refused", why: "name" },
  numhost: { kind: "refused", why: "name" },
  "!yours": { kind: "refused", why: "name" },
  abuse: { kind: "refused", why: "abuse" },
  badagent: { kind: "refused", why: "bad-request" },
  badip: { kind: "refused", why: "bad-request" },
  dnserr: DOWN,
  "911": DOWN,
};

/** Updates a service by dyndns2. Without an IPv4 address it uses the one it sees. */
export function updateDyndns2(
  { url, user, token }: { readonly url: string; readonly user: string; readonly token: string },
  name: string,
  v4: string | undefined,
  ask: AskProvider,
): Promise<DnsAnswer> {
  const address = new URL(url);
  address.searchParams.set("hostname", name);
  if (v4 !== undefined) address.searchParams.set("myip", v4);
  const headers = { authorization: basic(user, token) };
  return ask({ url: address.href, headers }, (words) => answerIn(words, v4));
}

/** @param asked the address of the request, if it had one */
export function answerIn(words: readonly string[], asked?: string): DnsAnswer | undefined {
  const said = words[0] ?? "";
  const answer = entryOf(WORDS, said);
  if (answer?.kind !== "done") return answer;
  const seen = addressesIn(words.slice(1));
  // Services use a loopback address to say that they ignore this program.
  if (seen.v4 !== undefined && seen.v4 !== asked && kindOfAddress(seen.v4) === "loopback")
    return { kind: "refused", why: "bad-request" };
  return { ...answer, ...((seen.v4 ?? seen.v6) !== undefined && { seen }) };
}
