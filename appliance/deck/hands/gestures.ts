import type { Clock } from "../../base/clock.ts";
import { type Cancel, Signal } from "../../base/signal.ts";
import type { Fingers } from "./fingers.ts";

export interface Gesture {
  deck: string;
  slot: string;
  /** The place, from 0, of the page that showed when it began. */
  page: number;
  kind: "press" | "hold" | "turn";
  /** The steps of a turn, positive when clockwise. */
  delta?: number;
  /** Epoch milliseconds. */
  at: number;
}

interface Waiting {
  /** The page on which it began. */
  readonly page: number;
  readonly cancel: Cancel;
}

type GesturePlace = Pick<Gesture, "deck" | "slot">;

interface GesturesOptions {
  clock: Clock;
  fingers: Pick<Fingers, "pressed" | "released" | "turned">;
  /** The page that shows on a deck. */
  pageOf: (deck: string) => number;
  hasHold: (at: GesturePlace) => boolean;
  /** Takes a press for itself, where the place shows something else than its widget. */
  takes?: (at: GesturePlace) => boolean;
}

/** The time after which a press is a hold. */
const HOLD_MS = 500;

/**
 * Distinguishes presses, holds and turns. A press is emitted at once, or, at a place with an action for a hold, at its
 * release.
 */
export class Gestures {
  readonly made = new Signal<Gesture>();
  readonly #options: GesturesOptions;
  readonly #subscriptions: readonly Cancel[];
  /** Presses that may become a hold, by place. */
  readonly #waiting = new Map<string, Waiting>();

  constructor(options: GesturesOptions) {
    this.#options = options;
    const { pressed, released, turned } = options.fingers;
    this.#subscriptions = [
      pressed.on((at) => this.#down(at)),
      released.on((at) => {
        const page = this.#forget(at);
        if (page !== undefined && !at.isLost) this.#tell(at, page, { kind: "press" });
      }),
      turned.on((at) => this.#tell(at, this.#pageOf(at), { kind: "turn", delta: at.delta })),
    ];
  }

  close(): void {
    for (const cancel of this.#subscriptions) cancel();
    for (const { cancel } of this.#waiting.values()) cancel();
    this.#waiting.clear();
  }

  /** Presses of a deck that was set up anew come to nothing: its pages may be others. */
  drop(deck: string): void {
    for (const [key, { cancel }] of this.#waiting)
      if (key.startsWith(`${deck} `)) {
        cancel();
        this.#waiting.delete(key);
      }
  }

  #down(at: GesturePlace): void {
    this.#forget(at);
    if (this.#options.takes?.(at)) return;
    // The page may turn under the finger: what was pressed acts, not what comes to its place.
    const page = this.#pageOf(at);
    if (!this.#options.hasHold(at)) {
      this.#tell(at, page, { kind: "press" });
      return;
    }
    const cancel = this.#options.clock.after(HOLD_MS, () => {
      this.#forget(at);
      this.#tell(at, page, { kind: "hold" });
    });
    this.#waiting.set(keyOf(at), { page, cancel });
  }

  /** @returns the page of a press that might have become a hold; undefined where there is none */
  #forget(at: GesturePlace): number | undefined {
    const waiting = this.#waiting.get(keyOf(at));
    waiting?.cancel();
    this.#waiting.delete(keyOf(at));
    return waiting?.page;
  }

  #pageOf({ deck }: GesturePlace): number {
    return this.#options.pageOf(deck);
  }

  #tell({ deck, slot }: GesturePlace, page: number, what: Pick<Gesture, "kind" | "delta">): void {
    this.made.emit({ deck, slot, page, ...what, at: this.#options.clock.now() });
  }
}

function keyOf({ deck, slot }: GesturePlace): string {
  return `${deck} ${slot}`;
}
