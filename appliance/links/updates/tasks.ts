import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { UpdaterRequest, UpdaterState } from "../../base/release/updater-state.ts";
import type { UpdateTask } from "./next-task.ts";
import type { UpdateTaskOutcome } from "./outcomes.ts";
import { refuse } from "./refusals.ts";
import type { Releases } from "./releases.ts";
import type { RootUpdater } from "./root.ts";

export interface UpdateTasksOptions {
  readonly clock: Clock;
  readonly log: Pick<Log, "warn">;
  readonly root: Pick<RootUpdater, "state" | "pending" | "request">;
  readonly releases: Pick<
    Releases,
    "candidates" | "download" | "check" | "fetch" | "takeIn" | "clean" | "lookAgain"
  >;
}

const COUNTDOWN_MS = 60_000;
const DONE = { kind: "done" } as const;

/** Carries out tasks about releases. */
export class UpdateTasks {
  /** Monotonic: when the countdown ends; null before it began. */
  countdownEnds: number | null = null;
  /** The monotonic time of the last request to the updater, or sign of its work. */
  heardAt: number;
  readonly #options: UpdateTasksOptions;

  constructor(options: UpdateTasksOptions) {
    this.#options = options;
    this.heardAt = options.clock.monotonic();
  }

  /** @throws {Refusal} `not_now` where the request cannot be written */
  async run(
    task: UpdateTask,
    state: UpdaterState,
    signal: AbortSignal,
  ): Promise<UpdateTaskOutcome> {
    const { clock, releases } = this.#options;
    switch (task.kind) {
      case "check":
        return releases.check(state, task.isAsked, signal);
      case "clean":
        return releases.clean(state);
      case "fetch":
        return releases.fetch(state, signal);
      case "request":
        await this.request(task.request, task.release);
        return DONE;
      case "count-down":
        this.countdownEnds = clock.monotonic() + COUNTDOWN_MS;
        return DONE;
      case "end":
        if (task.isRefused) await releases.lookAgain(signal);
        return DONE;
      default:
        return DONE;
    }
  }

  /** @throws {Refusal} `not_now` where it cannot be written */
  async request(request: UpdaterRequest, release?: number): Promise<void> {
    const { root, clock, log } = this.#options;
    this.heardAt = clock.monotonic();
    try {
      await root.request(request, release);
    } catch (err) {
      log.warn({ err }, "The updater could not be told");
      throw refuse("silent");
    }
  }
}
