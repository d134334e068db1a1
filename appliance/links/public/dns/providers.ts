import type { AskOutside } from "../ask.ts";
import { type AskProvider, askProviderWith, type DnsAnswer } from "./answer.ts";
import { seenByDesec, updateDesec } from "./desec.ts";
import { updateDuckDns } from "./duckdns.ts";
import { updateDyndns2 } from "./dyndns2.ts";
import { type DnsService, serviceOf } from "./services.ts";
import { updateByUrl } from "./url-form.ts";

export interface DnsProvider {
  /** To name it to a person. */
  readonly host: string;
  /**
   * Points a name here. Without an address of IPv4 the provider uses the one that it sees, if it can; of IPv6 the name gets
   * none. It never rejects because of the provider.
   */
  update(
    name: string,
    v4: string | undefined,
    ask: AskOutside,
    signal: AbortSignal,
  ): Promise<DnsAnswer>;
  /** The IPv4 address from which it sees us, where it says so without an update. */
  seen?(ask: AskOutside, signal: AbortSignal): Promise<string | undefined>;
}

interface DnsSettings {
  readonly ddns: string;
  /** The user; for deSEC and DuckDNS their own name, where the public name is an alias of it. */
  readonly user: string;
  readonly token: string;
}

/** The provider in the settings; undefined where the owner's router or internet provider updates the DNS. */
export function providerOf({ ddns, user, token }: DnsSettings): DnsProvider | undefined {
  const service = serviceOf(ddns);
  if (service === undefined) return undefined;
  const provider = speaking(service, user, token);
  return {
    host: provider.host,
    async update(name, v4, ask, signal) {
      // The outcome of a wrong token needs no question.
      if (token === "" && service.kind !== "url") return { kind: "refused", why: "auth" };
      return provider.update(name, v4, askProviderWith(ask, signal));
    },
    ...(service.kind === "desec" && {
      seen: (ask, signal) => seenByDesec(askProviderWith(ask, signal)),
    }),
  };
}

interface Protocol {
  readonly host: string;
  update(name: string, v4: string | undefined, ask: AskProvider): Promise<DnsAnswer>;
}

function speaking(service: DnsService, user: string, token: string): Protocol {
  switch (service.kind) {
    case "desec":
      return {
        host: "desec.io",
        update: (name, ...rest) => updateDesec(token, user || name, ...rest),
      };
    case "duckdns":
      return {
        host: "duckdns.org",
        update: (name, ...rest) => updateDuckDns(token, user || name, ...rest),
      };
    case "dyndns2":
      return {
        host: new URL(service.url).hostname,
        update: (...rest) => updateDyndns2({ ...service, user, token }, ...rest),
      };
    case "url":
      return {
        host: new URL(service.template).hostname,
        update: (...rest) => updateByUrl({ ...service, user, token }, ...rest),
      };
  }
}
