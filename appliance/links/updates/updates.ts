import type { Readable } from "node:stream";
import { type Clock, every } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { UpdaterRequest, UpdaterState } from "../../base/release/updater-state.ts";
import { type Cancel, Signal } from "../../base/signal.ts";
import { Mutex } from "../../base/tasks/mutex.ts";
import { TaskRunner } from "../../base/tasks/task-runner.ts";
import type { ThisBoard } from "./boards.ts";
import { nextUpdateTask, type UpdateFacts, type UpdateTask } from "./next-task.ts";
import {
  afterUpdateTask,
  beforeUpdateTask,
  type UpdateTaskOutcome,
  withoutWish,
} from "./outcomes.ts";
import type { UpdateRecord, UpdateRecordFile } from "./record.ts";
import { refuse } from "./refusals.ts";
import type { Releases } from "./releases.ts";
import type { RootUpdater } from "./root.ts";
import { newWish, requestedFor, restartFor, type WishTimes } from "./schedule.ts";
import { asksHost, type UpdateSettings } from "./settings.ts";
import type { UpdateChange, UpdateView } from "./view.ts";
import {
  isRestart,
  isUnseenFailure,
  isUntried,
  lastKey,
  offeredByUpdater,
  problemKey,
  readyOf,
  updateViewOf,
} from "./view-of.ts";

interface UpdatesOptions extends WishTimes {
  readonly clock: Clock;
  readonly log: Pick<Log, "warn">;
  readonly root: Pick<RootUpdater, "state" | "pending" | "request">;
  readonly releases: Pick<
    Releases,
    "candidates" | "download" | "check" | "fetch" | "takeIn" | "clean" | "lookAgain"
  >;
  readonly settings: UpdateSettings;
  readonly board: ThisBoard;
  readonly record: Pick<UpdateRecordFile, "now" | "save" | "change" | "changed">;
}

const LOOK_MS = 1_000;
const COUNTDOWN_MS = 60_000;
const DONE: UpdateTaskOutcome = { kind: "done" };

/** The updates of a box: downloads releases, and has the updater install them. */
export class Updates {
  readonly changed = new Signal();
  readonly #options: UpdatesOptions;
  readonly #runner: TaskRunner<UpdateRecord, UpdateTask, UpdateTaskOutcome>;
  readonly #mutex = new Mutex();
  readonly #cancels: readonly Cancel[];
  #state: UpdaterState | undefined;
  /** Monotonic: when the countdown ends; null before it began. */
  #countdownEnds: number | null = null;
  /** The monotonic time of the last request to the updater, or sign of its work. */
  #heardAt: number;
  #isTakingIn = false;
  #isClosed = false;
  #shown = "";

