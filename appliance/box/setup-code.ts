import type { Clock } from "../base/clock.ts";
import { addressKey } from "../base/http/client.ts";
import { type Cancel, Signal } from "../base/signal.ts";
import { isSameSecret } from "../base/system/secrets.ts";
import { TokenBuckets } from "../base/token-buckets.ts";

interface SetupCodeOptions {
  clock: Clock;
  /** A whole number from 0 to below `end`, unpredictable. */
  randomInt: (end: number) => number;
  /** Whether the code is the only way to sign in, because there is no admin token. */
  needed: () => boolean;
  /**
   * Whether another code comes, and all wrong ones are forgotten, ten minutes after the whole box had too many: where no key
   * can be held, strangers would keep the owner out for as long as they like.
   */
  renews?: boolean;
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
  readonly #options: SetupCodeOptions;
  readonly #wrong: WrongCodes;
  #code: string;
  #shownUntil = Number.NEGATIVE_INFINITY;
  #cancelHide: Cancel = () => {};
  /** Undefined while no other code is on its way. */
  #cancelRenewal: Cancel | undefined;

  constructor(options: SetupCodeOptions) {
    this.#options = options;
    this.#wrong = new WrongCodes(options.clock);
    this.#code = this.#make();
  }

  /** The code to be shown now; undefined while none is in force. */
  get shown(): string | undefined {
    const { clock, needed } = this.#options;
    return needed() || clock.monotonic() < this.#shownUntil ? this.#code : undefined;
  }

  /**
   * Shows the code for ten minutes, after a request at the box itself. It also ends a refusal due to wrong codes of others on
   * the network.
   */
  show(): void {
    if (this.shown === undefined) this.#code = this.#make();
    this.#wrong.clear();
    this.#shownUntil = this.#options.clock.monotonic() + SHOWN_MS;
    this.#cancelHide();
    this.#cancelHide = this.#options.clock.after(SHOWN_MS, () => this.changed.emit());
    this.changed.emit();
  }

  /** Tries a code of an address. The right one works once. */
  use(code: string, address: string): CodeOutcome {
    const seconds = this.#wrong.wait(address);
    if (seconds > 0) return { kind: "refused", seconds };
    const expected = this.shown;
    if (expected === undefined || !isSameSecret(code, expected)) {
      this.#wrong.note(address);
      if (this.#options.renews && this.#wrong.isFull) this.#renewLater();
      return { kind: "wrong" };
    }
    this.#wrong.forgive(address);
    this.#shownUntil = Number.NEGATIVE_INFINITY;
    this.#code = this.#make();
    this.changed.emit();
    return { kind: "right" };
  }

  close(): void {
    this.#cancelHide();
    this.#cancelRenewal?.();
  }

  #renewLater(): void {
    this.#cancelRenewal ??= this.#options.clock.after(REFUSED_MS, () => {
      this.#cancelRenewal = undefined;
      this.#code = this.#make();
      this.#wrong.clear();
      this.changed.emit();
    });
  }

  #make(): string {
    return String(this.#options.randomInt(10 ** DIGITS)).padStart(DIGITS, "0");
  }
}

const WITHIN_MS = 10 * 60_000;
const REFUSED_MS = 10 * 60_000;
/** The wrong codes allowed to an address. */
const OWN = 5;
/** The wrong codes allowed to an IPv6 /64, which a guest and the owner may share: one address alone never gets there. */
const NEIGHBOURS = 10;
/**
 * The limit of the whole box, which is checked last. It refills at the same rate, 720 tries a day, and its bucket is so
 * much larger that one address never empties it.
 */
const ALL = { burst: 20, perSecond: OWN / (WITHIN_MS / 1_000) };
const BOX = "";

interface Tries {
  /** Monotonic times of wrong codes. */
  wrong: readonly number[];
  refusedUntil: number;
}

/** Counts wrong setup codes by address. The limit of the whole box also bounds the number of addresses. */
class WrongCodes {
  readonly #clock: Pick<Clock, "monotonic">;
  #box: TokenBuckets;
  readonly #tries = new Map<string, Tries>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
    this.#box = new TokenBuckets(clock, ALL);
  }

  /** Seconds until a code from this address is looked at; 0 for now. */
  wait(address: string): number {
    const now = this.#clock.monotonic();
    const waits = limitsOf(address).map(
      ([key]) => (this.#tries.get(key)?.refusedUntil ?? now) - now,
    );
    return Math.max(this.#box.wait(BOX), ...waits.map((ms) => ms / 1_000));
  }

  /** Whether the whole box takes no more for now. */
  get isFull(): boolean {
    return this.#box.wait(BOX) > 0;
  }

  note(address: string): void {
    const now = this.#clock.monotonic();
    this.#box.take(BOX);
    for (const [key, tries] of this.#tries) if (isOver(tries, now)) this.#tries.delete(key);
    for (const [key, most] of limitsOf(address)) {
      const before = this.#tries.get(key)?.wrong ?? [];
      const wrong = [...before.filter((at) => now - at < WITHIN_MS), now];
      const isFull = wrong.length >= most;
      this.#tries.set(key, { wrong, refusedUntil: isFull ? now + REFUSED_MS : now });
    }
  }

  forgive(address: string): void {
    this.#tries.delete(address);
  }

  clear(): void {
    this.#tries.clear();
    this.#box = new TokenBuckets(this.#clock, ALL);
  }
}

function limitsOf(address: string): [key: string, most: number][] {
  const network = addressKey(address);
  const own: [string, number] = [address, OWN];
  return network === address ? [own] : [own, [network, NEIGHBOURS]];
}

function isOver({ wrong, refusedUntil }: Tries, now: number): boolean {
  return now >= refusedUntil && wrong.every((at) => now - at >= WITHIN_MS);
}
