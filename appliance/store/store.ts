import { dayOf } from "../base/calendar.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { type Cancel, type Listenable, Signal } from "../base/signal.ts";
import { storageUnavailable } from "./batch.ts";
import type { SiteKey } from "./counting.ts";
import { type Increments, Intake } from "./intake.ts";
import { type Asker, ReadQueue, readRefused } from "./read-queue.ts";
import type { Warning } from "./reports.ts";
import type { CommitterAnswer, CommitterRequest } from "./sqlite/committer.ts";
import { markUnmarkedDays } from "./sqlite/counts/counted-days.ts";
import type { FoldPlan } from "./sqlite/counts/value-fold.ts";
import { type Database, databaseFile } from "./sqlite/database.ts";
import { damage, openChecked, type Unusable } from "./sqlite/health.ts";
import { makeDataDir } from "./sqlite/lock.ts";
import { openDecided } from "./sqlite/opening.ts";
import type { QueryInput, QueryName, QueryResult } from "./sqlite/reader.ts";
import { Room, type Space, spaceOf } from "./sqlite/room.ts";
import type { Directory } from "./sqlite/tables/sites.ts";
import { ownThreads, type Threads } from "./sqlite/threads.ts";
import { startWorkers, type Workers } from "./sqlite/workers.ts";
import type { WriteInput, WriteName, WriteResult } from "./sqlite/writes.ts";

// What the others know of what is behind the door.
export type { Exchange } from "./sqlite/copies/exchange.ts";
export { nobodyCalled } from "./sqlite/counts/nobody.ts";
export { MAX_RANGE_DAYS } from "./sqlite/counts/reports.ts";
export type { Unusable } from "./sqlite/health.ts";
export { openCursor } from "./sqlite/surveys/cursor.ts";
export type { SurveyFilter } from "./sqlite/surveys/rows.ts";
export type { BeforeImport } from "./sqlite/tables/settings-import.ts";
export type { SiteInput, SiteOutcome } from "./sqlite/tables/site-changes.ts";
export type { Directory, SiteRecord } from "./sqlite/tables/sites.ts";

const UPKEEP_EVERY_MS = 10 * 60_000;
const SPACE_EVERY_MS = 10_000;
/** Sites that are folded at most in one go. */
const MAX_FOLDS = 20;
/** What a board with 512 MB can spare; the largest reports take a third of it. */
const READER_MEMORY_MB = 96;

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
export interface Store {
  /** Counts a hit; resolves when it may be answered. See Intake. */
  count(site: SiteKey | null, counts: Increments, view: boolean): Promise<void>;
  /** @throws {Refusal} `storage_unavailable`, `surveys_full` when it was not stored */
  addSurvey(site: SiteKey | null, version: number, payload: string): Promise<void>;
  /**
   * Runs a named query in the reader, when it is the asker's turn; the box itself asks unless told.
   * @throws {Refusal} `reads_busy`, `read_failed`, `storage_unavailable`
   */
  read<Q extends QueryName>(query: Q, input: QueryInput<Q>, asker?: Asker): Promise<QueryResult<Q>>;
  /**
   * Runs a named write in the committer; resolves when it is committed and `directory` knows it.
   * @throws {Refusal} `storage_unavailable` when nothing was changed
   */
  write<W extends WriteName>(name: W, input: WriteInput<W>): Promise<WriteResult<W>>;
  /** Sites and token hashes as of now; changes by other processes show within half a second. */
  readonly directory: Directory;
  readonly directoryChanged: Listenable<Directory>;
  /** Hits were committed. */
  readonly counted: Listenable;
  /** What is wrong at the moment. */
  readonly warnings: readonly Warning[];
  /** Does all upkeep that is due; resolves when done. Runs by itself every ten minutes. */
  upkeep(): Promise<void>;
  /** Free and total bytes where the data is. */
  space(): Promise<Space>;
  /**
   * Closes the database, lets `replace` put another file in its place, and goes on with what is
   * there then; hits wait meanwhile and count for the site of the same id. A file that was swapped
   * in and takes no commit is given up again for the one before.
   * @throws {Refusal} `storage_unavailable`, DatabaseRefused, and whatever `replace` throws
   */
  replaceFile(replace: (file: string) => Promise<void>): Promise<void>;
  /** Resolves when the committer has come to it; nothing is written. Never resolves when it hangs. */
  alive(): Promise<void>;
  /** Commits what is open and closes the database. */
  close(): Promise<void>;
}

