import type { Clock } from "../../base/clock.ts";
import type { Cancel, Listenable } from "../../base/signal.ts";
import type { DriverInput } from "../usb/model.ts";

export interface Person {
  readonly say: (line: string) => void;
  /** Emits each line that was typed. */
  readonly typed: Listenable<string>;
  /** Emits when it is to end now, as by Ctrl+C. */
  readonly stopped: Listenable;
}

/** A tour that does not come to its end, with the reason as a sentence. */
export class TourEnded extends Error {
  override readonly name = "TourEnded";
  /** Whether the deck is the reason, and not the person. */
  readonly isDecks: boolean;

  constructor(message: string, isDecks = false) {
    super(message);
    this.isDecks = isDecks;
  }
}

type Incoming =
  | ({ readonly kind: "heard" } & DriverInput)
  | { readonly kind: "typed"; readonly line: string }
  | { readonly kind: "gone" | "came" | "time" };

/** More that came in than anybody waits for is dropped. */
const MOST_WAITING = 1_000;

/** Queues what a person, a deck and a plug do, for whoever waits for it. */
export class EventQueue {
  readonly #clock: Pick<Clock, "after">;
  readonly #subscriptions: Cancel[];
  readonly #stop = Promise.withResolvers<never>();
  #waiting: Incoming[] = [];
  #wake: () => void = () => {};

  constructor(clock: Pick<Clock, "after">, { typed, stopped }: Person) {
    this.#clock = clock;
    this.#stop.promise.catch(() => {});
    this.#subscriptions = [
      typed.on((line) => {
        if (/^\s*q/i.test(line)) this.#stop.reject(new TourEnded("You ended it."));
        else this.put({ kind: "typed", line });
      }),
      stopped.on(() => this.#stop.reject(new TourEnded("You ended it."))),
    ];
  }

  put(incoming: Incoming): void {
    // A deck that floods its host leaves the person's words alone.
    if (incoming.kind !== "heard" || this.#waiting.length < MOST_WAITING)
      this.#waiting.push(incoming);
    this.#wake();
  }

  /** Forgets all that came in before a question was asked. */
  clear(): void {
    this.#waiting = [];
  }

  /** The next that comes in; `time` where nothing does. @throws {TourEnded} */
  async next(ms: number): Promise<Incoming> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const first = this.#waiting.shift();
    if (first !== undefined) return first;
    const cancel = this.#clock.after(ms, resolve);
    try {
      await Promise.race([promise, this.#stop.promise]);
    } finally {
      cancel();
    }
    return this.#waiting.shift() ?? { kind: "time" };
  }

  /** Waits for `work` for so long. @throws {TourEnded} with `late` after that, or when the person ends it */
  async within<T>(ms: number, work: Promise<T>, late: string): Promise<T> {
    const over = Promise.withResolvers<never>();
    const cancel = this.#clock.after(ms, () => over.reject(new TourEnded(late, true)));
    try {
      return await Promise.race([work, over.promise, this.#stop.promise]);
    } finally {
      cancel();
    }
  }

  close(): void {
    for (const cancel of this.#subscriptions) cancel();
  }
}
