import type { Clock } from "../base/clock.ts";
import type { DayZone } from "../base/day-zone.ts";
import type { Log } from "../base/log.ts";
import type { EngineAnswer, EngineRequest } from "./engine.ts";
import type { FoldPlan } from "./queries.ts";

/** Sites that are folded at most in one go. */
const MAX_FOLDS = 20;

/** A plan of the reader's, whose steps are the engine's. */
export interface FoldWork {
  readonly plan: FoldPlan;
  /**
   * Does a step: of a plan, or, where it is null, of the one before.
   * @throws {Refusal} `storage_unavailable` when the plan is about another file
   */
  step(plan: FoldPlan | null): Promise<EngineAnswer>;
}

interface UpkeepOptions {
  clock: Clock;
  log: Pick<Log, "warn">;
  /** By which days begin now. */
  zone: () => DayZone;
  retentionDays: number;
  /** Asks the engine, once it is there. */
  send: (request: EngineRequest) => Promise<EngineAnswer>;
  /** What is too many of values, as of a day; null when nothing is. */
  plan: (today: number) => Promise<FoldWork | null>;
}

/** What is done for the data from time to time: pruning, packing, and folding what is too many. */
export class Upkeep {
  readonly #options: UpkeepOptions;
  #running: Promise<void> | undefined;
  #isClosing = false;

  constructor(options: UpkeepOptions) {
    this.#options = options;
  }

  /** Does all that is due, or joins who does it already. Never rejects. */
  once(): Promise<void> {
    this.#running ??= this.#step()
      .then(() => this.#fold())
      .catch((error: Error) => this.#later(error))
      .finally(() => {
        this.#running = undefined;
      });
    return this.#running;
  }

  /** The same, begun after now: what runs may have looked at the clock already. */
  async anew(): Promise<void> {
    await this.#running;
    await this.once();
  }

  close(): void {
    this.#isClosing = true;
  }

  async #step(): Promise<void> {
    const { clock, retentionDays, log, send, zone } = this.#options;
    for (;;) {
      const time = {
        boot: clock.boot,
        bootedAt: clock.sure ? clock.now() - clock.monotonic() : null,
        today: zone().today(clock.now()),
        zone: zone().setting,
        retentionDays,
      };
      const answer = await send({ kind: "upkeep", at: clock.monotonic(), time });
      if (!answer.ok)
        log.warn({ reason: answer.message }, "Upkeep failed; it is tried again later");
      if (!answer.ok || !answer.more) return;
    }
  }

  async #fold(): Promise<void> {
    const { clock, plan, zone } = this.#options;
    for (let round = 0; clock.sure && round < MAX_FOLDS; round++) {
      const work = await plan(zone().today(clock.now()));
      if (work === null) return;
      for (let more = true, next: FoldPlan | null = work.plan; more; next = null) {
        const answer = await work.step(next);
        if (!answer.ok) throw new Error(answer.message);
        more = answer.more;
      }
    }
  }

  #later(error: Error): void {
    // Then the next start does it.
    if (this.#isClosing) return;
    this.#options.log.warn(
      { reason: error.message },
      "Values could not be folded; it is tried again later",
    );
  }
}
