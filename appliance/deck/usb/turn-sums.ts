/** Adds up the steps of dials that come within one turn of the event loop: a fast hand makes many. */
export class TurnSums {
  readonly #tell: (input: string, delta: number) => void;
  readonly #sums = new Map<string, number>();

  /** @param tell hears of every dial once, with the sum of its steps, unless that is zero */
  constructor(tell: (input: string, delta: number) => void) {
    this.#tell = tell;
  }

  add(input: string, steps: number): void {
    if (this.#sums.size === 0) setImmediate(() => this.flush());
    this.#sums.set(input, (this.#sums.get(input) ?? 0) + steps);
  }

  /** Tells what there is now, so that what comes next is told after it. */
  flush(): void {
    const sums = [...this.#sums];
    this.#sums.clear();
    for (const [input, delta] of sums) if (delta !== 0) this.#tell(input, delta);
  }
}
