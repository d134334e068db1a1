import { DAY_MS } from "../base/calendar.ts";
import type { Log } from "../base/log.ts";
import type { UpdaterRequest, UpdaterState } from "../release/updater-state.ts";
import type { UpdateFacts, UpdateTask } from "./next-task.ts";
import { refuse } from "./refusals.ts";
import type { Releases, ReleasesOptions } from "./releases.ts";
import type { RootUpdater } from "./root.ts";
import { nextCheck, nextTry } from "./schedule.ts";
import { newWish, nightFor, type WishTimes } from "./wishes.ts";

export interface UpdateTasksOptions extends ReleasesOptions, WishTimes {
  readonly log: Pick<Log, "warn">;
  readonly root: RootUpdater;
}

const COUNTDOWN_MS = 60_000;
/**
 * A wish that the owner called off, or that came to nothing, is not begun again by itself before.
 */
const REST_OF_WISH_MS = DAY_MS;
/** A host that sends this much, and then breaks off, will be done in the end. */
const ENOUGH_BYTES = 1_048_576;

/** The tasks about releases, once they are decided. */
export class UpdateTasks {
  /** Monotonic: when the countdown ends; null before it began. */
  countdownEnds: number | null = null;
  /** Monotonic: when the updater was asked for something, or seen to do it. */
  heardAt: number;
  readonly #options: UpdateTasksOptions;
  readonly #releases: Releases;

  constructor(options: UpdateTasksOptions, releases: Releases) {
    this.#options = options;
    this.#releases = releases;
    this.heardAt = options.clock.monotonic();
  }

  /** @throws {Refusal} `not_now` where the updater cannot be told */
  async run(task: UpdateTask, { state, now }: UpdateFacts, signal: AbortSignal): Promise<void> {
    const { clock, random, record } = this.#options;
    const { wish } = record.now;
    switch (task.kind) {
      case "plan-check":
        return record.change({ nextCheckAt: nextCheck(now, "first", random()) });
      case "check":
        return this.#releases.check(state, false, signal);
      case "clean":
        return this.#releases.clean(state);
      case "wish":
        return record.change({
          wish: newWish(
            { release: task.release, when: "tonight", isByItself: true },
            state,
            this.#options,
          ),
        });
      case "end":
        if (task.isRefused) await this.#releases.lookAgain(signal);
        // The owner may have wished anew meanwhile.
        return record.now.wish === wish ? this.endWish(task.problem) : undefined;
    }
    if (wish === null) return;
    switch (task.kind) {
      case "fetch":
        return this.#fetch(state, signal);
      case "count-down":
        this.countdownEnds = clock.monotonic() + COUNTDOWN_MS;
        return;
      case "tonight":
        return record.change({ wish: { ...wish, restartsAt: nightFor(wish, this.#options) } });
      case "request":
        // Remembered first: after a power cut it is known what may have been asked.
        await record.change({
          wish: { ...wish, requested: { request: task.request, boot: clock.boot } },
        });
        return this.request(task.request, wish.release);
    }
  }

  async #fetch(state: UpdaterState, signal: AbortSignal): Promise<void> {
    const { clock, record } = this.#options;
    const unfinished = await this.#releases.fetch(state, signal);
    const { wish } = record.now;
    if (unfinished === undefined || wish === null || signal.aborted) return;
    const { problem, came, isFinal } = unfinished;
    const failures = came >= ENOUGH_BYTES ? 1 : wish.failures + 1;
    const retryAt = isFinal ? undefined : nextTry(clock.now(), failures, wish.when);
    if (retryAt === undefined) await this.endWish(problem);
    else await record.change({ wish: { ...wish, failures, retryAt }, problem });
  }

  /** @throws {Refusal} `not_now` where it cannot be told */
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

  /** A box that updates itself would else begin anew at once. */
  endWish(problem: string | null): Promise<void> {
    const { record, clock } = this.#options;
    return record.change({ wish: null, autoAfter: clock.now() + REST_OF_WISH_MS, problem });
  }
}
