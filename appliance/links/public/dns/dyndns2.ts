import { entryOf } from "../../../base/input/json.ts";
import { kindOfAddress } from "../addresses.ts";
import type { AskOutside } from "../ask.ts";
import {
  type Addresses,
  addressesIn,
  answerText,
  basic,
  type DnsAnswer,
  understood,
} from "./answer.ts";

const MINUTE_MS = 60_000;
/** The wait for a service that is down: https://help.dyn.com/return-codes.html */
const DOWN: DnsAnswer = { kind: "later", afterMs: 30 * MINUTE_MS, why: "it is being mended" };

/** The words of dyndns2, and variants of some services. */
const WORDS: Readonly<Record<string, DnsAnswer>> = {
  good: { kind: "done", changed: true },
  nochg: { kind: "done", changed: false },
  nochange: { kind: "done", changed: false },
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

interface Dyndns2Options {
  readonly url: string;
  readonly v6?: string;
  readonly user: string;
  readonly token: string;
}

/** Updates a service by dyndns2. Without an IPv4 address it uses the one it sees. */
export async function updateDyndns2(
  { url, v6: parameter, user, token }: Dyndns2Options,
  name: string,
  { v4, v6 }: Addresses,
  ask: AskOutside,
  signal: AbortSignal,
): Promise<DnsAnswer> {
  const send = async (more: Readonly<Record<string, string>>): Promise<DnsAnswer> => {
    const address = new URL(url);
    for (const [key, value] of Object.entries({ hostname: name, ...more }))
      address.searchParams.set(key, value);
    const headers = { authorization: basic(user, token) };
    const question = { method: "GET", url: address.href, headers } as const;
    return understood(await answerText(ask, question, signal), (words) => answerIn(words, v4));
  };
  const together = {
    ...(v4 !== undefined && { myip: v4 }),
    ...(v6 && parameter && { [parameter]: v6 }),
  };
  const first = await send(together);
  if (first.kind !== "done" || v6 === undefined || parameter !== undefined) return first;
  const second = await send({ myip: v6 });
  return second.kind === "done" ? { ...first, changed: first.changed || second.changed } : second;
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
