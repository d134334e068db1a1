import type { Clock } from "../../base/clock.ts";
import { type Cancel, Signal } from "../../base/signal.ts";
import type { Fingers } from "./fingers.ts";

/** A gesture at a slot or an input. */
export interface Gesture {
  deck: string;
  slot: string;
  /** The place, from 0, of the page that showed. */
  page: number;
  kind: "press" | "hold" | "turn";
  /** The steps of a turn, positive when clockwise. */
  delta?: number;
  /** Epoch milliseconds. */
  at: number;
}

type GesturePlace = Pick<Gesture, "deck" | "slot">;

interface GesturesOptions {
  clock: Clock;
  fingers: Pick<Fingers, "pressed" | "released" | "turned">;
  /** The page that shows on a deck. */
  pageOf: (deck: string) => number;
  /** Whether a place has an action for a hold. */
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
  /** Presses that may become a hold, by place: each stops its timer. */
  readonly #waiting = new Map<string, Cancel>();

  constructor(options: GesturesOptions) {
    this.#options = options;
    const { pressed, released, turned } = options.fingers;
    this.#subscriptions = [
      pressed.on((at) => this.#down(at)),
      released.on((at) => {
        if (this.#forget(at) && !at.isLost) this.#tell(at, { kind: "press" });
      }),
      turned.on((at) => this.#tell(at, { kind: "turn", delta: at.delta })),
    ];
  }

  close(): void {
    for (const cancel of this.#subscriptions) cancel();
    for (const cancel of this.#waiting.values()) cancel();
    this.#waiting.clear();
  }

  #down(at: GesturePlace): void {
    this.#forget(at);
    if (this.#options.takes?.(at)) return;
    if (!this.#options.hasHold(at)) {
      this.#tell(at, { kind: "press" });
      return;
    }
    const cancel = this.#options.clock.after(HOLD_MS, () => {
      this.#forget(at);
      this.#tell(at, { kind: "hold" });
    });
    this.#waiting.set(keyOf(at), cancel);
  }

  /** @returns whether it might have become a hold */
  #forget(at: GesturePlace): boolean {
    this.#waiting.get(keyOf(at))?.();
    return this.#waiting.delete(keyOf(at));
  }

  #tell({ deck, slot }: GesturePlace, what: Pick<Gesture, "kind" | "delta">): void {
    const { clock, pageOf } = this.#options;
    this.made.emit({ deck, slot, page: pageOf(deck), ...what, at: clock.now() });
  }
}

function keyOf({ deck, slot }: GesturePlace): string {
  return `${deck} ${slot}`;
}
