import { isOwnAddress } from "./client.ts";

/** The sentence for a log in which a proxy hides the visitors. */
const HIDDEN =
  "All views came from one address with several browsers. A proxy before the server probably hides its visitors, who count as one: let the server log X-Forwarded-For, as the page on moving says.";
/** So many browsers at one address are hardly one person's; at one at home, a server's own network, fewer are enough. */
const MANY = 3;
const MANY_AT_HOME = 2;

/** Watches whether all views come from one address. */
export class OneAddress {
  #address: string | undefined;
  #hasOthers = false;
  readonly #agents = new Set<string>();

  add(address: string, agent: string): void {
    this.#address ??= address;
    if (this.#address !== address) this.#hasOthers = true;
    if (!this.#hasOthers && this.#agents.size < MANY) this.#agents.add(agent);
  }

  /** A sentence for the owner; undefined where visitors are told from each other. */
  get problem(): string | undefined {
    const enough = isOwnAddress(this.#address ?? "") ? MANY_AT_HOME : MANY;
    return !this.#hasOthers && this.#agents.size >= enough ? HIDDEN : undefined;
  }
}
