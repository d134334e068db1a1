import type { Clock } from "../base/clock.ts";
import { TokenBuckets } from "../base/token-buckets.ts";
import { addressKey } from "../http/client.ts";

const WITHIN_MS = 10 * 60_000;
const REFUSED_MS = 10 * 60_000;
/** The wrong codes allowed to an address. */
const OWN = 5;
/** The wrong codes allowed to an IPv6 /64, which a guest and the owner may share: one address alone never gets there. */
const NEIGHBOURS = 10;
/**
 * The limit of the whole box, which is checked last. It refills at the same rate, 720 tries a day, and its bucket is so
 * much larger that one address never empties it.
 */
const ALL = { burst: 20, perSecond: OWN / (WITHIN_MS / 1_000) };
const BOX = "";

interface Tries {
  /** Monotonic times of wrong codes. */
  wrong: readonly number[];
  refusedUntil: number;
}

/** Counts wrong setup codes by address. The limit of the whole box also bounds the number of addresses. */
export class WrongCodes {
  readonly #clock: Pick<Clock, "monotonic">;
  #box: TokenBuckets;
  readonly #tries = new Map<string, Tries>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
    this.#box = new TokenBuckets(clock, ALL);
  }

  /** Seconds until a code from this address is looked at; 0 for now. */
  wait(address: string): number {
    const now = this.#clock.monotonic();
    const waits = limitsOf(address).map(
      ([key]) => (this.#tries.get(key)?.refusedUntil ?? now) - now,
    );
    return Math.max(this.#box.wait(BOX), ...waits.map((ms) => ms / 1_000));
  }

  /** Notes a wrong code. */
  note(address: string): void {
    const now = this.#clock.monotonic();
    this.#box.take(BOX);
    for (const [key, tries] of this.#tries) if (isOver(tries, now)) this.#tries.delete(key);
    for (const [key, most] of limitsOf(address)) {
      const before = this.#tries.get(key)?.wrong ?? [];
      const wrong = [...before.filter((at) => now - at < WITHIN_MS), now];
      const isFull = wrong.length >= most;
      this.#tries.set(key, { wrong, refusedUntil: isFull ? now + REFUSED_MS : now });
    }
  }

  /** Forgets the wrong codes of an address. */
  forgive(address: string): void {
    this.#tries.delete(address);
  }

  /** Forgets all wrong codes. */
  clear(): void {
    this.#tries.clear();
    this.#box = new TokenBuckets(this.#clock, ALL);
  }
}

function limitsOf(address: string): [key: string, most: number][] {
  const network = addressKey(address);
  const own: [string, number] = [address, OWN];
  return network === address ? [own] : [own, [network, NEIGHBOURS]];
}

function isOver({ wrong, refusedUntil }: Tries, now: number): boolean {
  return now >= refusedUntil && wrong.every((at) => now - at >= WITHIN_MS);
}
