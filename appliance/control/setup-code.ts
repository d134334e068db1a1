import type { Clock } from "../base/clock.ts";
import { isSameSecret } from "../base/secrets.ts";
import { type Cancel, Signal } from "../base/signal.ts";

interface SetupCodeOptions {
  clock: Clock;
  /** A whole number from 0 to below `end`, unpredictable. */
  randomInt: (end: number) => number;
  /** True while nobody can sign in but by the code: there is no admin token. */
  needed: () => boolean;
}

/** What came of a code that somebody typed; `seconds` until it is worth trying again. */
type CodeOutcome =
  | { readonly kind: "right" }
  | { readonly kind: "wrong" }
  | { readonly kind: "refused"; readonly seconds: number };

const SHOWN_MS = 10 * 60_000;
const WRONG_CODES = 5;
const WITHIN_MS = 10 * 60_000;
const REFUSED_MS = 10 * 60_000;
const DIGITS = 6;

/** The six-digit code that signs in whoever can see the deck or the console. */
export class SetupCode {
  /** Another code, or none, is to be shown. */
  readonly changed = new Signal();
  readonly #clock: Clock;
  readonly #randomInt: SetupCodeOptions["randomInt"];
  readonly #needed: () => boolean;
  #code: string;
  #shownUntil = Number.NEGATIVE_INFINITY;
  #cancelHide: Cancel = () => {};
  /** Monotonic times of wrong codes, of the whole box. */
  #wrong: number[] = [];
  #refusedUntil = Number.NEGATIVE_INFINITY;

  constructor({ clock, randomInt, needed }: SetupCodeOptions) {
    this.#clock = clock;
    this.#randomInt = randomInt;
    this.#needed = needed;
    this.#code = this.#make();
  }

  /** What is to be shown now; undefined while no code is in force. */
  get shown(): string | undefined {
    return this.#needed() || this.#clock.monotonic() < this.#shownUntil ? this.#code : undefined;
  }

  /**
   * Shows the code for ten minutes, for somebody who stands at the box. Who does need not wait for
   * the end of a refusal that others on the network brought about.
   */
  show(): void {
    if (this.shown === undefined) this.#code = this.#make();
    this.#wrong = [];
    this.#refusedUntil = Number.NEGATIVE_INFINITY;
    this.#shownUntil = this.#clock.monotonic() + SHOWN_MS;
    this.#cancelHide();
    this.#cancelHide = this.#clock.after(SHOWN_MS, () => this.changed.emit());
    this.changed.emit();
  }

  /** Tries a code. The right one is used up by it. */
  use(code: string): CodeOutcome {
    const now = this.#clock.monotonic();
    if (now < this.#refusedUntil)
      return { kind: "refused", seconds: (this.#refusedUntil - now) / 1_000 };
    const expected = this.shown;
    if (expected !== undefined && isSameSecret(code, expected)) {
      this.#wrong = [];
      this.#shownUntil = Number.NEGATIVE_INFINITY;
      this.#code = this.#make();
      this.changed.emit();
      return { kind: "right" };
    }
    this.#wrong = [...this.#wrong.filter((at) => now - at < WITHIN_MS), now];
    if (this.#wrong.length >= WRONG_CODES) {
      this.#wrong = [];
      this.#refusedUntil = now + REFUSED_MS;
    }
    return { kind: "wrong" };
  }

  /** Ends the timer that hides the code again. */
  close(): void {
    this.#cancelHide();
  }

  #make(): string {
    return String(this.#randomInt(10 ** DIGITS)).padStart(DIGITS, "0");
  }
}
