import type { AskOutside } from "../ask.ts";
import { type Addresses, addressesIn, answerText, type DnsAnswer, understood } from "./answer.ts";
import { answerIn } from "./dyndns2.ts";

/** A URL for IPv4 only that answers with the address of the client, three times a minute at most. */
const CHECK_URL = "https://checkipv4.dedyn.io/";
const UPDATE_URL = "https://update.dedyn.io/";

/** The IPv4 address of this box as deSEC sees it. */
export async function seenByDesec(
  ask: AskOutside,
  signal: AbortSignal,
): Promise<string | undefined> {
  const found = await answerText(ask, { method: "GET", url: CHECK_URL }, signal);
  return "text" in found ? addressesIn([found.text]).v4 : undefined;
}

/** Updates deSEC: https://desec.readthedocs.io/en/latest/dyndns/update-api.html */
export async function updateDesec(
  token: string,
  name: string,
  { v4, v6 = "" }: Addresses,
  ask: AskOutside,
  signal: AbortSignal,
): Promise<DnsAnswer> {
  const seen = v4 ?? (await seenByDesec(ask, signal));
  if (seen === undefined)
    return { kind: "later", why: "it did not say from which address it sees us" };
  // An empty value deletes the record of that family: an address that is no longer ours leads visitors
  // astray.
  const query = new URLSearchParams({ hostname: name, myipv4: seen, myipv6: v6 });
  const headers = { authorization: `Token ${token}` };
  const question = { method: "GET", url: `${UPDATE_URL}?${query}`, headers } as const;
  const answer = understood(await answerText(ask, question, signal), (words) =>
    answerIn(words, seen),
  );
  return answer.kind === "done" && v4 === undefined ? { ...answer, seen: { v4: seen } } : answer;
}
