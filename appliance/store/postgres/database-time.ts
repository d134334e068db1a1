import { DAY_MS, type Day } from "../../base/calendar.ts";
import type { Clock } from "../../base/clock.ts";
import { DayZone } from "../../base/day-zone.ts";
import type { Log } from "../../base/log.ts";
import type { Sql } from "../sql.ts";

/** A difference beyond the delays of networks and a busy machine. */
const FAR_MS = 30_000;
const TELL_EVERY_MS = DAY_MS / 24;

/** The clock of the database, which all nodes go by where they must agree. */
export class DatabaseTime {
  readonly #clock: Clock;
  readonly #log: Pick<Log, "warn">;
  readonly #read: (said: number) => number;
  /** Epoch ms at monotonic zero. */
  #zero: number | undefined;
  #toldAt = -Infinity;
  /** The zone in which days begin. */
  zone = new DayZone();

  /** @param read corrects the time of the database */
  constructor(clock: Clock, log: Pick<Log, "warn">, read: (said: number) => number) {
    this.#clock = clock;
    this.#log = log;
    this.#read = read;
  }

  /** The database says that it is `said`, epoch ms. */
  hear(said: number): void {
    const time = this.#read(said);
    this.#zero = time - this.#clock.monotonic();
    const ahead = this.#clock.now() - time;
    if (!this.#clock.sure || Math.abs(ahead) <= FAR_MS) return;
    if (this.#clock.monotonic() - this.#toldAt < TELL_EVERY_MS) return;
    this.#toldAt = this.#clock.monotonic();
    const seconds = Math.round(Math.abs(ahead) / 1_000);
    this.#log.warn(
      { seconds },
      `The clock of this machine is ${ahead > 0 ? "ahead of" : "behind"} that of the database. Hits count for the day that this machine says: set its clock, best by NTP`,
    );
  }

  /** Epoch milliseconds; by this machine's clock until the database has answered. */
  now(): number {
    return this.#zero === undefined ? this.#clock.now() : this.#zero + this.#clock.monotonic();
  }

  today(): Day {
    return this.zone.today(this.now());
  }
}

/** The time (epoch ms) that it is where a database says it. */
export async function saidNow(sql: Pick<Sql, "rows">): Promise<number> {
  const [said] = await sql.rows<{ now: number }>("SELECT extract(epoch FROM now()) * 1000 AS now");
  return said?.now ?? 0;
}
