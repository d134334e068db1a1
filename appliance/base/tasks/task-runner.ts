import type { Clock } from "../clock.ts";
import type { Cancel } from "../signal.ts";

/** The next task, or a time to decide again, or neither until something changes. */
export interface Decision<Kept, Task> {
  /** Brought up to date; it is written down with the next task only. */
  readonly record: Kept;
  readonly task?: Task | undefined;
  /** Epoch milliseconds; undefined: nothing is due by the time alone. */
  readonly wakeAt?: number | undefined;
}

/** The record of all facts, in memory and on the disk. */
interface RecordKeeper<Kept> {
  now: Kept;
  /** Changes `now` at once. @returns false where it could not be written: then it lasts until the process ends */
  save(record: Kept): Promise<boolean>;
}

interface TaskRunnerOptions<Kept, Task, Outcome> {
  readonly clock: Pick<Clock, "now" | "monotonic" | "after">;
  readonly record: RecordKeeper<Kept>;
  /** Decides by the record. It is pure, apart from the time and other facts. */
  readonly next: (record: Kept) => Decision<Kept, Task>;
  /**
   * The record before a task that leaves something behind: as if the power went in the middle of it, and its end were
   * never known. The same where nothing is to be noted.
   */
  readonly before: (record: Kept, task: Task) => Kept;
  /** Applies the outcome of a task to the present record. */
  readonly after: (record: Kept, task: Task, outcome: Outcome) => Kept;
  /** Runs a task. A stopped one ends soon, with its outcome up to then, or throws. */
  readonly run: (task: Task, signal: AbortSignal) => Promise<Outcome>;
  /** The outcome of a task that threw, or whose record could not be written. */
  readonly failed: (task: Task) => Outcome;
  readonly onError: (error: unknown) => void;
  /** The outcome of a task that was stopped before its end. */
  readonly stopped: Outcome;
  /** Whether a task runs although the record before it could not be written. */
  readonly isDoneUnnoted: (task: Task) => boolean;
  /** Whether a stopped task is not awaited, since its remaining work has no effect. */
  readonly isLeft: boolean;
  /** A clock that steps is noticed by then; milliseconds. */
  readonly longestSleepMs: number;
  /** Called at each decision. */
  readonly told: () => void;
}

/** The pause after a task that threw, so that failures do not repeat without end. */
const REST_MS = 60_000;

/**
 * Runs long tasks one after the other, as a pure function decides by the record. It goes on after the end of the process,
 * since the record is written before and after each essential step.
 */
export class TaskRunner<Kept, Task, Outcome> {
  readonly #options: TaskRunnerOptions<Kept, Task, Outcome>;
  #running: { task: Task; stop: AbortController; done: Promise<void> } | undefined;
  #cancelSleep: Cancel = () => {};
  /** Monotonic. */
  #restsUntil = 0;
  #isClosed = false;

  constructor(options: TaskRunnerOptions<Kept, Task, Outcome>) {
    this.#options = options;
  }

  get task(): Task | undefined {
    return this.#running?.task;
  }

  /** Decides again after a change, unless a task runs. */
  wake(): void {
    if (this.#isClosed || this.#running !== undefined) return;
    const { clock, record, next, longestSleepMs, told } = this.#options;
    this.#cancelSleep();
    const restMs = this.#restsUntil - clock.monotonic();
    const decision: Decision<Kept, Task> =
      restMs > 0 ? { record: record.now, wakeAt: clock.now() + restMs } : next(record.now);
    record.now = decision.record;
    const { task, wakeAt } = decision;
    if (task !== undefined) this.#begin(task);
    else if (wakeAt !== undefined) {
      const ms = Math.min(Math.max(wakeAt - clock.now(), 1), longestSleepMs);
      this.#cancelSleep = clock.after(ms, () => this.wake());
    }
    told();
  }

  /** Runs a requested task after the present one. Resolves when it is done. */
  async ask(task: Task): Promise<void> {
    while (this.#running !== undefined) await this.#running.done;
    if (this.#isClosed) return;
    this.#cancelSleep();
    await this.#begin(task);
  }

  /** Resolves when the task that runs has ended. */
  async ended(): Promise<void> {
    await this.#running?.done;
  }

  /** Stops the task that runs; another may follow. */
  stop(): void {
    this.#running?.stop.abort();
  }

  /** Stops the task that runs, for good. Of one that is broken off nothing more is written. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelSleep();
    this.stop();
    await this.ended();
  }

  #begin(task: Task): Promise<void> {
    const stop = new AbortController();
    const done = this.#do(task, stop.signal).then(() => {
      this.#running = undefined;
      this.wake();
    });
    this.#running = { task, stop, done };
    return done;
  }

  async #do(task: Task, signal: AbortSignal): Promise<void> {
    const { record, before, after, stopped } = this.#options;
    try {
      const noted = before(record.now, task);
      // The task begins once the code that woke the runner has ended.
      const isNoted = await (noted === record.now || record.save(noted));
      const outcome = await this.#outcome(task, isNoted, signal);
      if (this.#isClosed && outcome === stopped) return;
      const ended = after(record.now, task, outcome);
      if (ended !== record.now) await record.save(ended);
    } catch (error) {
      this.#rest(error);
    }
  }

  #rest(error: unknown): void {
    const { clock, onError } = this.#options;
    this.#restsUntil = clock.monotonic() + REST_MS;
    onError(error);
  }

  async #outcome(task: Task, isNoted: boolean, signal: AbortSignal): Promise<Outcome> {
    const { run, failed, stopped, isDoneUnnoted, isLeft } = this.#options;
    if (signal.aborted) return stopped;
    if (!isNoted && !isDoneUnnoted(task)) return failed(task);
    const left = Promise.withResolvers<Outcome>();
    signal.addEventListener("abort", () => left.resolve(stopped), { once: true });
    try {
      const ran = run(task, signal);
      return await (isLeft ? Promise.race([ran, left.promise]) : ran);
    } catch (error) {
      if (signal.aborted) return stopped;
      this.#rest(error);
      return failed(task);
    }
  }
}
