import type { Clock } from "../../../base/clock.ts";

/** Growing, random pauses between retries, which can be ended. */
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
   * Pauses after failures in a row, for a random time of at least half of the full pause.
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

  /** Ends all pauses, future ones included. */
  end(): void {
    this.#isEnded = true;
    for (const end of this.#ends) end();
  }
}
