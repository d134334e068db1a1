import type { CopyEnd } from "./end.ts";
import { CopyRefused } from "./engine.ts";
import type { CopyOptions } from "./options.ts";

/** The copy was ended by its signal. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;
/** A database that is replaced by another is back by then. */
const PATIENCE_MS = 5 * 60_000;

interface PatienceOptions extends Pick<CopyOptions, "clock" | "signal" | "say"> {
  readonly from: CopyEnd;
  readonly to: CopyEnd;
}

/** Does one step after the other, each again while one of the databases is away. */
export class Patience {
  readonly #options: PatienceOptions;

  constructor(options: PatienceOptions) {
    this.#options = options;
  }

  /** @param step may run more than once @throws {CopyRefused | Interrupted}, and whatever `step` does */
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
    return [to, from].find((end) => end.isAway(error))?.name;
  }

  #told(error: unknown): unknown {
    const { from, to } = this.#options;
    const problem = to.problemOf(error) ?? from.problemOf(error);
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
