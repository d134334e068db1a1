/** The address of a slot in the control API, or of what belongs to it; relative to the page. */
export function slotPath(deck: string, slot: string, rest = ""): string {
  return `api/decks/${encodeURIComponent(deck)}/slots/${slot}${rest}`;
}

/** Where the collector answers, without a slash at the end: this machine, at another port. */
export function collectorUrl(pageHref: string, port: number): string {
  const url = new URL("/", pageHref);
  url.protocol = "http:";
  url.port = String(port);
  return url.href.replace(/\/$/, "");
}

/** Where pages of a site reach the collector: by the domain it has for them, if there is one. */
export function siteCollector(collector: string, host: string | null): string {
  return host === null ? collector : `https://${host}`;
}

/** Whether a page at this host name is on the machine of its reader. */
export function isThisMachine(hostname: string): boolean {
  return /^(localhost|127\..*|\[::1\])$/.test(hostname);
}
