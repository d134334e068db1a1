import type { Clock } from "../../base/clock.ts";
import type { Cancel, Listenable } from "../../base/signal.ts";
import type { Numbers } from "../face/face-context.ts";
import type { StatWidget } from "../face/widget.ts";

type StatQuestion = Pick<StatWidget, "site" | "metric" | "period">;

/** The source of numbers for stat widgets. */
export interface NumberSource {
  /** The present number; undefined for an unknown site. */
  numbers(
    site: string,
    metric: StatWidget["metric"],
    period: StatWidget["period"],
  ): Promise<Numbers | undefined>;
  readonly changed: Listenable;
  /** A site, by its id, alarms of something from now on. */
  readonly alarmed: Listenable<string>;
}

interface StatNumbersOptions {
  readonly source: NumberSource;
  readonly clock: Clock;
  /** Questions whose numbers are visible now. */
  wanted(): Iterable<StatQuestion>;
  /** Questions that may be visible again. Their last numbers are kept until the next reading. */
  kept(): Iterable<StatQuestion>;
  onChange(): void;
}

/** The shortest time between two readings, since hits may come by the thousand. */
const AT_MOST_EVERY_MS = 500;

/** Holds the numbers that slots show, and reads them again when they may have changed. */
export class StatNumbers {
  readonly #options: StatNumbersOptions;
  readonly #known = new Map<string, Numbers | undefined>();
  readonly #unsubscribe: Cancel;
  #cancelPause: Cancel = () => {};
  #reading = false;
  #stale = false;
  #closed = false;

  constructor(options: StatNumbersOptions) {
    this.#options = options;
    this.#unsubscribe = options.source.changed.on(() => this.invalidate());
  }

  /** The numbers that were read last; undefined until then. */
  get(question: StatQuestion): Numbers | undefined {
    return this.#known.get(keyOf(question));
  }

  /** Reads all numbers again, at once, or after the shortest time between two readings. */
  invalidate(): void {
    if (this.#closed) return;
    this.#stale = this.#reading;
    if (this.#reading) return;
    this.#reading = true;
    let open = 2;
    const done = () => {
      open -= 1;
      if (open > 0) return;
      this.#reading = false;
      if (this.#stale) this.invalidate();
    };
    this.#cancelPause = this.#options.clock.after(AT_MOST_EVERY_MS, done);
    void this.#read().then(done);
  }

  close(): void {
    this.#closed = true;
    this.#cancelPause();
    this.#unsubscribe();
  }

  async #read(): Promise<void> {
    const questions = new Map([...this.#options.wanted()].map((wanted) => [keyOf(wanted), wanted]));
    await Promise.all(
      [...questions].map(async ([key, { site, metric, period }]) => {
        try {
          this.#known.set(key, await this.#options.source.numbers(site, metric, period));
        } catch {
          // The store reports its errors elsewhere. The last number stays.
        }
      }),
    );
    const kept = new Set([...this.#options.kept()].map(keyOf));
    for (const key of this.#known.keys()) if (!kept.has(key)) this.#known.delete(key);
    if (!this.#closed) this.#options.onChange();
  }
}

function keyOf({ site, metric, period }: StatQuestion): string {
  return `${site} ${metric} ${period}`;
}
