import { urlOf } from "../../appliance/base/ports.ts";
import type { PublicAnswer } from "../../appliance/control/wire.ts";

/** The address of a deck, or of a part of it, in the control API; relative to the page. */
export function deckPath(deck: string, rest = ""): string {
  return `api/decks/${encodeURIComponent(deck)}${rest}`;
}

/** The same of a slot or an input. */
export function slotPath(deck: string, slot: string, rest = ""): string {
  return deckPath(deck, `/slots/${slot}${rest}`);
}

/** The address of the collector: this machine, at another port. */
export function collectorUrl(pageHref: string, port: number): string {
  return urlOf(new URL(pageHref).hostname, port);
}

/** The address of the collector for visitors: the public one once that is live. */
export function visitorsUrl(box: { collector: string; public: PublicAnswer | null }): string {
  const view = box.public?.view;
  return (view?.live ? view.url : null) ?? box.collector;
}

/** The address of dashboards for readers: the public one only if the owner has opened them there. */
export function readersUrl(box: { collector: string; public: PublicAnswer | null }): string {
  return box.public?.dashboard ? visitorsUrl(box) : box.collector;
}

/** Whether a page at this host name is on the machine of its reader. */
export function isThisMachine(hostname: string): boolean {
  return /^(localhost|127\..*|\[::1\])$/.test(hostname);
}
