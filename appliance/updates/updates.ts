import type { Readable } from "node:stream";
import { every } from "../base/clock.ts";
import { type Cancel, Signal } from "../base/signal.ts";
import { Turns } from "../base/turns.ts";
import type { Told } from "../release/told.ts";
import { decide, type Facts } from "./decide.ts";
import { Deeds, type DeedsOptions } from "./deeds.ts";
import { refuse } from "./refusals.ts";
import { Releases } from "./releases.ts";
import type { UpdateSettings } from "./settings.ts";
import type { UpdateView, UpdateWish } from "./shown.ts";
import {
  isRestart,
  isUnseenFailure,
  isUntried,
  offersOf,
  problemKey,
  readyOf,
  viewOf,
} from "./view.ts";
import { askedFor, lastKey, newWish, restartFor } from "./wishes.ts";

interface UpdatesOptions extends DeedsOptions {
  readonly settings: UpdateSettings;
}

const LOOK_MS = 1_000;
/** After what could not be done at all. */
const REST_MS = 60_000;

/** The releases that the box knows: it fetches one and has the updater install it. */
export class Updates {
  /** The view, or a warning, is another. */
  readonly changed = new Signal();
  readonly #options: UpdatesOptions;
  readonly #releases: Releases;
  readonly #deeds: Deeds;
  readonly #turns = new Turns();
  readonly #cancels: readonly Cancel[];
  #told: Told | undefined;
  /** The work that runs, and what stops it. */
  #running: { stop: AbortController; done: Promise<void> } | undefined;
  /** Monotonic. */
  #restsUntil = 0;
  #isTakingIn = false;
  #isClosed = false;
  #shown = "";

  private constructor(options: UpdatesOptions, releases: Releases) {
    this.#options = options;
    this.#releases = releases;
    this.#deeds = new Deeds(options, releases);
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
      restartsAt: restartFor(wish, this.#deeds.countdownEnds, clock),
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
    // A host that is slow holds up nothing else that the owner wants.
    if (wish.action === "check") return this.#act(wish);
    return this.#turns.take(() => this.#act(wish));
  }

  async #act(wish: UpdateWish): Promise<void> {
    const { kept } = this.#options;
    const told = this.#insist();
    switch (wish.action) {
      case "check":
        return this.#checkNow(told);
      case "seen":
        return this.#see(told);
      case "skip":
        return this.#skip(wish.release, told);
      case "cancel":
        return this.#callOff();
      case "back":
        if (told.other === undefined) throw refuse("first");
        if (kept.now.wish !== null || told.work !== undefined) throw refuse("busy");
        return this.#deeds.askRoot("back");
      case "keep":
        if (told.mode !== "visit") throw refuse("home");
        return this.#deeds.askRoot("keep");
      default:
        return this.#want(wish, told);
    }
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
    // Files that come in take the place of those that are here.
    if (this.#isTakingIn) throw refuse("busy");
    if (readyOf(told, this.#releases.candidates())?.release !== release) throw refuse("again");
    if (isUntried(told, board) && untried !== true) throw refuse("board");
    if (when === "tonight" && !clock.sure) throw refuse("time");
    const { wish: before, skipped } = kept.now;
    if (before !== null && before.release !== release) this.#running?.stop.abort();
    const isGoing = told.work !== undefined || root.pending().length > 0;
    const asked = before?.release === release && isGoing ? before.asked : null;
    this.#deeds.countdownEnds = null;
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

  /**
   * A release that the updater took from the card or a stick goes: it takes room, and the place of
   * another.
   */
  async #skip(release: number, told: Told): Promise<void> {
    const { kept } = this.#options;
    if (this.#isClosing(told)) throw refuse("closing");
    if (kept.now.wish?.release === release) await this.#callOff();
    await kept.change({ skipped: release });
    const isTaken = offersOf(told).some((offer) => offer.release === release);
    if (isTaken) await this.#deeds.askRoot("discard", release);
  }

  async #callOff(): Promise<void> {
    const { kept, clock } = this.#options;
    if (askedFor(kept.now.wish, clock) === "start") throw refuse("closing");
    if (kept.now.wish === null) return;
    this.#running?.stop.abort();
    await this.#deeds.endWish(null);
  }

  async #checkNow(told: Told): Promise<void> {
    const { settings, host, kept } = this.#options;
    if (host === undefined) throw refuse(settings.mode === "off" ? "off" : "nobody");
    // A deed that ends may be followed by another at once.
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
    if (isBusy) this.#deeds.heardAt = clock.monotonic();
    this.#step();
  }

  #step(): void {
    const { kept, clock } = this.#options;
    if (kept.now.wish === null) this.#deeds.countdownEnds = null;
    const isFree = this.#running === undefined && !this.#isTakingIn && !this.#isClosed;
    const facts = isFree && clock.monotonic() >= this.#restsUntil ? this.#facts() : undefined;
    const deed = facts && decide(facts);
    if (facts && deed) this.#begin((signal) => this.#deeds.do(deed, facts, signal));
    this.#tell();
  }

  #facts(): Facts | undefined {
    const { clock, settings, board, kept } = this.#options;
    if (this.#told === undefined) return undefined;
    const ends = this.#deeds.countdownEnds;
    return {
      told: this.#told,
      record: kept.now,
      settings,
      board,
      candidates: this.#releases.candidates(),
      now: clock.now(),
      isSure: clock.sure,
      boot: clock.boot,
      silentMs: clock.monotonic() - this.#deeds.heardAt,
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

  #tell(): void {
    const shown = JSON.stringify([this.view(), this.warnings()]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.changed.emit();
  }
}
