import { entryOf } from "../../../base/input/json.ts";

/** Services for `DDNS` with dyndns2, from their own documentation and from other clients: their URLs for updates. */
const SERVICES: Readonly<Record<string, string>> = {
  dynu: "https://api.dynu.com/nic/update",
  he: "https://dyn.dns.he.net/nic/update",
  infomaniak: "https://infomaniak.com/nic/update",
  inwx: "https://dyndns.inwx.com/nic/update",
  ipv64: "https://ipv64.net/nic/update",
  joker: "https://svc.joker.com/nic/update",
  noip: "https://dynupdate.no-ip.com/nic/update",
  nsupdate: "https://ipv4.nsupdate.info/nic/update",
  selfhost: "https://carol.selfhost.de/nic/update",
  spdyn: "https://update.spdyn.de/nic/update",
};

export const DDNS_NAMES: readonly string[] = ["desec", "duckdns", ...Object.keys(SERVICES)];

export type DnsService =
  | { readonly kind: "desec" | "duckdns" }
  | { readonly kind: "dyndns2"; readonly url: string }
  | { readonly kind: "url"; readonly template: string };

/** The values that `DDNS` takes, to end a sentence. */
export const DDNS_RULE = `${DDNS_NAMES.join(", ")}, dyndns2:https://host/path, or an https:// address with {ip4} where the address belongs`;

const LONGEST = 1_024;
const DYNDNS2 = "dyndns2:";
const HOLDERS = /\{(?:name|ip4|ip6|user|token)\}/g;

export function serviceOf(text: string): DnsService | undefined {
  if (text === "desec" || text === "duckdns") return { kind: text };
  const known = entryOf(SERVICES, text);
  if (known !== undefined) return { kind: "dyndns2", url: known };
  if (text.startsWith(DYNDNS2)) {
    const url = text.slice(DYNDNS2.length);
    return isPlain(url) && !/[{}]/.test(url) ? { kind: "dyndns2", url } : undefined;
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
