import type { Clock } from "../../base/clock.ts";
import type { Cancel } from "../../base/signal.ts";

/** Runs a task on request, with so many milliseconds between two runs at least. */
export class Throttle {
  readonly #clock: Clock;
  readonly #everyMs: number;
  readonly #task: () => Promise<void>;
  #isAsked = false;
  #isPausing = false;
  #cancel: Cancel = () => {};

  constructor(clock: Clock, everyMs: number, task: () => Promise<void>) {
    this.#clock = clock;
    this.#everyMs = everyMs;
    this.#task = task;
  }

  /** Does it now, or when the pause is over. */
  ask(): void {
    this.#isAsked = true;
    if (!this.#isPausing) this.#do();
  }

  close(): void {
    this.#isAsked = false;
    this.#isPausing = true;
    this.#cancel();
  }

  #do(): void {
    this.#isAsked = false;
    this.#isPausing = true;
    this.#cancel = this.#clock.after(this.#everyMs, () => {
      this.#isPausing = false;
      if (this.#isAsked) this.#do();
    });
    void this.#task();
  }
}
