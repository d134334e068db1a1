import { type AskProvider, addressesIn, type DnsAnswer } from "./answer.ts";

const UPDATE_URL = "https://www.duckdns.org/update";
const ZONE = /(?:^|\.)([a-z0-9-]+)\.duckdns\.org$/;

/**
 * Updates DuckDNS: https://www.duckdns.org/spec.jsp. Labels before the last one have the same address. Without an IPv4
 * address it uses the one it sees.
 */
export async function updateDuckDns(
  token: string,
  name: string,
  v4: string | undefined,
  ask: AskProvider,
): Promise<DnsAnswer> {
  const domains = ZONE.exec(name)?.[1];
  if (domains === undefined) return { kind: "refused", why: "name" };
  const send = (more: Readonly<Record<string, string>>) => {
    const query = new URLSearchParams({ domains, token, ...more, verbose: "true" });
    return ask({ url: `${UPDATE_URL}?${query}` }, answerIn);
  };
  const address = v4 === undefined ? {} : { ip: v4 };
  const answer = await send(address);
  if (answer.kind !== "done" || answer.seen?.v6 === undefined) return answer;
  // DuckDNS keeps an IPv6 address that is no longer ours until both are cleared.
  const cleared = await send({ clear: "true" });
  return cleared.kind === "done" ? send(address) : cleared;
}

/** Reads an answer: OK, each address or an empty line, and UPDATED or NOCHANGE; or KO for any failure. */
function answerIn([said]: readonly string[], text: string): DnsAnswer | undefined {
  if (said === "ko") return { kind: "refused", why: "auth" };
  return said === "ok" ? { kind: "done", seen: addressesIn(text.split(/\s+/)) } : undefined;
}
