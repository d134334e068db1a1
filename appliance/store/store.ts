import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { type Cancel, Signal } from "../base/signal.ts";
import { storageUnavailable } from "./batch.ts";
import { NOBODY, type SiteKey } from "./counting.ts";
import { type Increments, Intake } from "./intake.ts";
import { LiveViews } from "./live-views.ts";
import { type Asker, ReadQueue, readRefused } from "./read-queue.ts";
import type { Warning } from "./reports.ts";
import type { CommitterAnswer, CommitterRequest } from "./sqlite/committer.ts";
import { markUnmarkedDays } from "./sqlite/counts/counted-days.ts";
import { type Database, databaseFile } from "./sqlite/database.ts";
import { damage, openChecked, type Unusable } from "./sqlite/health.ts";
import { makeDataDir } from "./sqlite/lock.ts";
import { openDecided } from "./sqlite/opening.ts";
import type { QueryInput, QueryName, QueryResult } from "./sqlite/reader.ts";
import { Room, type Space, spaceOf } from "./sqlite/room.ts";
import type { Directory } from "./sqlite/tables/sites.ts";
import { ownThreads, READER_MEMORY_MB, type Threads } from "./sqlite/threads.ts";
import { startWorkers, type Workers } from "./sqlite/workers.ts";
import type { WriteInput, WriteName, WriteResult } from "./sqlite/writes.ts";
import { type FoldWork, Upkeep } from "./upkeep.ts";

export { LIVE_STEP_MS } from "./live-views.ts";
// What the others know of what is behind the door.
export type { Exchange } from "./sqlite/copies/exchange.ts";
export { nobodyCalled } from "./sqlite/counts/nobody.ts";
export { MAX_RANGE_DAYS } from "./sqlite/counts/reports.ts";
export type { Unusable } from "./sqlite/health.ts";
export { openCursor } from "./sqlite/surveys/cursor.ts";
export type { SurveyFilter } from "./sqlite/surveys/rows.ts";
export type { SiteInput, SiteOutcome } from "./sqlite/tables/site-changes.ts";
export type { Directory, SiteRecord } from "./sqlite/tables/sites.ts";

const UPKEEP_EVERY_MS = 10 * 60_000;
const SPACE_EVERY_MS = 10_000;
/** What a board with 512 MB can spare; the largest reports take a third of it. */

interface StoreOptions {
  /** Called whenever damage to the file was met. */
  onUnusable?: (why: Unusable) => void;
  dataDir: string;
  retentionDays: number;
  clock: Clock;
  log: Log;
  /** Called with the database before the workers start, each time another file is in place. */
  prepare?: (db: Database) => void;
  space?: (dir: string) => Promise<Space>;
  /** How large the heap of the worker that reads may become; READER_MEMORY_MB unless given. */
  readerMemoryMb?: number;
  threads?: Threads;
}

/** The one door to the data: counts and surveys in, reports out. */
export class Store {
  /** Sites and token hashes as of now; changes by other processes show within half a second. */
  directory: Directory = { sites: [], retired: [], adminHash: null };
  readonly directoryChanged = new Signal<Directory>();
  /** Hits were committed. */
  readonly counted = new Signal();
  /** Views of the last five minutes; never stored. */
  readonly live: LiveViews;
  readonly #options: StoreOptions;
  readonly #file: string;
  readonly #spaceOf: (dir: string) => Promise<Space>;
  readonly #room: Room;
  readonly #intake: Intake;
  readonly #upkeep: Upkeep;
  readonly #reads = new ReadQueue();
  readonly #stops: Cancel[] = [];
  #workers: Workers | undefined;
  /** Set while the file is replaced. */
  #pause: Promise<void> | undefined;
  /** How often another file took the place of the database. */
  #replaced = 0;

