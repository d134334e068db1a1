import type { Clock } from "../../../base/clock.ts";

/** Pauses before something is tried again, which grow and differ; none is left once they are ended. */
export class Pauses {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #ends = new Set<() => void>();
  #isEnded = false;

  /** @param random 0–1 */
  constructor(clock: Clock, random: () => number) {
    this.#clock = clock;
    this.#random = random;
  }

  /**
   * The pause after so many failures in a row, of which the first makes 1: half of it at least.
   * @param first ms @param longest ms
   */
  async after(failures: number, first: number, longest: number): Promise<void> {
    if (this.#isEnded) return;
    const ms = Math.min(longest, first * 2 ** (failures - 1));
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#clock.after(ms * (0.5 + this.#random() / 2), resolve);
    this.#ends.add(resolve);
    await promise;
    this.#ends.delete(resolve);
    cancel();
  }

  /** Ends those that run, and any to come. */
  end(): void {
    this.#isEnded = true;
    for (const end of this.#ends) end();
  }
}
