/** A service with dyndns2: its URL for updates, and its parameter for an IPv6 address. */
interface Dyndns2Service {
  readonly url: string;
  /** Its parameter for IPv6; without one, the address is sent as another `myip`. */
  readonly v6?: string;
}

/** The parameter for unknown services: most understand it, and the others ignore it. */
const V6 = "myipv6";

/** Services for `DDNS`, from their own documentation and from other clients. */
const SERVICES: Readonly<Record<string, Dyndns2Service>> = {
  dynu: { url: "https://api.dynu.com/nic/update", v6: V6 },
  he: { url: "https://dyn.dns.he.net/nic/update" },
  infomaniak: { url: "https://infomaniak.com/nic/update" },
  inwx: { url: "https://dyndns.inwx.com/nic/update", v6: V6 },
  ipv64: { url: "https://ipv64.net/nic/update", v6: V6 },
  joker: { url: "https://svc.joker.com/nic/update" },
  noip: { url: "https://dynupdate.no-ip.com/nic/update", v6: V6 },
  nsupdate: { url: "https://ipv4.nsupdate.info/nic/update" },
  selfhost: { url: "https://carol.selfhost.de/nic/update" },
  spdyn: { url: "https://update.spdyn.de/nic/update" },
};

/** The short names that `DDNS` takes. */
export const DDNS_NAMES: readonly string[] = ["desec", "duckdns", ...Object.keys(SERVICES)];

/** A service of `DDNS`. */
export type DnsService =
  | { readonly kind: "desec" | "duckdns" }
  | ({ readonly kind: "dyndns2" } & Dyndns2Service)
  | { readonly kind: "url"; readonly template: string };

/** The values that `DDNS` takes, to end a sentence. */
export const DDNS_RULE = `${DDNS_NAMES.join(", ")}, dyndns2:https://host/path, or an https:// address with {ip4} where the address belongs`;

const LONGEST = 1_024;
const DYNDNS2 = "dyndns2:";
const HOLDERS = /\{(?:name|ip4|ip6|user|token)\}/g;

/** The service with this name; undefined for an unknown one. */
export function serviceOf(text: string): DnsService | undefined {
  if (text === "desec" || text === "duckdns") return { kind: text };
  if (Object.hasOwn(SERVICES, text)) return { kind: "dyndns2", ...SERVICES[text] } as DnsService;
  if (text.startsWith(DYNDNS2)) {
    const url = text.slice(DYNDNS2.length);
    return isPlain(url) && !/[{}]/.test(url) ? { kind: "dyndns2", url, v6: V6 } : undefined;
  }
  const isFilled = isPlain(text.replaceAll(HOLDERS, "x")) && text.includes("{ip4}");
  // A value in the host would send the others wherever it says.
  return isFilled && !/^https:\/\/[^/?]*[{}]/i.test(text)
    ? { kind: "url", template: text }
    : undefined;
}

function isPlain(url: string): boolean {
  if (url.length > LONGEST || !/^https:\/\/[^/?#\\@]/i.test(url) || !URL.canParse(url))
    return false;
  const { username, password, hash } = new URL(url);
  return `${username}${password}${hash}` === "";
}
