import { type Clock, LONGEST_TIMER_MS } from "../../appliance/base/clock.ts";
import { Signal } from "../../appliance/base/signal.ts";

interface Timer {
  readonly due: number;
  readonly task: () => void;
}

/** A clock that stands still until it is told to go on; timers fire in order on the way. */
export class FakeClock implements Clock {
  readonly becameSure = new Signal();
  boot: string;
  #wall: number;
  #monotonic = 1_000;
  #sure: boolean;
  readonly #timers = new Set<Timer>();

  constructor(start: string | number = "2026-03-04T12:00:00Z", { sure = true, boot = "b1" } = {}) {
    this.#wall = new Date(start).getTime();
    this.#sure = sure;
    this.boot = boot;
  }

  now(): number {
    return this.#wall;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  get sure(): boolean {
    return this.#sure;
  }

  /** @throws {RangeError} where a timer of Node would ring at once */
  after(ms: number, task: () => void): () => void {
    if (!(ms <= LONGEST_TIMER_MS)) throw new RangeError(`no timer counts to ${ms} ms`);
    const timer = { due: this.#monotonic + ms, task };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  get timers(): number {
    return this.#timers.size;
  }

  /** Lets time pass on both clocks. */
  advance(ms: number): void {
    const end = this.#monotonic + ms;
    for (;;) {
      const next = this.#next(end);
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#pass(Math.max(0, next.due - this.#monotonic));
      next.task();
    }
    this.#pass(end - this.#monotonic);
  }

  /** Time passes while nothing runs, as on a machine that stands still; then all due timers fire. */
  jump(ms: number): void {
    this.#pass(ms);
    this.advance(0);
  }

  /** Steps the wall clock, as NTP or a person does. */
  setWall(time: string | number): void {
    this.#wall = new Date(time).getTime();
  }

  /** The wall clock is right from now on. */
  becomeSure(time: string | number = this.#wall): void {
    this.setWall(time);
    if (this.#sure) return;
    this.#sure = true;
    this.becameSure.emit();
  }

  /** The timer that rings first, of several the oldest; a month has a million of them. */
  #next(end: number): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of this.#timers)
      if (timer.due <= end && (next === undefined || timer.due < next.due)) next = timer;
    return next;
  }

  #pass(ms: number): void {
    this.#monotonic += ms;
    this.#wall += ms;
  }
}
