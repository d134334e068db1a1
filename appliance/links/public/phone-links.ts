import type { Clock } from "../../base/clock.ts";

export const PHONE_LINK_MS = 600_000;
/** The most links. Beyond it, the oldest is removed. */
const MOST = 16;

/**
 * Links for a phone outside of the local network. Each proves once, within ten minutes, that the box is reachable from
 * there.
 */
export class PhoneLinks {
  readonly #options: { readonly clock: Clock; readonly randomBytes: (size: number) => Buffer };
  /** The end of each link, by nonce; the oldest first. */
  readonly #links = new Map<string, number>();

  constructor(options: { clock: Clock; randomBytes: (size: number) => Buffer }) {
    this.#options = options;
  }

  /** The end of a new link's path: 22 characters of base64url. */
  make(): string {
    const { clock, randomBytes } = this.#options;
    const nonce = randomBytes(16).toString("base64url");
    this.#links.set(nonce, clock.monotonic() + PHONE_LINK_MS);
    const [first] = this.#links.keys();
    if (this.#links.size > MOST && first !== undefined) this.#links.delete(first);
    return nonce;
  }

  /** Uses a link. @returns whether it is valid */
  use(nonce: string): boolean {
    const until = this.#links.get(nonce);
    this.#links.delete(nonce);
    return until !== undefined && this.#options.clock.monotonic() < until;
  }
}
