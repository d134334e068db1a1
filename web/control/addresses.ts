import { urlOf } from "../../appliance/base/ports.ts";

/** The address of a deck in the control API, or of what belongs to it; relative to the page. */
export function deckPath(deck: string, rest = ""): string {
  return `api/decks/${encodeURIComponent(deck)}${rest}`;
}

/** The same of a slot or an input. */
export function slotPath(deck: string, slot: string, rest = ""): string {
  return deckPath(deck, `/slots/${slot}${rest}`);
}

/** Where the collector answers: this machine, at another port. */
export function collectorUrl(pageHref: string, port: number): string {
  return urlOf(new URL(pageHref).hostname, port);
}

/** Whether a page at this host name is on the machine of its reader. */
export function isThisMachine(hostname: string): boolean {
  return /^(localhost|127\..*|\[::1\])$/.test(hostname);
}