/**
 * Opens the store and starts its workers.
 * @throws {DatabaseRefused} with a sentence for the owner.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { dataDir, retentionDays, clock, log, space = spaceOf } = options;
  const { readerMemoryMb = READER_MEMORY_MB, threads = ownThreads } = options;
  makeDataDir(dataDir);
  const file = databaseFile(dataDir);
  let directory: Directory = { sites: [], retired: [], adminHash: null };
  const directoryChanged = new Signal<Directory>();
  const counted = new Signal();

  const open = (): Promise<Workers> => {
    const db = openChecked(file);
    try {
      markUnmarkedDays(db);
      options.prepare?.(db);
    } finally {
      db.close();
    }
    const onDirectory = (changed: Directory) => {
      directory = changed;
      directoryChanged.emit(directory);
    };
    const onDamaged = (message: string) => options.onUnusable?.(damage(message));
    return startWorkers({ file, onDirectory, onDamaged, clock, log, threads, readerMemoryMb });
  };
  let { workers } = await openDecided(file, open, { clock, log });
  /** Set while the file is replaced. */
  let pause: Promise<void> | undefined;
  /** How often another file took the place of the database. */
  let replaced = 0;

  const room = new Room(dataDir, space, log);
  await room.look();
  /** Asks the committer; what makes room may use the ballast when the disk is full. */
  const send = async (request: CommitterRequest, makesRoom: boolean): Promise<CommitterAnswer> => {
    const answer = await workers.send(request);
    if (answer.ok) room.spare = answer.spare ?? room.spare;
    else if (makesRoom && answer.full && room.giveUpBallast()) return send(request, makesRoom);
    return answer;
  };
  const intake = new Intake({
    clock,
    log,
    send: (request) => send(request, false),
    lowSpace: () => room.isLow,
    onCommitted: () => counted.emit(),
  });

  let running: Promise<void> | undefined;
  const upkeep = async () => {
    for (;;) {
      await pause;
      const time = {
        boot: clock.boot,
        bootedAt: clock.sure ? clock.now() - clock.monotonic() : null,
        today: dayOf(clock.now()),
        retentionDays,
      };
      const answer = await send({ kind: "upkeep", at: clock.monotonic(), time }, true);
      if (!answer.ok)
        log.warn({ reason: answer.message }, "Upkeep failed; it is tried again later");
      if (!answer.ok || !answer.more) return;
    }
  };
  /** Folds what is too many of values: a plan is the reader's work, its steps are the committer's. */
  const foldValues = async () => {
    for (let round = 0; clock.sure && round < MAX_FOLDS; round++) {
      const asked = replaced;
      const plan = await read("foldPlan", { today: dayOf(clock.now()) });
      if (plan === null) return;
      for (let more = true, next: FoldPlan | null = plan; more; next = null) {
        // Values of another file have other numbers.
        if (pause !== undefined || replaced !== asked) throw readRefused("replaced");
        const answer = await workers.send({ kind: "fold", plan: next });
        if (!answer.ok) throw new Error(answer.message);
        more = answer.more;
      }
    }
  };
  let isClosing = false;
  const foldLater = (error: Error) => {
    // Then the next start does it.
    if (isClosing) return;
    log.warn({ reason: error.message }, "Values could not be folded; it is tried again later");
  };
  const upkeepOnce = () => {
    running ??= upkeep()
      .then(foldValues)
      .catch(foldLater)
      .finally(() => {
        running = undefined;
      });
    return running;
  };
  /** What runs may have looked at the clock already: another round after it sees what is new. */
  const upkeepAnew = async () => {
    await running;
    await upkeepOnce();
  };
  const lookAtRoom = async () => {
    if (await room.look()) intake.retry();
    await room.takeBallast();
  };
  const stops = [
    every(clock, UPKEEP_EVERY_MS, () => void upkeepOnce()),
    every(clock, SPACE_EVERY_MS, () => void lookAtRoom()),
    clock.becameSure.on(() => void upkeepAnew()),
  ];
  void upkeepOnce();

  /** The same site once the file is replaced, where it may have another number or be gone. */
  const siteAfterPause = async (key: SiteKey | null): Promise<SiteKey | null> => {
    const id = directory.sites.find((site) => site.key === key)?.id;
    await pause;
    return directory.sites.find((site) => site.id === id)?.key ?? null;
  };

  const reads = new ReadQueue();
  const read = async <Q extends QueryName>(
    query: Q,
    input: QueryInput<Q>,
    asker: Asker = { lane: "box" },
  ): Promise<QueryResult<Q>> => {
    const asked = replaced;
    const isOwn = asker.lane === "box";
    for (;;) {
      // Not in its turn, where it would hold up those who are told at once.
      if (isOwn) await pause;
      const turn = await reads.run(asker, async () => {
        // A site may have another number by now, and the token that was shown may open it no more.
        if (!isOwn && (pause !== undefined || replaced !== asked)) throw readRefused("replaced");
        return pause === undefined ? { result: await workers.read(query, input) } : undefined;
      });
      if (turn !== undefined) return turn.result;
    }
  };

  const replaceFile = async (replace: (file: string) => Promise<void>) => {
    await intake.drain();
    if (intake.unavailable) throw storageUnavailable();
    await workers.close();
    let takenBack: Error | undefined;
    try {
      await replace(file);
    } finally {
      ({ workers, takenBack } = await openDecided(file, open, { clock, log }).catch(
        (error: unknown) => {
          // As when a worker fails: better to start anew than to pretend.
          setImmediate(() => {
            throw error;
          });
          throw error;
        },
      ));
    }
    if (takenBack !== undefined) throw takenBack;
  };

  return {
    count(site, counts, view) {
      // No promise of its own: hits are many, and those of a batch share one.
      if (pause === undefined) return intake.count(site, counts, view);
      return siteAfterPause(site).then((settled) => intake.count(settled, counts, view));
    },
    async addSurvey(site, version, payload) {
      if (room.isLow) throw storageUnavailable();
      return intake.addSurvey(pause ? await siteAfterPause(site) : site, version, payload);
    },
    read,
    async write(name, input) {
      await pause;
      const answer = await send({ kind: "write", name, input }, name === "eraseSite");
      if (!answer.ok) {
        log.error({ reason: answer.message }, "A change could not be stored");
        throw storageUnavailable();
      }
      return answer.result as WriteResult<typeof name>;
    },
    get directory() {
      return directory;
    },
    directoryChanged,
    counted,
    space: () => space(dataDir),
    async replaceFile(replace) {
      await pause;
      const { promise, resolve } = Promise.withResolvers<void>();
      pause = promise;
      try {
        await replaceFile(replace);
      } finally {
        pause = undefined;
        replaced++;
        resolve();
      }
      void upkeepOnce();
    },
    get warnings() {
      const warnings: Warning[] = [];
      if (room.isLow) warnings.push("storage_full");
      if (intake.unavailable) warnings.push("storage_unavailable");
      if (!clock.sure) warnings.push("clock_not_set");
      return warnings;
    },
    upkeep: upkeepAnew,
    async alive() {
      // While another file takes the database's place there is no committer to ask.
      if (pause === undefined) await workers.send({ kind: "ping" });
    },
    async close() {
      isClosing = true;
      for (const stop of stops) stop();
      await pause;
      await intake.drain();
      if (intake.unavailable) log.error("What waited in memory could not be stored and is lost");
      await workers.close();
    },
  };
}

function every(clock: Clock, ms: number, task: () => void): Cancel {
  let cancel = clock.after(ms, function again() {
    cancel = clock.after(ms, again);
    task();
  });
  return () => cancel();
}
