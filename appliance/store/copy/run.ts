import { formatDay } from "../../base/calendar.ts";
import type { Clock } from "../../base/clock.ts";
import { firstDayOf, type Month } from "../blocks/month.ts";
import type { CopyEnd } from "./end.ts";
import { CopyRefused } from "./engine.ts";

/** The progress of a copy. */
export interface ProgressLine {
  readonly text: string;
  /** 0 to 1, of the days. */
  readonly share: number;
}

export interface CopyOptions {
  readonly from: CopyEnd;
  readonly to: CopyEnd;
  readonly clock: Pick<Clock, "now" | "monotonic" | "after">;
  /** Ends it after the transaction that runs, by Interrupted. */
  readonly signal: AbortSignal;
  /** Takes a sentence for the owner. */
  readonly say: (sentence: string) => void;
  readonly show: (line: ProgressLine) => void;
}

/** The copy was ended by its signal. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;
/** A database that is replaced by another is back by then. */
const PATIENCE_MS = 5 * 60_000;

type PatienceOptions = Omit<CopyOptions, "show">;

/** Does one step after the other, each again while one of the databases is away. */
export class Retries {
  readonly #options: PatienceOptions;

  constructor(options: PatienceOptions) {
    this.#options = options;
  }

  /** @param step may run more than once @throws {CopyRefused | Interrupted}, and the errors of `step` */
  async with<T>(step: () => Promise<T>): Promise<T> {
    const { clock, say } = this.#options;
    const since = clock.monotonic();
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      if (this.#options.signal.aborted) throw new Interrupted();
      try {
        return await step();
      } catch (error) {
        const where = this.#whoIsAway(error);
        if (where === undefined) throw this.#told(error);
        if (clock.monotonic() - since >= PATIENCE_MS)
          throw new CopyRefused(
            `${where} cannot be reached (${(error as Error).message}). What was copied stays; give the same command once it is back.`,
          );
        if (pause === FIRST_PAUSE_MS) say(`${where} cannot be reached. Trying again …`);
      }
      await this.#pass(pause);
    }
  }

  #whoIsAway(error: unknown): string | undefined {
    const { from, to } = this.#options;
    return [to, from].find((end) => end.engine.isAway(error))?.name;
  }

  #told(error: unknown): unknown {
    const { from, to } = this.#options;
    const problem = to.engine.problemOf(error) ?? from.engine.problemOf(error);
    return problem === undefined
      ? error
      : new CopyRefused(`${problem} What was copied stays; then give the same command again.`);
  }

  #pass(ms: number): Promise<void> {
    const { clock, signal } = this.#options;
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = clock.after(ms, resolve);
    const end = () => {
      cancel();
      resolve();
    };
    signal.addEventListener("abort", end);
    return promise.finally(() => signal.removeEventListener("abort", end));
  }
}

const SECOND_MS = 1_000;
const MINUTE_S = 60;

/** The progress of a copy. */
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
