import type { Cancel, Listenable } from "./signal.ts";

/** The longest timer of Node, in milliseconds. A longer one would fire at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The time, as all of the appliance reads it. Tests pass a fake. */
export interface Clock {
  /** Wall clock, epoch milliseconds. May step. */
  now(): number;
  /** Milliseconds since this boot; never steps. */
  monotonic(): number;
  /** Names this boot of the machine: monotonic times are only comparable within one boot. */
  readonly boot: string;
  /** False while the wall clock cannot be trusted to name the day. Never turns false again. */
  readonly sure: boolean;
  /** Emitted once, unless the clock was sure from the beginning. */
  readonly becameSure: Listenable;
  /**
   * Runs `task` once after `ms` milliseconds, at most LONGEST_TIMER_MS. It does not keep the process alive.
   */
  after(ms: number, task: () => void): Cancel;
}

/** Runs a task every `ms` milliseconds, until it is cancelled. */
export function every(clock: Pick<Clock, "after">, ms: number, task: () => void): Cancel {
  let cancel = clock.after(ms, function again() {
    cancel = clock.after(ms, again);
    task();
  });
  return () => cancel();
}
