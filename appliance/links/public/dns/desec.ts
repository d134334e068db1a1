import { type AskProvider, addressesIn, type DnsAnswer } from "./answer.ts";
import { answerIn } from "./dyndns2.ts";

/** A URL for IPv4 only that answers with the address of the client, three times a minute at most. */
const CHECK_URL = "https://checkipv4.dedyn.io/";
const UPDATE_URL = "https://update.dedyn.io/";

/** The IPv4 address of this box as deSEC sees it. */
export async function seenByDesec(ask: AskProvider): Promise<string | undefined> {
  const found = await ask({ url: CHECK_URL }, (_, text) => ({
    kind: "done",
    seen: addressesIn([text]),
  }));
  return found.kind === "done" ? found.seen?.v4 : undefined;
}

/** Updates deSEC: https://desec.readthedocs.io/en/latest/dyndns/update-api.html */
export async function updateDesec(
  token: string,
  name: string,
  v4: string | undefined,
  ask: AskProvider,
): Promise<DnsAnswer> {
  const seen = v4 ?? (await seenByDesec(ask));
  if (seen === undefined)
    return { kind: "later", why: "it did not say from which address it sees us" };
  // An empty value deletes the record of that family: an address that is no longer ours leads visitors
  // astray.
  const query = new URLSearchParams({ hostname: name, myipv4: seen, myipv6: "" });
  const headers = { authorization: `Token ${token}` };
  const answer = await ask({ url: `${UPDATE_URL}?${query}`, headers }, (words) =>
    answerIn(words, seen),
  );
  return answer.kind === "done" && v4 === undefined ? { ...answer, seen: { v4: seen } } : answer;
}