  /** Resumes the work of the service before its restart. */
  constructor(options: UpdatesOptions) {
    this.#options = options;
    this.#heardAt = options.clock.monotonic();
    this.#runner = new TaskRunner<UpdateRecord, UpdateTask, UpdateTaskOutcome>({
      clock: options.clock,
      record: options.record,
      next: (record) => ({ record, task: this.#next() }),
      before: (record, task) => beforeUpdateTask(record, task, options.clock.boot),
      after: (record, task, outcome) => afterUpdateTask(record, task, outcome, options),
      run: (task, signal) => this.#run(task, signal),
      failed: () => ({ kind: "failed" }),
      onError: (err) => options.log.warn({ err }, "An update could not go on"),
      stopped: { kind: "stopped" },
      isDoneUnnoted: () => true,
      isLeft: false,
      longestSleepMs: LOOK_MS,
      told: () => this.#tell(),
    });
    this.#cancels = [
      every(options.clock, LOOK_MS, () => this.#look()),
      options.record.changed.on(() => this.#step()),
    ];
    this.#look();
  }

  /** The view; undefined until the updater has reported its state. */
  view(): UpdateView | undefined {
    if (this.#state === undefined) return undefined;
    const { settings, board, record, clock, root } = this.#options;
    const { wish } = record.now;
    return updateViewOf(this.#state, {
      record: record.now,
      settings,
      board,
      candidates: this.#options.releases.candidates(),
      download: this.#options.releases.download(wish?.release),
      requested: root.pending().includes("rollback")
        ? "rollback"
        : (requestedFor(wish, clock) ?? null),
      restartsAt: restartFor(wish, this.#countdownEnds, clock),
    });
  }

  warnings(): readonly "update_failed"[] {
    const { seen } = this.#options.record.now;
    return this.#state !== undefined && isUnseenFailure(this.#state, seen) ? ["update_failed"] : [];
  }

  /** @throws {Refusal} `no_update`, `untried_board`, `not_now`, `no_release_source` */
  act(change: UpdateChange): Promise<void> {
    // A slow host must not delay other requests of the owner.
    if (change.action === "check") return this.#act(change);
    return this.#mutex.runExclusive(() => this.#act(change));
  }

  async #act(change: UpdateChange): Promise<void> {
    const { record } = this.#options;
    const state = this.#insist();
    switch (change.action) {
      case "check":
        return this.#checkNow();
      case "seen":
        return this.#see(state);
      case "skip":
        return this.#skip(change.release, state);
      case "cancel":
        return this.#callOff();
      case "back":
        if (state.other === undefined) throw refuse("first");
        if (record.now.wish !== null || state.work !== undefined) throw refuse("busy");
        return this.#request("rollback");
      case "keep":
        if (state.mode !== "visit") throw refuse("home");
        return this.#request("keep");
      default:
        return this.#want(change, state);
    }
  }

  /**
   * Takes a release as one file, and offers it to the owner.
   * @param declared its size in bytes, where the request says so
   * @throws {Refusal} `not_now`, `too_large`, `invalid_release`, `no_space`, `storage_unavailable`
   */
  async takeIn(file: Readable, declared: number | undefined): Promise<void> {
    const state = this.#insist();
    if (state.mode !== "normal") throw refuse("trial");
    if (this.#isClosing(state)) throw refuse("closing");
    if (this.#isTakingIn || state.work || this.#options.record.now.wish) throw refuse("busy");
    this.#isTakingIn = true;
    try {
      await this.#options.releases.takeIn(file, declared, state);
    } finally {
      this.#isTakingIn = false;
      this.#look();
    }
  }

  /** Stops the running task. Downloads stay. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const cancel of this.#cancels) cancel();
    await this.#runner.close();
  }

  #insist(): UpdaterState {
    this.#state = this.#options.root.state();
    if (this.#state === undefined) throw refuse("strange");
    return this.#state;
  }

  /** Whether the box is about to restart. */
  #isClosing({ work }: UpdaterState): boolean {
    const { record, clock, root } = this.#options;
    const isAsked =
      requestedFor(record.now.wish, clock) === "arm" || root.pending().includes("rollback");
    return isAsked || (work !== undefined && isRestart(work));
  }

  async #want(
    { action: when, release, untried }: Extract<UpdateChange, { action: "now" | "tonight" }>,
    state: UpdaterState,
  ): Promise<void> {
    const { board, clock, record, root } = this.#options;
    if (state.mode !== "normal") throw refuse("trial");
    if (this.#isClosing(state)) throw refuse("closing");
    // An upload replaces the present files.
    if (this.#isTakingIn) throw refuse("busy");
    if (readyOf(state, this.#options.releases.candidates())?.release !== release)
      throw refuse("again");
    if (isUntried(state, board) && untried !== true) throw refuse("board");
    if (when === "tonight" && !clock.sure) throw refuse("time");
    const { wish: before, skipped } = record.now;
    if (before !== null && before.release !== release) this.#runner.stop();
    const isGoing = state.work !== undefined || root.pending().length > 0;
    const requested = before?.release === release && isGoing ? before.requested : null;
    this.#countdownEnds = null;
    await record.change({
      wish: {
        ...newWish({ release, when, isByItself: false, before: lastKey(state) }, this.#options),
        requested,
      },
      skipped: skipped === release ? null : skipped,
      problem: null,
    });
  }

  /** Marks the shown problem as seen, and no hidden one. */
  #see(state: UpdaterState): Promise<void> {
    const { record } = this.#options;
    if (state.mode === "visit") return record.change({ seen: lastKey(state) });
    const { problem } = record.now;
    const isShown = problem === null || problem === state.problem;
    const seenProblem = isShown ? problemKey(state) : record.now.seenProblem;
    return record.change({ seen: lastKey(state), seenProblem, problem: null });
  }

  /**
   * Skips a release. One from the card or a stick is removed, since it takes the place of another.
   */
  async #skip(release: number, state: UpdaterState): Promise<void> {
    const { record } = this.#options;
    if (this.#isClosing(state)) throw refuse("closing");
    if (record.now.wish?.release === release) await this.#callOff();
    await record.change({ skipped: release });
    const isTaken = offeredByUpdater(state).some((offer) => offer.release === release);
    if (isTaken) await this.#request("discard", release);
  }

  async #callOff(): Promise<void> {
    const { record, clock } = this.#options;
    if (requestedFor(record.now.wish, clock) === "arm") throw refuse("closing");
    if (record.now.wish === null) return;
    this.#runner.stop();
    await record.change(withoutWish(null, clock.now()));
  }

  async #checkNow(): Promise<void> {
    const { settings, record } = this.#options;
    if (!asksHost(settings)) throw refuse(settings.mode === "off" ? "off" : "nobody");
    // Another task may follow at once.
    while (record.now.wish === null && this.#runner.task !== undefined) await this.#runner.ended();
    if (record.now.wish !== null) throw refuse("busy");
    await this.#runner.ask({ kind: "check", isAsked: true });
  }

  #look(): void {
    if (this.#isClosed) return;
    const { root, clock, record } = this.#options;
    this.#state = root.state();
    const isWaiting =
      requestedFor(record.now.wish, clock) !== undefined && root.pending().length > 0;
    const isBusy = this.#state?.work !== undefined || isWaiting;
    if (isBusy) this.#heardAt = clock.monotonic();
    this.#step();
  }

  #step(): void {
    this.#runner.wake();
    this.#tell();
  }

  async #run(task: UpdateTask, signal: AbortSignal): Promise<UpdateTaskOutcome> {
    const { clock, releases } = this.#options;
    const state = this.#state ?? this.#insist();
    switch (task.kind) {
      case "check":
        return releases.check(state, task.isAsked, signal);
      case "clean":
        return releases.clean(state);
      case "fetch":
        return releases.fetch(state, signal);
      case "request":
        await this.#request(task.request, task.release);
        return DONE;
      case "count-down":
        this.#countdownEnds = clock.monotonic() + COUNTDOWN_MS;
        return DONE;
      case "end":
        if (task.isRefused) await releases.lookAgain(signal);
        return DONE;
      default:
        return DONE;
    }
  }

  /** @throws {Refusal} `not_now` where it cannot be written */
  async #request(request: UpdaterRequest, release?: number): Promise<void> {
    const { root, clock, log } = this.#options;
    this.#heardAt = clock.monotonic();
    try {
      await root.request(request, release);
    } catch (err) {
      log.warn({ err }, "The updater could not be told");
      throw refuse("silent");
    }
  }

  #next(): UpdateTask | undefined {
    if (this.#options.record.now.wish === null) this.#countdownEnds = null;
    const facts = this.#isTakingIn ? undefined : this.#facts();
    return facts && nextUpdateTask(facts);
  }

  #facts(): UpdateFacts | undefined {
    const { clock, settings, board, record } = this.#options;
    if (this.#state === undefined) return undefined;
    const ends = this.#countdownEnds;
    return {
      state: this.#state,
      record: record.now,
      settings,
      board,
      candidates: this.#options.releases.candidates(),
      now: clock.now(),
      isSure: clock.sure,
      boot: clock.boot,
      silentMs: clock.monotonic() - this.#heardAt,
      countdown: ends === null ? null : ends - clock.monotonic(),
    };
  }

  #tell(): void {
    const shown = JSON.stringify([this.view(), this.warnings()]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.changed.emit();
  }
}
