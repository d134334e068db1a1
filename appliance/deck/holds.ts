import type { Clock } from "../base/clock.ts";
import type { Cancel } from "../base/signal.ts";

const HOLD_MS = 5_000;

/** Notices when one of many keys is held for five seconds. */
export class Holds {
  readonly #clock: Clock;
  readonly #timers = new Map<string, Cancel>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  down(key: string, onHeld: () => void): void {
    this.up(key);
    const cancel = this.#clock.after(HOLD_MS, () => {
      this.#timers.delete(key);
      onHeld();
    });
    this.#timers.set(key, cancel);
  }

  up(key: string): void {
    this.#timers.get(key)?.();
    this.#timers.delete(key);
  }

  close(): void {
    for (const key of [...this.#timers.keys()]) this.up(key);
  }
}
