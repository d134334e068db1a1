import type { Readable } from "node:stream";
import { DAY_MS } from "../base/calendar.ts";
import { every } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { type Cancel, Signal } from "../base/signal.ts";
import { Turns } from "../base/turns.ts";
import type { Ask, Told } from "../release/told.ts";
import { type Deed, decide, type Facts } from "./decide.ts";
import { refuse } from "./refusals.ts";
import { Releases, type ReleasesOptions } from "./releases.ts";
import type { RootUpdater } from "./root.ts";
import { nextCheck, nextTry } from "./schedule.ts";
import type { UpdateSettings } from "./settings.ts";
import type { UpdateView, UpdateWish } from "./shown.ts";
import { isRestart, isUnseenFailure, isUntried, problemKey, readyOf, viewOf } from "./view.ts";
import { askedFor, lastKey, newWish, nightFor, restartFor, type Times } from "./wishes.ts";

interface UpdatesOptions extends ReleasesOptions, Times {
  readonly log: Pick<Log, "warn">;
  readonly settings: UpdateSettings;
  readonly root: RootUpdater;
}

const LOOK_MS = 1_000;
const COUNTDOWN_MS = 60_000;
/** What the owner called off, and what came to nothing, is not begun again by itself before. */
const REST_OF_WISH_MS = DAY_MS;
/** Who sends this much, and then breaks off, will be done in the end. */
const ENOUGH_BYTES = 1_048_576;
/** After what could not be done at all. */
const REST_MS = 60_000;

/** What the box knows of releases, and does about them: fetches one and has the updater install it. */
export class Updates {
  /** The view, or a warning, is another. */
  readonly changed = new Signal();
  readonly #options: UpdatesOptions;
  readonly #releases: Releases;
  readonly #turns = new Turns();
  readonly #cancels: readonly Cancel[];
  #told: Told | undefined;
  /** What runs, and what stops it. */
  #running: { stop: AbortController; done: Promise<void> } | undefined;
  /** Monotonic: when the countdown ends, when the updater was seen to do something, how long to rest. */
  #countdownEnds: number | null = null;
  #heardAt: number;
  #restsUntil = 0;
  #isTakingIn = false;
  #isClosed = false;
  #shown = "";

  private constructor(options: UpdatesOptions, releases: Releases) {
    this.#options = options;
    this.#releases = releases;
    this.#heardAt = options.clock.monotonic();
    this.#cancels = [
      every(options.clock, LOOK_MS, () => this.#look()),
      options.kept.changed.on(() => this.#step()),
    ];
    this.#look();
  }

  /** Goes on where the service was when it ended. */
  static async open(options: UpdatesOptions): Promise<Updates> {
    return new Updates(options, await Releases.open(options));
  }

  /** Undefined while the updater has told nothing yet. */
  view(): UpdateView | undefined {
    if (this.#told === undefined) return undefined;
    const { settings, board, kept, clock, root } = this.#options;
    const { wish, checkedAt, skipped, seen, seenProblem, problem } = kept.now;
    return viewOf(this.#told, {
      settings,
      board,
      candidates: this.#releases.candidates(),
      download: this.#releases.download(wish?.release),
      wished: wish?.release ?? null,
      asked: root.pending().includes("back") ? "back" : (askedFor(wish, clock) ?? null),
      checkedAt,
      restartsAt: restartFor(wish, this.#countdownEnds, clock),
      skipped,
      seen,
      seenProblem,
      problem,
    });
  }

  warnings(): readonly "update_failed"[] {
    const { seen } = this.#options.kept.now;
    return this.#told !== undefined && isUnseenFailure(this.#told, seen) ? ["update_failed"] : [];
  }

  /** @throws {Refusal} `no_update`, `untried_board`, `not_now`, `no_release_source` */
  act(wish: UpdateWish): Promise<void> {
    return this.#turns.take(async () => {
      const { kept } = this.#options;
      const told = this.#insist();
      switch (wish.action) {
        case "check":
          return this.#checkNow(told);
        case "seen":
          return this.#see(told);
        case "skip":
          if (kept.now.wish?.release === wish.release) await this.#callOff();
          return kept.change({ skipped: wish.release });
        case "cancel":
          return this.#callOff();
        case "back":
          if (told.other === undefined) throw refuse("first");
          if (kept.now.wish !== null || told.work !== undefined) throw refuse("busy");
          return this.#askRoot("back");
        case "keep":
          if (told.mode !== "visit") throw refuse("home");
          return this.#askRoot("keep");
        default:
          return this.#want(wish, told);
      }
    });
  }

