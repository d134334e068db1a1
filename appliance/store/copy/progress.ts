import { formatDay } from "../../base/calendar.ts";
import { firstDayOf, type Month } from "../blocks/month.ts";
import type { CopyOptions } from "./options.ts";

const SECOND_MS = 1_000;
const MINUTE_S = 60;

/** Tells how far a copy has come. */
export class Progress {
  readonly #options: Pick<CopyOptions, "clock" | "show">;
  readonly #sites: number;
  readonly #since: number;
  /** Sites that are done. */
  #done = 0;

  constructor(options: Pick<CopyOptions, "clock" | "show">, sites: number) {
    this.#options = options;
    this.#sites = sites;
    this.#since = options.clock.monotonic();
  }

  /** @param part of this site that is done, 0 to 1 */
  at(site: string, month: Month, part: number): void {
    const share = (this.#done + part) / this.#sites;
    const seconds = (this.#options.clock.monotonic() - this.#since) / SECOND_MS;
    const parts = [
      `${site} ${formatDay(firstDayOf(month)).slice(0, "2026-03".length)}`,
      `${Math.floor(100 * share)} %`,
      ...(share > 0 && seconds > 0 ? [`${left((seconds / share) * (1 - share))} left`] : []),
    ];
    this.#options.show({ text: parts.join(" · "), share });
  }

  /** A site is done. */
  done(): void {
    this.#done += 1;
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
