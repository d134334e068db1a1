import type { Clock } from "../clock.ts";
import { type BucketLimits, TokenBuckets } from "../token-buckets.ts";

/** Buckets of one kind, from fine to coarse: of an address, of a network, of the whole box. */
interface Layer extends BucketLimits {
  /** The key under which a client counts here; undefined where this layer does not hold it. */
  keyOf(who: string): string | undefined;
}

/** The layer of all together: by it the number of keys that the finer ones remember is bounded. */
export function allTogether(limits: BucketLimits): Layer {
  return { ...limits, keyOf: () => "" };
}

/** A rate that holds in every one of its layers. */
export class RateLimit {
  readonly #layers: readonly { buckets: TokenBuckets; keyOf: Layer["keyOf"] }[];

  constructor(clock: Pick<Clock, "monotonic">, layers: readonly Layer[]) {
    this.#layers = layers.map((layer) => ({
      buckets: new TokenBuckets(clock, layer),
      keyOf: layer.keyOf,
    }));
  }

  /** The number of remembered keys in all layers. */
  get size(): number {
    return this.#layers.reduce((sum, { buckets }) => sum + buckets.size, 0);
  }

  /** Takes one of every layer, or none. @returns 0, or the seconds until there is one of each. */
  take(who: string): number {
    const wait = this.wait(who);
    if (wait > 0) return wait;
    for (const { buckets, keyOf } of this.#layers) {
      const key = keyOf(who);
      if (key !== undefined) buckets.take(key);
    }
    return 0;
  }

  /** Seconds until one can be taken; takes none. */
  wait(who: string): number {
    return Math.max(0, ...this.#waits(who));
  }

  /** The same by the finest layer alone: the wait that a client brought about itself. */
  ownWait(who: string): number {
    return this.#waits(who)[0] ?? 0;
  }

  #waits(who: string): number[] {
    return this.#layers.map(({ buckets, keyOf }) => {
      const key = keyOf(who);
      return key === undefined ? 0 : buckets.wait(key);
    });
  }
}
