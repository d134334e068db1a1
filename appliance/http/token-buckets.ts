import type { Clock } from "../clock.ts";

export interface BucketLimits {
  /** How many at once. */
  burst: number;
  /** How many tokens come back in a second. */
  perSecond: number;
  /** Keys remembered; past it the one unused for longest is forgotten. */
  maxKeys?: number;
}

interface Bucket {
  tokens: number;
  at: number;
}

const MAX_KEYS = 10_000;

/** Token buckets by key, in memory, on monotonic time. */
export class TokenBuckets {
  readonly #clock: Clock;
  readonly #burst: number;
  readonly #perMs: number;
  readonly #maxKeys: number;
  // In order of use, so that the first is the one unused for longest.
  readonly #buckets = new Map<string, Bucket>();

  constructor(clock: Clock, { burst, perSecond, maxKeys = MAX_KEYS }: BucketLimits) {
    this.#clock = clock;
    this.#burst = burst;
    this.#perMs = perSecond / 1_000;
    this.#maxKeys = maxKeys;
  }

  /** Takes one token. @returns 0, or the seconds until there is one. */
  take(key: string): number {
    const wait = this.wait(key);
    if (wait === 0) this.#use(key).tokens -= 1;
    return wait;
  }

  /** Seconds until a token can be taken; 0 when one can be taken now. Takes none. */
  wait(key: string): number {
    const missing = 1 - this.#level(key);
    // A hair of tolerance: a refill computed in floating point may fall short of the whole token.
    return missing <= 1e-6 ? 0 : missing / this.#perMs / 1_000;
  }

  #level(key: string): number {
    const bucket = this.#buckets.get(key);
    if (bucket === undefined) return this.#burst;
    const refilled = bucket.tokens + (this.#clock.monotonic() - bucket.at) * this.#perMs;
    return Math.min(this.#burst, refilled);
  }

  #use(key: string): Bucket {
    const bucket = { tokens: this.#level(key), at: this.#clock.monotonic() };
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    for (const oldest of this.#buckets.keys()) {
      if (this.#buckets.size <= this.#maxKeys) break;
      this.#buckets.delete(oldest);
    }
    return bucket;
  }
}
