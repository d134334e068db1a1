import { HOUR_MS } from "../base/calendar.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { type Cancel, Signal } from "../base/signal.ts";

/** A difference beyond the delays of networks and a busy machine. */
const FAR_MS = 30_000;

interface FleetClockOptions {
  /** The clock of this machine. */
  readonly clock: Clock;
  readonly log: Pick<Log, "warn">;
  /** The time (epoch ms) that it is where the database says `said`. */
  readonly databaseNow?: (said: number) => number;
}

/**
 * The clock of a database that many nodes count into, by which all of them date what they count. Until the database
 * has told its time it is an unsure clock, which shows that of this machine.
 */
export class FleetClock implements Clock {
  readonly becameSure = new Signal();
  readonly #machine: Clock;
  readonly #log: Pick<Log, "warn">;
  readonly #read: (said: number) => number;
  /** Epoch ms of the database at monotonic zero. */
  #zero: number | undefined;
  #warnedAt = -Infinity;

  constructor({ clock, log, databaseNow = (said) => said }: FleetClockOptions) {
    this.#machine = clock;
    this.#log = log;
    this.#read = databaseNow;
  }

  /** The database says that it is `said`, epoch ms. */
  hear(said: number): void {
    const isFirst = !this.sure;
    this.#zero = said - this.monotonic();
    if (isFirst) this.becameSure.emit();
    const ahead = this.#machine.now() - this.now();
    if (!this.#machine.sure || Math.abs(ahead) <= FAR_MS) return;
    if (this.monotonic() - this.#warnedAt < HOUR_MS) return;
    this.#warnedAt = this.monotonic();
    const seconds = Math.round(Math.abs(ahead) / 1_000);
    this.#log.warn(
      { seconds },
      `The clock of this machine is ${ahead > 0 ? "ahead of" : "behind"} that of the database. Hits count for the day that the database says: set whichever is wrong, best by NTP`,
    );
  }

  now(): number {
    if (this.#zero === undefined) return this.#machine.now();
    return this.#read(this.#zero + this.monotonic());
  }

  monotonic(): number {
    return this.#machine.monotonic();
  }

  get boot(): string {
    return this.#machine.boot;
  }

  get sure(): boolean {
    return this.#zero !== undefined;
  }

  after(ms: number, task: () => void): Cancel {
    return this.#machine.after(ms, task);
  }
}
