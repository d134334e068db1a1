import type { Clock } from "./clock.ts";

export interface BucketLimits {
  /** The size of a bucket. */
  burst: number;
  /** Tokens that are added a second. */
  perSecond: number;
}

interface Bucket {
  tokens: number;
  at: number;
}

/**
 * Token buckets by key, in memory, on monotonic time. A bucket is removed only once it is full again, so a client with
 * ever new keys has to be limited by a coarser bucket beside these.
 */
export class TokenBuckets {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #burst: number;
  readonly #perMs: number;
  // The map is in order of use, so that full buckets come first.
  readonly #buckets = new Map<string, Bucket>();

  constructor(clock: Pick<Clock, "monotonic">, { burst, perSecond }: BucketLimits) {
    this.#clock = clock;
    this.#burst = burst;
    this.#perMs = perSecond / 1_000;
  }

  /** The number of remembered keys. */
  get size(): number {
    return this.#buckets.size;
  }

  /** Takes one token. @returns 0, or the seconds until there is one. */
  take(key: string): number {
    const wait = this.wait(key);
    if (wait === 0) this.#use(key);
    return wait;
  }

  /** Seconds until a token can be taken; 0 when one can be taken now. Takes none. */
  wait(key: string): number {
    const missing = 1 - this.#level(this.#buckets.get(key));
    // A hair of tolerance: a refill computed in floating point may fall short of the whole token.
    return missing <= 1e-6 ? 0 : missing / this.#perMs / 1_000;
  }

  #level(bucket: Bucket | undefined): number {
    if (bucket === undefined) return this.#burst;
    const refilled = bucket.tokens + (this.#clock.monotonic() - bucket.at) * this.#perMs;
    return Math.min(this.#burst, refilled);
  }

  #use(key: string): void {
    const tokens = this.#level(this.#buckets.get(key)) - 1;
    this.#buckets.delete(key);
    for (const [oldest, bucket] of this.#buckets) {
      if (this.#level(bucket) < this.#burst) break;
      this.#buckets.delete(oldest);
    }
    this.#buckets.set(key, { tokens, at: this.#clock.monotonic() });
  }
}
