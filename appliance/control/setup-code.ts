import type { Clock } from "../base/clock.ts";
import { type Cancel, Signal } from "../base/signal.ts";
import { isSameSecret } from "../system/secrets.ts";
import { WrongCodes } from "./wrong-codes.ts";

interface SetupCodeOptions {
  clock: Clock;
  /** A whole number from 0 to below `end`, unpredictable. */
  randomInt: (end: number) => number;
  /** Whether the code is the only way to sign in, because there is no admin token. */
  needed: () => boolean;
}

/** The outcome of a code that was typed; `seconds` until it is worth trying again. */
type CodeOutcome =
  | { readonly kind: "right" }
  | { readonly kind: "wrong" }
  | { readonly kind: "refused"; readonly seconds: number };

const SHOWN_MS = 10 * 60_000;
const DIGITS = 6;

/** The six-digit code for signing in, for people who can see the deck or the console. */
export class SetupCode {
  /** Another code, or none, is to be shown. */
  readonly changed = new Signal();
  readonly #clock: Clock;
  readonly #randomInt: SetupCodeOptions["randomInt"];
  readonly #needed: () => boolean;
  readonly #wrong: WrongCodes;
  #code: string;
  #shownUntil = Number.NEGATIVE_INFINITY;
  #cancelHide: Cancel = () => {};

  constructor({ clock, randomInt, needed }: SetupCodeOptions) {
    this.#clock = clock;
    this.#randomInt = randomInt;
    this.#needed = needed;
    this.#wrong = new WrongCodes(clock);
    this.#code = this.#make();
  }

  /** The code to be shown now; undefined while none is in force. */
  get shown(): string | undefined {
    return this.#needed() || this.#clock.monotonic() < this.#shownUntil ? this.#code : undefined;
  }

  /**
   * Shows the code for ten minutes, after a request at the box itself. It also ends a refusal due to wrong codes of others on
   * the network.
   */
  show(): void {
    if (this.shown === undefined) this.#code = this.#make();
    this.#wrong.clear();
    this.#shownUntil = this.#clock.monotonic() + SHOWN_MS;
    this.#cancelHide();
    this.#cancelHide = this.#clock.after(SHOWN_MS, () => this.changed.emit());
    this.changed.emit();
  }

  /** Tries a code of an address. The right one works once. */
  use(code: string, address: string): CodeOutcome {
    const seconds = this.#wrong.wait(address);
    if (seconds > 0) return { kind: "refused", seconds };
    const expected = this.shown;
    if (expected === undefined || !isSameSecret(code, expected)) {
      this.#wrong.note(address);
      return { kind: "wrong" };
    }
    this.#wrong.forgive(address);
    this.#shownUntil = Number.NEGATIVE_INFINITY;
    this.#code = this.#make();
    this.changed.emit();
    return { kind: "right" };
  }

  /** Ends the timer that hides the code again. */
  close(): void {
    this.#cancelHide();
  }

  #make(): string {
    return String(this.#randomInt(10 ** DIGITS)).padStart(DIGITS, "0");
  }
}
