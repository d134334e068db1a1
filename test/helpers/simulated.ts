import assert from "node:assert/strict";
import { DAY_MS, HOUR_MS } from "../../appliance/base/calendar.ts";
import type { Clock } from "../../appliance/base/clock.ts";
import { type Documents, ONLY } from "../../appliance/base/documents.ts";
import { Signal } from "../../appliance/base/signal.ts";
import { type seeded, TEST_SEED } from "./seeded.ts";

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

/** False once it was cut: what is done without it reaches nothing. */
interface Power {
  on: boolean;
}

/** A machine whose service keeps one record on a card. A cut of the power begins it anew. */
export abstract class SimLife<Body> {
  readonly time = new SimTime();
  readonly card = new SimCard();
  readonly draw: ReturnType<typeof seeded>;
  protected clock = this.time.clock(true);
  /** The record on the card, as JSON. */
  protected kept: string | undefined;
  #power: Power = { on: true };
  readonly #notes: string[] = [];

  constructor(draw: SimLife<Body>["draw"]) {
    this.draw = draw;
  }

  protected abstract open(power: Power): Promise<void>;
  protected abstract close(): Promise<void>;
  /** Resolves once all is done that needs no time. */
  protected abstract rest(): Promise<void>;

  async start(isSure = true): Promise<void> {
    this.note(isSure ? "starts" : "starts without the time");
    this.#power = { on: true };
    // A clock that does not know the time says any, the future too.
    const off = this.draw.below(400 * DAY_MS) * this.draw.pick([1, -1]);
    this.clock = this.time.clock(isSure, "b", off);
    await this.open(this.#power);
  }

  async stop(isKilled: boolean): Promise<void> {
    this.note(isKilled ? "is killed" : "is stopped");
    if (isKilled) this.#power.on = false;
    await this.close();
    this.#power.on = false;
    this.card.isCut = false;
  }

  note(line: string): void {
    this.#notes.push(`${new Date(this.time.at).toISOString()} ${line}`);
  }

  said(): string {
    return this.#notes.slice(-40).join("\n");
  }

  async pass(ms: number): Promise<void> {
    const end = this.time.at + ms;
    do await this.#settle();
    while (this.time.next(end));
    await this.#settle();
  }

  async #settle(): Promise<void> {
    await this.rest();
    if (!this.card.isCut) return;
    await this.stop(true);
    await this.start();
    await this.#settle();
  }

  mishaps(): readonly (() => unknown)[] {
    const { card, draw } = this;
    return [
      () => {
        card.isBroken = !card.isBroken;
        this.note(`the card takes ${card.isBroken ? "nothing" : "writes"}`);
      },
      async () => {
        await this.stop(draw.random() < 0.5);
        await this.pass(draw.pick([0, HOUR_MS, draw.below(3 * DAY_MS)]));
        await this.start();
      },
      async () => {
        await this.stop(true);
        await this.start(false);
        await this.pass(draw.below(12) * HOUR_MS);
        this.note("learns the time");
        this.clock.becomeSure();
      },
    ];
  }

  protected documents(power: Power): Documents<Body> {
    return {
      list: async () =>
        this.kept === undefined
          ? []
          : [{ id: ONLY, body: JSON.parse(this.kept) as Body, revision: 1, size: 0 }],
      change: async ({ put = [] }) => {
        const isWritten = await this.card.write(power, () => {
          this.kept = JSON.stringify(put[0]?.body);
        });
        if (!isWritten) throw new Error("the card takes nothing");
      },
      file: async () => null,
    };
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
