import type { Clock } from "../../base/clock.ts";
import { type Cancel, Signal } from "../../base/signal.ts";
import type { Direction, DriverInput } from "../usb/model.ts";

interface FingerPlace {
  deck: string;
  slot: string;
}

interface FingerRelease extends FingerPlace {
  /** Whether the deck was disconnected while the place was held. */
  isLost: boolean;
}

/** A turn of a dial by so many steps; clockwise ones are positive. */
interface Turn extends FingerPlace {
  delta: number;
}

interface Swipe {
  deck: string;
  direction: Direction;
}

const HELD_MS = 5_000;
/** The length of a simulated press that counts as a hold. */
const LONG_PRESS_MS = 1_000;

/** The fingers on decks, real ones and those of the Web UI. */
export class Fingers {
  /** A key, a zone or an input went down. */
  readonly pressed = new Signal<FingerPlace>();
  /** Emits releases, at once where the firmware does not report them. */
  readonly released = new Signal<FingerRelease>();
  /** A finger held an input for five seconds. */
  readonly held = new Signal<FingerPlace>();
  readonly turned = new Signal<Turn>();
  readonly swiped = new Signal<Swipe>();
  readonly #clock: Clock;
  readonly #counts: (deck: string) => boolean;
  /** Places that are pressed, each with the cancellation of its timer. */
  readonly #down = new Map<string, { at: FingerPlace; cancel: Cancel }>();
  /** Functions that stop the timers of long presses, by place. */
  readonly #long = new Map<string, Cancel>();

  /** @param counts whether input of a deck counts; it is called for each */
  constructor(clock: Clock, counts: (deck: string) => boolean = () => true) {
    this.#clock = clock;
    this.#counts = counts;
  }

  /** Takes what the driver of a deck reports. */
  take(deck: string, { what, place, by }: DriverInput): void {
    const at = { deck, slot: place };
    if (what === "tap") this.tap(at);
    else if (what === "turn") this.turn({ ...at, delta: by });
    else if (what === "swipe") this.swipe({ deck, direction: place });
    else this.key(at, what === "down");
  }

  key(at: FingerPlace, down: boolean): void {
    if (down) this.#press(at);
    else this.#release({ ...at, isLost: false });
  }

  /** Handles a press of a place that reports no release. */
  tap(at: FingerPlace): void {
    if (!this.#counts(at.deck)) return;
    this.pressed.emit(at);
    this.released.emit({ ...at, isLost: false });
  }

  turn(turn: Turn): void {
    if (this.#counts(turn.deck)) this.turned.emit(turn);
  }

  swipe(swipe: Swipe): void {
    if (this.#counts(swipe.deck)) this.swiped.emit(swipe);
  }

  /** Presses a place, and lets it go after a while. */
  hold(at: FingerPlace): void {
    const key = keyOf(at);
    this.#long.get(key)?.();
    this.#long.set(
      key,
      this.#clock.after(LONG_PRESS_MS, () => {
        this.#long.delete(key);
        this.key(at, false);
      }),
    );
    this.key(at, true);
  }

  /** Releases all places of a disconnected deck. */
  lose(deck: string): void {
    for (const { at } of this.#down.values())
      if (at.deck === deck) this.#release({ ...at, isLost: true });
  }

  close(): void {
    for (const { cancel } of this.#down.values()) cancel();
    for (const cancel of this.#long.values()) cancel();
  }

  #press(at: FingerPlace): void {
    if (!this.#counts(at.deck)) return;
    const key = keyOf(at);
    this.#down.get(key)?.cancel();
    this.#down.set(key, { at, cancel: this.#clock.after(HELD_MS, () => this.held.emit(at)) });
    this.pressed.emit(at);
  }

  #release(release: FingerRelease): void {
    const key = keyOf(release);
    this.#down.get(key)?.cancel();
    if (this.#down.delete(key)) this.released.emit(release);
  }
}

function keyOf({ deck, slot }: FingerPlace): string {
  return `${deck} ${slot}`;
}