  private constructor(options: StoreOptions) {
    const { clock, log, dataDir, retentionDays, space = spaceOf } = options;
    this.#options = options;
    this.live = new LiveViews(clock);
    this.#file = databaseFile(dataDir);
    this.#spaceOf = space;
    this.#room = new Room(dataDir, space, log);
    this.#intake = new Intake({
      clock,
      log,
      send: (request) => this.#send(request, false),
      lowSpace: () => this.#room.isLow,
      onCommitted: () => this.counted.emit(),
    });
    this.#upkeep = new Upkeep({
      clock,
      log,
      retentionDays,
      send: async (request) => {
        await this.#pause;
        return this.#send(request, true);
      },
      plan: (today) => this.#foldPlan(today),
    });
  }

  /**
   * Opens the database and starts its workers.
   * @throws {DatabaseRefused} with a sentence for the owner.
   */
  static async open(options: StoreOptions): Promise<Store> {
    makeDataDir(options.dataDir);
    const store = new Store(options);
    await store.#open();
    await store.#room.look();
    store.#begin();
    return store;
  }

  /** Counts a hit; resolves when it may be answered. See Intake. */
  count(site: SiteKey | null, counts: Increments, view: boolean): Promise<void> {
    // No promise of its own: hits are many, and those of a batch share one.
    if (this.#pause === undefined) return this.#count(site, counts, view);
    return this.#siteAfterPause(site).then((settled) => this.#count(settled, counts, view));
  }

  #count(site: SiteKey | null, counts: Increments, view: boolean): Promise<void> {
    if (view) this.live.count(site ?? NOBODY);
    return this.#intake.count(site, counts, view);
  }

  /** @throws {Refusal} `storage_unavailable`, `surveys_full` when it was not stored */
  async addSurvey(site: SiteKey | null, version: number, payload: string): Promise<void> {
    if (this.#room.isLow) throw storageUnavailable();
    const settled = this.#pause ? await this.#siteAfterPause(site) : site;
    return this.#intake.addSurvey(settled, version, payload);
  }

  /**
   * Runs a named query in the reader, when it is the asker's turn; the box itself asks unless told.
   * @throws {Refusal} `reads_busy`, `read_failed`, `storage_unavailable`
   */
  async read<Q extends QueryName>(
    query: Q,
    input: QueryInput<Q>,
    asker: Asker = { lane: "box" },
  ): Promise<QueryResult<Q>> {
    const asked = this.#replaced;
    const isOwn = asker.lane === "box";
    for (;;) {
      // Not in its turn, where it would hold up those who are told at once.
      if (isOwn) await this.#pause;
      const turn = await this.#reads.run(asker, async () => {
        // A site may have another number by now, and the token that was shown may open it no more.
        if (!isOwn && this.#isOther(asked)) throw readRefused("replaced");
        return this.#pause === undefined
          ? { result: await this.#running.read(query, input) }
          : undefined;
      });
      if (turn !== undefined) return turn.result;
    }
  }

  /**
   * Runs a named write in the committer; resolves when it is committed and `directory` knows it.
   * @throws {Refusal} `storage_unavailable` when nothing was changed
   */
  async write<W extends WriteName>(name: W, input: WriteInput<W>): Promise<WriteResult<W>> {
    await this.#pause;
    const answer = await this.#send({ kind: "write", name, input }, name === "eraseSite");
    if (!answer.ok) {
      this.#options.log.error({ reason: answer.message }, "A change could not be stored");
      throw storageUnavailable();
    }
    return answer.result as WriteResult<W>;
  }

  /** What is wrong at the moment. */
  get warnings(): readonly Warning[] {
    const warnings: Warning[] = [];
    if (this.#room.isLow) warnings.push("storage_full");
    if (this.#intake.unavailable) warnings.push("storage_unavailable");
    if (!this.#options.clock.sure) warnings.push("clock_not_set");
    return warnings;
  }

  /** Does all upkeep that is due; resolves when done. Runs by itself every ten minutes. */
  upkeep(): Promise<void> {
    return this.#upkeep.anew();
  }

  /** Free and total bytes where the data is. */
  space(): Promise<Space> {
    return this.#spaceOf(this.#options.dataDir);
  }

  /**
   * Closes the database, lets `replace` put another file in its place, and goes on with what is
   * there then; hits wait meanwhile and count for the site of the same id. A file that was swapped
   * in and takes no commit is given up again for the one before.
   * @throws {Refusal} `storage_unavailable`, DatabaseRefused, and whatever `replace` throws
   */
  async replaceFile(replace: (file: string) => Promise<void>): Promise<void> {
    await this.#pause;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#pause = promise;
    try {
      await this.#replaceFile(replace);
    } finally {
      this.live.clear();
      this.#pause = undefined;
      this.#replaced++;
      resolve();
    }
    void this.#upkeep.once();
  }

  /** Resolves when the committer has come to it; nothing is written. Never resolves when it hangs. */
  async alive(): Promise<void> {
    // While another file takes the database's place there is no committer to ask.
    if (this.#pause === undefined) await this.#running.send({ kind: "ping" });
  }

  /** Commits what is open and closes the database. */
  async close(): Promise<void> {
    this.#upkeep.close();
    for (const stop of this.#stops) stop();
    await this.#pause;
    await this.#intake.drain();
    if (this.#intake.unavailable)
      this.#options.log.error("What waited in memory could not be stored and is lost");
    await this.#running.close();
  }

  get #running(): Workers {
    if (this.#workers === undefined) throw new Error("the store is not open");
    return this.#workers;
  }

  /** @returns why the file that was to be opened was given up for the one before */
  async #open(): Promise<Error | undefined> {
    const { workers, takenBack } = await openDecided(
      this.#file,
      () => this.#startWorkers(),
      this.#options,
    );
    this.#workers = workers;
    return takenBack;
  }

  #startWorkers(): Promise<Workers> {
    const { clock, log, prepare, onUnusable } = this.#options;
    const { threads = ownThreads, readerMemoryMb = READER_MEMORY_MB } = this.#options;
    const db = openChecked(this.#file);
    try {
      markUnmarkedDays(db);
      prepare?.(db);
    } finally {
      db.close();
    }
    return startWorkers({
      file: this.#file,
      onDirectory: (directory) => {
        this.directory = directory;
        this.directoryChanged.emit(directory);
      },
      onDamaged: (message) => onUnusable?.(damage(message)),
      clock,
      log,
      threads,
      readerMemoryMb,
    });
  }

  #begin(): void {
    const { clock } = this.#options;
    this.#stops.push(
      every(clock, UPKEEP_EVERY_MS, () => void this.#upkeep.once()),
      every(clock, SPACE_EVERY_MS, () => void this.#lookAtRoom()),
      clock.becameSure.on(() => void this.#upkeep.anew()),
    );
    void this.#upkeep.once();
  }

  /** Asks the committer; what makes room may use the ballast when the disk is full. */
  async #send(request: CommitterRequest, makesRoom: boolean): Promise<CommitterAnswer> {
    const answer = await this.#running.send(request);
    if (answer.ok) this.#room.spare = answer.spare ?? this.#room.spare;
    else if (makesRoom && answer.full && this.#room.giveUpBallast())
      return this.#send(request, makesRoom);
    return answer;
  }

  /** A plan, and what does its steps as long as it is about the file that is there. */
  async #foldPlan(today: number): Promise<FoldWork | null> {
    const asked = this.#replaced;
    const plan = await this.read("foldPlan", { today });
    if (plan === null) return null;
    return {
      plan,
      step: (next) => {
        // Values of another file have other numbers.
        if (this.#isOther(asked)) throw readRefused("replaced");
        return this.#running.send({ kind: "fold", plan: next });
      },
    };
  }

  /** Another file has taken, or takes, the place of the one that was there then. */
  #isOther(asked: number): boolean {
    return this.#pause !== undefined || this.#replaced !== asked;
  }

  async #lookAtRoom(): Promise<void> {
    if (await this.#room.look()) this.#intake.retry();
    await this.#room.takeBallast();
  }

  /** The same site once the file is replaced, where it may have another number or be gone. */
  async #siteAfterPause(key: SiteKey | null): Promise<SiteKey | null> {
    const id = this.directory.sites.find((site) => site.key === key)?.id;
    await this.#pause;
    return this.directory.sites.find((site) => site.id === id)?.key ?? null;
  }

  async #replaceFile(replace: (file: string) => Promise<void>): Promise<void> {
    await this.#intake.drain();
    if (this.#intake.unavailable) throw storageUnavailable();
    await this.#running.close();
    let takenBack: Error | undefined;
    try {
      await replace(this.#file);
    } finally {
      takenBack = await this.#open().catch((error: unknown) => {
        // As when a worker fails: better to start anew than to pretend.
        setImmediate(() => {
          throw error;
        });
        throw error;
      });
    }
    if (takenBack !== undefined) throw takenBack;
  }
}

function every(clock: Clock, ms: number, task: () => void): Cancel {
  let cancel = clock.after(ms, function again() {
    cancel = clock.after(ms, again);
    task();
  });
  return () => cancel();
}
