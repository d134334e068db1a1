import assert from "node:assert/strict";
import type { Clock } from "../../appliance/base/clock.ts";
import { Signal } from "../../appliance/base/signal.ts";
import { TEST_SEED } from "./seeded.ts";

/** Time in the simulation: `true` since its start, and the wall clock, which may be wrong. */
export class SimTime {
  /** Milliseconds, true; what the world counts by. */
  at = Date.UTC(2026, 11, 1);
  /** The lead of the wall clock, in milliseconds. */
  ahead = 0;
  /** The time at which it was set last. */
  steppedAt = 0;
  readonly #timers = new Set<{ due: number; task: () => void }>();

  /** The clock of one run of the service. @param off its error while it is not sure, in milliseconds */
  clock(sure: boolean, boot = "b", off = 0): Clock & { becomeSure(): void } {
    const time = this;
    const becameSure = new Signal();
    let isSure = sure;
    return {
      now: () => time.at + time.ahead + (isSure ? 0 : off),
      monotonic: () => time.at,
      boot,
      get sure() {
        return isSure;
      },
      becameSure,
      becomeSure() {
        if (isSure) return;
        isSure = true;
        becameSure.emit();
      },
      after(ms, task) {
        const timer = { due: time.at + ms, task };
        time.#timers.add(timer);
        return () => void time.#timers.delete(timer);
      },
    };
  }

  /** Sets the wall clock, rightly or not. */
  step(ahead: number): void {
    if (ahead !== this.ahead) this.steppedAt = this.at;
    this.ahead = ahead;
  }

  /** Goes on to the next timer, or to `end` where none is due before. @returns false at the end */
  next(end: number): boolean {
    let first: { due: number; task: () => void } | undefined;
    for (const timer of this.#timers)
      if (first === undefined || timer.due < first.due) first = timer;
    if (first === undefined || first.due > end) {
      this.at = Math.max(this.at, end);
      return false;
    }
    this.#timers.delete(first);
    this.at = Math.max(this.at, first.due);
    first.task();
    return true;
  }
}

/** A card, which keeps exactly the written data after a power cut. */
export class SimCard {
  /** The power goes at this write: before it, or after. */
  cut: { writes: number; isAfter: boolean } | undefined;
  isCut = false;
  /** Whether it takes no write, like a full one. */
  isBroken = false;

  /** @param power is false once it was cut @returns false where it was not written */
  async write(power: { on: boolean }, put: () => void): Promise<boolean> {
    if (!power.on || this.isBroken) return false;
    const isNow = this.cut !== undefined && --this.cut.writes <= 0;
    const isAfter = this.cut?.isAfter === true;
    if (!isNow || isAfter) put();
    if (isNow) {
      this.cut = undefined;
      this.isCut = true;
      power.on = false;
    }
    return true;
  }
}

/** The number of lives of each box, of seeds that follow each other. */
export const LIVES = Number(process.env.SIM_LIVES ?? 1);

/** Has a box live through each seed, and names those by which something went wrong. */
export async function eachLife(live: (seed: number) => Promise<void>): Promise<void> {
  const failed: string[] = [];
  for (let seed = TEST_SEED; seed < TEST_SEED + LIVES; seed++)
    await live(seed).catch((error: Error) => {
      failed.push(`with TEST_SEED=${seed}: ${error.stack}`);
    });
  if (failed.length > 0) assert.fail(failed.join("\n\n"));
}
