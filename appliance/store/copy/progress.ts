import { type Day, formatDay } from "../../base/calendar.ts";
import type { CopyOptions } from "./options.ts";

const SECOND_MS = 1_000;
const MINUTE_S = 60;

/** Tells how far a copy has come. */
export class Progress {
  readonly #options: Pick<CopyOptions, "clock" | "show">;
  readonly #all: number;
  readonly #since: number;
  /** Days of the sites that are done. */
  #before = 0;

  constructor(options: Pick<CopyOptions, "clock" | "show">, all: number) {
    this.#options = options;
    this.#all = all;
    this.#since = options.clock.monotonic();
  }

  /** @param done days of this site */
  at(site: string, day: Day | undefined, done: number): void {
    const all = this.#before + done;
    const share = this.#all === 0 ? 1 : all / this.#all;
    const seconds = (this.#options.clock.monotonic() - this.#since) / SECOND_MS;
    const rate = seconds > 0 ? all / seconds : 0;
    const parts = [
      day === undefined ? site : `${site} ${formatDay(day)}`,
      `${Math.floor(100 * share)} %`,
      ...(rate > 0
        ? [`${rate.toPrecision(2)} days/s`, `${left((this.#all - all) / rate)} left`]
        : []),
    ];
    this.#options.show({ text: parts.join(" · "), share });
  }

  /** A site is done, which has so many days. */
  done(days: number): void {
    this.#before += days;
  }

  surveys(brought: number): void {
    this.#options.show({ text: `surveys · ${brought}`, share: 1 });
  }
}

function left(seconds: number): string {
  return seconds < 2 * MINUTE_S
    ? `${Math.ceil(seconds)} s`
    : `${Math.ceil(seconds / MINUTE_S)} min`;
}
