import type { Clock } from "../clock.ts";
import type { Cancel } from "../signal.ts";

/** The next thing to do: a task, or nothing until a time, or until something else changes. */
export interface Decision<Kept, Task> {
  /** Brought up to date; it is written down with the next task only. */
  readonly record: Kept;
  readonly task?: Task | undefined;
  /** Epoch milliseconds; undefined: nothing is due by the time alone. */
  readonly wakeAt?: number | undefined;
}

/** All that is known, in memory and on the disk. */
interface RecordKeeper<Kept> {
  now: Kept;
  /** It is `now` at once. @returns false where it could not be written: it is good until the end of the process */
  save(record: Kept): Promise<boolean>;
}

interface TaskRunnerOptions<Kept, Task, Outcome> {
  readonly clock: Pick<Clock, "now" | "monotonic" | "after">;
  readonly record: RecordKeeper<Kept>;
  /** Pure, but for what it is to know besides the record. */
  readonly next: (record: Kept) => Decision<Kept, Task>;
  /**
   * The record before a task that leaves something behind: as if the power went in the middle of it, and its end were
   * never known. The same where nothing is to be noted.
   */
  readonly before: (record: Kept, task: Task) => Kept;
  /** The record after a task, of the one that there is by then. */
  readonly after: (record: Kept, task: Task, outcome: Outcome) => Kept;
  /** Does it. One that is stopped ends soon, and tells what it has done all the same, or throws. */
  readonly run: (task: Task, signal: AbortSignal) => Promise<Outcome>;
  /** The outcome of a task that threw, or whose note could not be written. */
  readonly failed: (task: Task) => Outcome;
  readonly onError: (error: unknown) => void;
  /** The outcome of a task that was stopped before its end. */
  readonly stopped: Outcome;
  /** Whether a task is done though what was to be noted before it could not be written. */
  readonly isDoneUnnoted: (task: Task) => boolean;
  /** Whether a task that is stopped is not waited for: what it still does leaves nothing behind. */
  readonly isLeft: boolean;
  /** A clock that steps is noticed by then; milliseconds. */
  readonly longestSleepMs: number;
  /** Hears of each decision. */
  readonly told: () => void;
}

/** After a task that threw, whatever is next: nothing goes round and round. */
const REST_MS = 60_000;

/**
 * Does what takes long, one task after the other, as a pure machine decides it by the record; goes on where it was when
 * the process ended, for the record is written before whatever counts, and after it.
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

  /** The task that runs. */
  get task(): Task | undefined {
    return this.#running?.task;
  }

  /** Decides anew, unless a task runs: something is other than it was. */
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

  /** Does a task that somebody asks for now, once the one that runs has ended. Resolves when it is done. */
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
      const outcome = await this.#outcome(task, await this.#save(before(record.now, task)), signal);
      if (!(this.#isClosed && outcome === stopped))
        await this.#save(after(record.now, task, outcome));
    } catch (error) {
      this.#rest(error);
    }
  }

  #rest(error: unknown): void {
    const { clock, onError } = this.#options;
    this.#restsUntil = clock.monotonic() + REST_MS;
    onError(error);
  }

  /** @returns false where it could not be written */
  async #save(record: Kept): Promise<boolean> {
    return record === this.#options.record.now || this.#options.record.save(record);
  }

  async #outcome(task: Task, isNoted: boolean, signal: AbortSignal): Promise<Outcome> {
    const { run, failed, stopped, isDoneUnnoted, isLeft } = this.#options;
    if (signal.aborted) return stopped;
    if (!isNoted && !isDoneUnnoted(task)) return failed(task);
    const left = Promise.withResolvers<Outcome>();
    if (isLeft) signal.addEventListener("abort", () => left.resolve(stopped), { once: true });
    try {
      return await Promise.race([run(task, signal), left.promise]);
    } catch (error) {
      if (signal.aborted) return stopped;
      this.#rest(error);
      return failed(task);
    }
  }
}