  /**
   * Takes in a release as one file, for the owner to install.
   * @param declared its size, when the sender tells
   * @throws {Refusal} `not_now`, `too_large`, `invalid_release`, `no_space`, `storage_unavailable`
   */
  async takeIn(file: Readable, declared: number | undefined): Promise<void> {
    const told = this.#insist();
    if (told.mode !== "normal") throw refuse("trial");
    if (this.#isClosing(told)) throw refuse("closing");
    if (this.#isTakingIn || told.work || this.#options.kept.now.wish) throw refuse("busy");
    this.#isTakingIn = true;
    try {
      await this.#releases.takeIn(file, declared, told);
    } finally {
      this.#isTakingIn = false;
      this.#look();
    }
  }

  /** Stops what runs; what was fetched stays. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const cancel of this.#cancels) cancel();
    this.#running?.stop.abort();
    await this.#running?.done;
  }

  #insist(): Told {
    this.#told = this.#options.root.told();
    if (this.#told === undefined) throw refuse("strange");
    return this.#told;
  }

  /** The box restarts soon, whoever asked for it. */
  #isClosing({ work }: Told): boolean {
    const { kept, clock, root } = this.#options;
    const isAsked = askedFor(kept.now.wish, clock) === "start" || root.pending().includes("back");
    return isAsked || (work !== undefined && isRestart(work));
  }

  async #want(
    { action: when, release, untried }: Extract<UpdateWish, { action: "now" | "tonight" }>,
    told: Told,
  ): Promise<void> {
    const { board, clock, kept, root } = this.#options;
    if (told.mode !== "normal") throw refuse("trial");
    if (this.#isClosing(told)) throw refuse("closing");
    // What comes in takes the place of what is here.
    if (this.#isTakingIn) throw refuse("busy");
    if (readyOf(told, this.#releases.candidates())?.release !== release) throw refuse("again");
    if (isUntried(told, board) && untried !== true) throw refuse("board");
    if (when === "tonight" && !clock.sure) throw refuse("time");
    const { wish: before, skipped } = kept.now;
    if (before !== null && before.release !== release) this.#running?.stop.abort();
    const isGoing = told.work !== undefined || root.pending().length > 0;
    const asked = before?.release === release && isGoing ? before.asked : null;
    this.#countdownEnds = null;
    await kept.change({
      wish: { ...newWish({ release, when, isByItself: false }, told, this.#options), asked },
      skipped: skipped === release ? null : skipped,
      problem: null,
    });
  }

  /** The owner has seen what is shown, not what was hidden below it. */
  #see(told: Told): Promise<void> {
    const { kept } = this.#options;
    if (told.mode === "visit") return kept.change({ seen: lastKey(told) });
    const { problem } = kept.now;
    const isShown = problem === null || problem === told.problem;
    const seenProblem = isShown ? problemKey(told) : kept.now.seenProblem;
    return kept.change({ seen: lastKey(told), seenProblem, problem: null });
  }

  async #callOff(): Promise<void> {
    const { kept, clock } = this.#options;
    if (askedFor(kept.now.wish, clock) === "start") throw refuse("closing");
    if (kept.now.wish === null) return;
    this.#running?.stop.abort();
    await this.#endWish(null);
  }

  /** A box that updates itself would else begin anew at once. */
  #endWish(problem: string | null): Promise<void> {
    const { kept, clock } = this.#options;
    return kept.change({ wish: null, autoAfter: clock.now() + REST_OF_WISH_MS, problem });
  }

  async #checkNow(told: Told): Promise<void> {
    const { settings, host, kept } = this.#options;
    if (host === undefined) throw refuse(settings.mode === "off" ? "off" : "nobody");
    // What ends may be followed by something else at once.
    while (kept.now.wish === null && this.#running !== undefined) await this.#running.done;
    if (kept.now.wish !== null) throw refuse("busy");
    this.#begin((signal) => this.#releases.check(told, true, signal));
    await this.#running?.done;
  }

  #look(): void {
    if (this.#isClosed) return;
    const { root, clock, kept } = this.#options;
    this.#told = root.told();
    const isWaiting = askedFor(kept.now.wish, clock) !== undefined && root.pending().length > 0;
    const isBusy = this.#told?.work !== undefined || isWaiting;
    if (isBusy) this.#heardAt = clock.monotonic();
    this.#step();
  }

  #step(): void {
    const { kept, clock } = this.#options;
    if (kept.now.wish === null) this.#countdownEnds = null;
    const isFree = this.#running === undefined && !this.#isTakingIn && !this.#isClosed;
    const facts = isFree && clock.monotonic() >= this.#restsUntil ? this.#facts() : undefined;
    const deed = facts && decide(facts);
    if (facts && deed) this.#begin((signal) => this.#do(deed, facts, signal));
    this.#tell();
  }

  #facts(): Facts | undefined {
    const { clock, settings, board, kept } = this.#options;
    if (this.#told === undefined) return undefined;
    const ends = this.#countdownEnds;
    return {
      told: this.#told,
      record: kept.now,
      settings,
      board,
      candidates: this.#releases.candidates(),
      now: clock.now(),
      isSure: clock.sure,
      boot: clock.boot,
      silentMs: clock.monotonic() - this.#heardAt,
      countdown: ends === null ? null : ends - clock.monotonic(),
    };
  }

  #begin(task: (signal: AbortSignal) => Promise<void>): void {
    const { log, clock } = this.#options;
    const stop = new AbortController();
    const done = Promise.resolve()
      .then(() => task(stop.signal))
      .catch((err: unknown) => {
        if (stop.signal.aborted) return;
        log.warn({ err }, "An update could not go on");
        this.#restsUntil = clock.monotonic() + REST_MS;
      })
      .then(() => {
        this.#running = undefined;
        this.#step();
      });
    this.#running = { stop, done };
  }

  async #do(deed: Deed, { told, now }: Facts, signal: AbortSignal): Promise<void> {
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
        return kept.now.wish === wish ? this.#endWish(deed.problem) : undefined;
    }
    if (wish === null) return;
    switch (deed.kind) {
      case "fetch":
        return this.#fetch(told, signal);
      case "count-down":
        this.#countdownEnds = clock.monotonic() + COUNTDOWN_MS;
        return;
      case "tonight":
        return kept.change({ wish: { ...wish, restartsAt: nightFor(wish, this.#options) } });
      case "ask":
        // Remembered first: after a power cut it is known what may have been asked.
        await kept.change({ wish: { ...wish, asked: { ask: deed.ask, boot: clock.boot } } });
        return this.#askRoot(deed.ask, wish.release);
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
    if (retryAt === undefined) await this.#endWish(problem);
    else await kept.change({ wish: { ...wish, failures, retryAt }, problem });
  }

  async #askRoot(ask: Ask, release?: number): Promise<void> {
    const { root, clock, log } = this.#options;
    this.#heardAt = clock.monotonic();
    try {
      await root.ask(ask, release);
    } catch (err) {
      log.warn({ err }, "The updater could not be told");
      throw refuse("silent");
    }
  }

  #tell(): void {
    const shown = JSON.stringify([this.view(), this.warnings()]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.changed.emit();
  }
}
