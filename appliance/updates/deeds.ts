import { DAY_MS } from "../base/calendar.ts";
import type { Log } from "../base/log.ts";
import type { Ask, Told } from "../release/told.ts";
import type { Deed, Facts } from "./decide.ts";
import { refuse } from "./refusals.ts";
import type { Releases, ReleasesOptions } from "./releases.ts";
import type { RootUpdater } from "./root.ts";
import { nextCheck, nextTry } from "./schedule.ts";
import { newWish, nightFor, type Times } from "./wishes.ts";

export interface DeedsOptions extends ReleasesOptions, Times {
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

/** The deeds about releases, once they are decided. */
export class Deeds {
  /** Monotonic: when the countdown ends; null before it began. */
  countdownEnds: number | null = null;
  /** Monotonic: when the updater was asked for something, or seen to do it. */
  heardAt: number;
  readonly #options: DeedsOptions;
  readonly #releases: Releases;

  constructor(options: DeedsOptions, releases: Releases) {
    this.#options = options;
    this.#releases = releases;
    this.heardAt = options.clock.monotonic();
  }

  /** @throws {Refusal} `not_now` where the updater cannot be told */
  async do(deed: Deed, { told, now }: Facts, signal: AbortSignal): Promise<void> {
    const { clock, random, kept } = this.#options;
    const { wish } = kept.now;
    switch (deed.kind) {
      case "plan-check":
        return kept.change({ nextCheckAt: nextCheck(now, "first", random()) });
      case "check":
        return this.#releases.check(told, false, signal);
      case "clean":
        return this.#releases.clean(told);
      case "wish":
        return kept.change({
          wish: newWish(
            { release: deed.release, when: "tonight", isByItself: true },
            told,
            this.#options,
          ),
        });
      case "end":
        if (deed.isRefused) await this.#releases.lookAgain(signal);
        // The owner may have wished anew meanwhile.
        return kept.now.wish === wish ? this.endWish(deed.problem) : undefined;
    }
    if (wish === null) return;
    switch (deed.kind) {
      case "fetch":
        return this.#fetch(told, signal);
      case "count-down":
        this.countdownEnds = clock.monotonic() + COUNTDOWN_MS;
        return;
      case "tonight":
        return kept.change({ wish: { ...wish, restartsAt: nightFor(wish, this.#options) } });
      case "ask":
        // Remembered first: after a power cut it is known what may have been asked.
        await kept.change({ wish: { ...wish, asked: { ask: deed.ask, boot: clock.boot } } });
        return this.askRoot(deed.ask, wish.release);
    }
  }

  async #fetch(told: Told, signal: AbortSignal): Promise<void> {
    const { clock, kept } = this.#options;
    const unfinished = await this.#releases.fetch(told, signal);
    const { wish } = kept.now;
    if (unfinished === undefined || wish === null || signal.aborted) return;
    const { problem, came, isFinal } = unfinished;
    const failures = came >= ENOUGH_BYTES ? 1 : wish.failures + 1;
    const retryAt = isFinal ? undefined : nextTry(clock.now(), failures, wish.when);
    if (retryAt === undefined) await this.endWish(problem);
    else await kept.change({ wish: { ...wish, failures, retryAt }, problem });
  }

  /** @throws {Refusal} `not_now` where it cannot be told */
  async askRoot(ask: Ask, release?: number): Promise<void> {
    const { root, clock, log } = this.#options;
    this.heardAt = clock.monotonic();
    try {
      await root.ask(ask, release);
    } catch (err) {
      log.warn({ err }, "The updater could not be told");
      throw refuse("silent");
    }
  }

  /** A box that updates itself would else begin anew at once. */
  endWish(problem: string | null): Promise<void> {
    const { kept, clock } = this.#options;
    return kept.change({ wish: null, autoAfter: clock.now() + REST_OF_WISH_MS, problem });
  }
}
