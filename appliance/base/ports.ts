/** The addresses of the two listeners, as texts without a slash at the end. */

/** The port that every visitor may reach. */
export const COLLECTOR_PORT = 8480;
/** The owner's: Web UI and push. */
export const CONTROL_PORT = 3000;
/** The port of http addresses without one. */
export const HTTP_PORT = 80;

/** @param host a name or an address; one of IPv6 with or without its brackets */
export function urlOf(host: string, port: number): string {
  const name = host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
  return `http://${name}${port === HTTP_PORT ? "" : `:${port}`}`;
}

/**
 * The URL of a listener for people; undefined while there is no network.
 * @param bound its socket
 * @param hosts names and addresses by which others reach this machine, the best first
 */
export function listenerUrl(
  { address, port }: { address: string; port: number },
  hosts: readonly string[],
): string | undefined {
  if (address === "127.0.0.1" || address === "::1") return urlOf("localhost", port);
  const isAny = address === "::" || address === "0.0.0.0";
  const host = isAny ? hosts[0] : address;
  return host && urlOf(host, port);
}

/** Whether only this machine reaches a socket at the address. */
export function isLoopback(address: string): boolean {
  return /^(?:127\.|::1$|::ffff:127\.)/.test(address);
}

/** The URL of the collector for pages of a site: its own host, if it has one. */
export function siteCollector(collector: string, host: string | null): string {
  return host === null ? collector : `https://${host}`;
}

/** A site, and the place that counts it; null where it is counted here alone. */
interface Tagged {
  readonly id: string;
  readonly host: string | null;
  readonly place: { readonly url: string; readonly site: string } | null;
}

/** The tag of a site: it names its own host, else the place that counts it, else the collector here. */
export function siteTag({ id, host, place }: Tagged, collector: string, isDev = false): string {
  return host === null && place !== null
    ? scriptTag(place.url, place.site, isDev)
    : scriptTag(siteCollector(collector, host), id, isDev);
}

/** @param isDev whether pages on `localhost` count, too */
export function scriptTag(collector: string, site: string, isDev = false): string {
  return `<script defer src="${collector}/s.js" data-site="${site}"${isDev ? ' data-dev="1"' : ""}></script>`;
}
