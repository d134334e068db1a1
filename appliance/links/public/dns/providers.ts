import { entryOf } from "../../../base/input/json.ts";
import { kindOfAddress } from "../addresses.ts";
import { type AskProvider, addressesIn, basic, type DnsAnswer } from "./answer.ts";
import { type DnsService, serviceOf } from "./services.ts";

/** A provider of dynamic DNS. It never rejects because of the other side. */
export interface DnsProvider {
  /** To name it to a person. */
  readonly host: string;
  /**
   * Points a name here. Without an address of IPv4 the provider uses the one that it sees, if it can; of IPv6 the name gets
   * none.
   */
  update(name: string, v4: string | undefined, ask: AskProvider): Promise<DnsAnswer>;
  /** The IPv4 address from which it sees us, where it says so without an update. */
  seen?(ask: AskProvider): Promise<string | undefined>;
}

interface Credentials {
  /** The user; for deSEC and DuckDNS their own name, where the public name is an alias of it. */
  readonly user: string;
  readonly token: string;
}

/** The provider in the settings; undefined where the owner's router or internet provider updates the DNS. */
export function providerOf({
  ddns,
  ...owner
}: Credentials & { readonly ddns: string }): DnsProvider | undefined {
  const service = serviceOf(ddns);
  if (service === undefined) return undefined;
  const provider = speaking(service, owner);
  // The outcome of a wrong token needs no question.
  if (owner.token !== "" || service.kind === "url") return provider;
  return { ...provider, update: async () => ({ kind: "refused", why: "auth" }) };
}

function speaking(service: DnsService, owner: Credentials): DnsProvider {
  switch (service.kind) {
    case "desec":
      return desec(owner);
    case "duckdns":
      return duckDns(owner);
    case "dyndns2":
      return dyndns2(service.url, owner);
    case "url":
      return byUrl(service.template, owner);
  }
}

/** The update API of deSEC: https://desec.readthedocs.io/en/latest/dyndns/update-api.html */
function desec({ user, token }: Credentials): DnsProvider {
  return {
    host: "desec.io",
    async update(name, v4, ask) {
      const seen = v4 ?? (await seenByDesec(ask));
      if (seen === undefined)
        return { kind: "later", why: "it did not say from which address it sees us" };
      // An empty value deletes the record of that family: an address that is no longer ours leads visitors
      // astray.
      const query = new URLSearchParams({ hostname: user || name, myipv4: seen, myipv6: "" });
      const question = {
        url: `https://update.dedyn.io/?${query}`,
        headers: { authorization: `Token ${token}` },
      };
      const answer = await ask(question, (words) => answerIn(words, seen));
      return answer.kind === "done" && v4 === undefined
        ? { ...answer, seen: { v4: seen } }
        : answer;
    },
    seen: seenByDesec,
  };
}

/** Asks a URL for IPv4 only that answers with the address of the client, three times a minute at most. */
async function seenByDesec(ask: AskProvider): Promise<string | undefined> {
  const found = await ask({ url: "https://checkipv4.dedyn.io/" }, (_, text) => ({
    kind: "done",
    seen: addressesIn([text]),
  }));
  return found.kind === "done" ? found.seen?.v4 : undefined;
}

const DUCKDNS = /(?:^|\.)([a-z0-9-]+)\.duckdns\.org$/;

/** DuckDNS, https://www.duckdns.org/spec.jsp: labels before the last one have the same address. */
function duckDns({ user, token }: Credentials): DnsProvider {
  return {
    host: "duckdns.org",
    async update(name, v4, ask) {
      const domains = DUCKDNS.exec(user || name)?.[1];
      if (domains === undefined) return { kind: "refused", why: "name" };
      const send = (more: Readonly<Record<string, string>>) => {
        const query = new URLSearchParams({ domains, token, ...more, verbose: "true" });
        return ask({ url: `https://www.duckdns.org/update?${query}` }, duckAnswerIn);
      };
      const address = v4 === undefined ? {} : { ip: v4 };
      const answer = await send(address);
      if (answer.kind !== "done" || answer.seen?.v6 === undefined) return answer;
      // DuckDNS keeps an IPv6 address that is no longer ours until both are cleared.
      const cleared = await send({ clear: "true" });
      return cleared.kind === "done" ? send(address) : cleared;
    },
  };
}

/** Reads an answer: OK, each address or an empty line, and UPDATED or NOCHANGE; or KO for any failure. */
function duckAnswerIn([said]: readonly string[], text: string): DnsAnswer | undefined {
  if (said === "ko") return { kind: "refused", why: "auth" };
  return said === "ok" ? { kind: "done", seen: addressesIn(text.split(/\s+/)) } : undefined;
}

function dyndns2(url: string, { user, token }: Credentials): DnsProvider {
  return {
    host: new URL(url).hostname,
    update(name, v4, ask) {
      const address = new URL(url);
      address.searchParams.set("hostname", name);
      if (v4 !== undefined) address.searchParams.set("myip", v4);
      const headers = { authorization: basic(user, token) };
      return ask({ url: address.href, headers }, (words) => answerIn(words, v4));
    },
  };
}

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

/** @param asked the address of the request, if it had one */
function answerIn(words: readonly string[], asked?: string): DnsAnswer | undefined {
  const said = words[0] ?? "";
  const answer = entryOf(WORDS, said);
  if (answer?.kind !== "done") return answer;
  const seen = addressesIn(words.slice(1));
  // Services use a loopback address to say that they ignore this program.
  if (seen.v4 !== undefined && seen.v4 !== asked && kindOfAddress(seen.v4) === "loopback")
    return { kind: "refused", why: "bad-request" };
  return { ...answer, ...((seen.v4 ?? seen.v6) !== undefined && { seen }) };
}

const A_PAGE = /^<(?:!doctype html|html)\b/i;
/** Refusals of FreeDNS, Namecheap and DuckDNS in answers of status 200. */
const NO = /^(?:ko|err|fail|invalid|bad)|<ErrCount>[1-9]/im;

/** The owner's URL, where the placeholder of IPv6, and that of an unknown address, become empty. */
function byUrl(template: string, { user, token }: Credentials): DnsProvider {
  return {
    host: new URL(template).hostname,
    update(name, v4, ask) {
      const values = { name, ip4: v4 ?? "", ip6: "", user, token };
      const url = template.replaceAll(/\{(\w+)\}/g, (holder, key: string) => {
        const value = entryOf(values, key);
        return value === undefined ? holder : encodeURIComponent(value);
      });
      // A secret is sent once: in the URL if that has a place for it, or else as a header.
      const isBeside = `${user}${token}` !== "" && !template.includes("{token}");
      const headers = isBeside ? { authorization: basic(user, token) } : {};
      return ask({ url, headers }, (words, text) => {
        if (A_PAGE.test(text)) return undefined;
        if (NO.test(text) && answerIn(words) === undefined)
          return { kind: "refused", why: "bad-request" };
        return answerIn(words, v4) ?? { kind: "done" };
      });
    },
  };
}
