/** A histogram: the number of values up to each bound. */
export class Histogram {
  readonly #bounds: readonly number[];
  readonly #counts: number[];
  #sum = 0;

  /** @param bounds the bounds of the buckets, ascending; a bucket without one follows */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = [...bounds, 0].map(() => 0);
  }

  observe(value: number): void {
    const found = this.#bounds.findIndex((bound) => value <= bound);
    const at = found < 0 ? this.#bounds.length : found;
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.#sum += value;
  }

  get sum(): number {
    return this.#sum;
  }

  /** For each bound, Infinity the last, how many were no larger. */
  get buckets(): readonly (readonly [bound: number, count: number])[] {
    let count = 0;
    return this.#counts.map((own, at) => {
      count += own;
      return [this.#bounds[at] ?? Number.POSITIVE_INFINITY, count];
    });
  }
}
