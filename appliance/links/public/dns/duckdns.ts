import type { AskOutside } from "../ask.ts";
import { type Addresses, addressesIn, answerText, type DnsAnswer, understood } from "./answer.ts";

const UPDATE_URL = "https://www.duckdns.org/update";
const ZONE = /(?:^|\.)([a-z0-9-]+)\.duckdns\.org$/;

/**
 * Updates DuckDNS: https://www.duckdns.org/spec.jsp. Labels before the last one have the same address. Without an IPv4
 * address it uses the one it sees.
 */
export async function updateDuckDns(
  token: string,
  name: string,
  { v4, v6 }: Addresses,
  ask: AskOutside,
  signal: AbortSignal,
): Promise<DnsAnswer> {
  const domains = ZONE.exec(name)?.[1];
  if (domains === undefined) return { kind: "refused", why: "name" };
  const send = async (more: Readonly<Record<string, string>>): Promise<DnsAnswer> => {
    const query = new URLSearchParams({ domains, token, ...more, verbose: "true" });
    const question = { method: "GET", url: `${UPDATE_URL}?${query}` } as const;
    return understood(await answerText(ask, question, signal), answerIn);
  };
  const addresses = { ...(v4 !== undefined && { ip: v4 }), ...(v6 !== undefined && { ipv6: v6 }) };
  const answer = await send(addresses);
  if (v6 !== undefined || answer.kind !== "done" || answer.seen?.v6 === undefined) return answer;
  // DuckDNS keeps an IPv6 address that is no longer ours until both are cleared.
  const cleared = await send({ clear: "true" });
  return cleared.kind === "done" ? send(addresses) : cleared;
}

/** Reads an answer: OK, each address or an empty line, and UPDATED or NOCHANGE; or KO for any failure. */
function answerIn([said]: readonly string[], text: string): DnsAnswer | undefined {
  if (said === "ko") return { kind: "refused", why: "auth" };
  if (said !== "ok") return undefined;
  const words = text.split(/\s+/);
  return { kind: "done", changed: !words.includes("NOCHANGE"), seen: addressesIn(words) };
}
