import { statfs } from "node:fs/promises";
import type { Cancel, Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import { StorageUnavailable } from "./batch.ts";
import type { SiteKey } from "./counting.ts";
import { type Connection, databaseFile, openForWriting } from "./database.ts";
import { dayOf } from "./day.ts";
import type { Directory } from "./directory.ts";
import { type Counts, Intake } from "./intake.ts";
import { makeDataDir } from "./lock.ts";
import type { QueryInput, QueryName, QueryResult } from "./reader.ts";
import { startWorkers, type Workers } from "./workers.ts";
import type { WriteInput, WriteName, WriteResult } from "./writes.ts";

const UPKEEP_EVERY_MS = 10 * 60_000;
const SPACE_EVERY_MS = 10_000;
const LOW_SPACE_BYTES = 100 * 1024 * 1024;
const LOW_SPACE_SHARE = 0.05;

export type Warning = "storage_full" | "storage_unavailable" | "clock_not_set";

/** Free and total bytes where the data is. */
export interface Space {
  readonly free: number;
  readonly total: number;
}

export interface StoreOptions {
  dataDir: string;
  retentionDays: number;
  clock: Clock;
  log: Log;
  /** Called with the database before the workers start, each time another file is in place. */
  prepare?: (db: Connection) => void;
  space?: (dir: string) => Promise<Space>;
}

/** The one door to the data: counts and surveys in, reports out. */
export interface Store {
  /** Counts a hit; resolves when it may be answered. See Intake. */
  count(site: SiteKey | null, counts: Counts, view: boolean): Promise<void>;
  addSurvey(site: SiteKey | null, version: number, payload: string): Promise<void>;
  /** Runs a named query in the reader. */
  read<Q extends QueryName>(query: Q, input: QueryInput<Q>): Promise<QueryResult<Q>>;
  /**
   * Runs a named write in the committer; resolves when it is committed and `directory` knows it.
   * @throws StorageUnavailable when nothing was changed
   */
  write<W extends WriteName>(name: W, input: WriteInput<W>): Promise<WriteResult<W>>;
  /** Sites and token hashes as of now; changes by other processes show within half a second. */
  readonly directory: Directory;
  onDirectory(listener: (directory: Directory) => void): void;
  /** Calls back whenever hits were committed. */
  onCounted(listener: () => void): Cancel;
  /** What is wrong at the moment. */
  readonly warnings: readonly Warning[];
  /** Does all upkeep that is due; resolves when done. Runs by itself every ten minutes. */
  upkeep(): Promise<void>;
  /** Free and total bytes where the data is. */
  space(): Promise<Space>;
  /**
   * Closes the database, lets `replace` put another file in its place, and goes on with what is
   * there then; hits wait meanwhile and count for the site of the same id.
   * @throws StorageUnavailable, and whatever `replace` throws
   */
  replaceFile(replace: (file: string) => Promise<void>): Promise<void>;
  /** Resolves when the committer has come to it; nothing is written. Never resolves when it hangs. */
  alive(): Promise<void>;
  /** Commits what is open and closes the database. */
  close(): Promise<void>;
}

/**
 * Opens the store and starts its workers.
 * @throws DatabaseRefused with a sentence for the owner.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { dataDir, retentionDays, clock, log, space = spaceOf } = options;
  makeDataDir(dataDir);
  const file = databaseFile(dataDir);
  let directory: Directory = { sites: [], adminHash: null };
  const directoryListeners: ((directory: Directory) => void)[] = [];
  const countedListeners = new Set<() => void>();

  const open = (): Promise<Workers> => {
    const db = openForWriting(file);
    try {
      options.prepare?.(db);
    } finally {
      db.close();
    }
    return startWorkers(file, (changed) => {
      directory = changed;
      for (const listener of directoryListeners) listener(directory);
    });
  };
  let workers = await open();
  /** Set while the file is replaced. */
  let pause: Promise<void> | undefined;

  let lowSpace = false;
  const checkSpace = async () => {
    const { free, total } = await space(dataDir).catch(() => ({ free: Infinity, total: 0 }));
    const low = free < LOW_SPACE_BYTES || free < total * LOW_SPACE_SHARE;
    if (low && !lowSpace) log.warn("Little space is left: new values are counted as (other)");
    lowSpace = low;
  };
  await checkSpace();

  const intake = new Intake({
    clock,
    log,
    send: (request) => workers.send(request),
    lowSpace: () => lowSpace,
    onCommitted: () => {
      for (const listener of countedListeners) listener();
    },
  });

  let running: Promise<void> | undefined;
  const upkeep = async () => {
    for (;;) {
      await pause;
      const answer = await workers.send({
        kind: "upkeep",
        time: {
          boot: clock.boot,
          bootedAt: clock.sure ? clock.now() - clock.monotonic() : null,
          today: dayOf(clock.now()),
          retentionDays,
        },
      });
      if (!answer.ok)
        log.warn({ reason: answer.message }, "Upkeep failed; it is tried again later");
      if (!answer.ok || !answer.more) return;
    }
  };
  const upkeepOnce = () => {
    running ??= upkeep().finally(() => {
      running = undefined;
    });
    return running;
  };
  /** What runs may have looked at the clock already: another round after it sees what is new. */
  const upkeepAnew = async () => {
    await running;
    await upkeepOnce();
  };
  const stops = [
    every(clock, UPKEEP_EVERY_MS, () => void upkeepOnce()),
    every(clock, SPACE_EVERY_MS, () => void checkSpace()),
  ];
  clock.onSure(() => void upkeepAnew());
  void upkeepOnce();

  /** The same site once the file is replaced, where it may have another number or be gone. */
  const siteAfterPause = async (key: SiteKey | null): Promise<SiteKey | null> => {
    const id = directory.sites.find((site) => site.key === key)?.id;
    await pause;
    return directory.sites.find((site) => site.id === id)?.key ?? null;
  };

  const read = async <Q extends QueryName>(query: Q, input: QueryInput<Q>) => {
    await pause;
    return workers.read(query, input);
  };

  const replaceFile = async (replace: (file: string) => Promise<void>) => {
    await intake.drain();
    if (intake.unavailable) throw new StorageUnavailable();
    await workers.close();
    try {
      await replace(file);
    } finally {
      workers = await open().catch((error: unknown) => {
        // As when a worker fails: better to start anew than to pretend.
        setImmediate(() => {
          throw error;
        });
        throw error;
      });
    }
  };

  return {
    async count(site, counts, view) {
      return intake.count(pause ? await siteAfterPause(site) : site, counts, view);
    },
    async addSurvey(site, version, payload) {
      return intake.addSurvey(pause ? await siteAfterPause(site) : site, version, payload);
    },
    read,
    async write(name, input) {
      await pause;
      const answer = await workers.send({ kind: "write", name, input });
      if (!answer.ok) {
        log.error({ reason: answer.message }, "A change could not be stored");
        throw new StorageUnavailable();
      }
      // The reader looks at the directory before it answers.
      await read("readDirectory", undefined);
      return answer.result as WriteResult<typeof name>;
    },
    get directory() {
      return directory;
    },
    onDirectory: (listener) => void directoryListeners.push(listener),
    onCounted(listener) {
      countedListeners.add(listener);
      return () => void countedListeners.delete(listener);
    },
    space: () => space(dataDir),
    async replaceFile(replace) {
      await pause;
      const { promise, resolve } = Promise.withResolvers<void>();
      pause = promise;
      try {
        await replaceFile(replace);
      } finally {
        pause = undefined;
        resolve();
      }
      void upkeepOnce();
    },
    get warnings() {
      const warnings: Warning[] = [];
      if (lowSpace) warnings.push("storage_full");
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
      for (const stop of stops) stop();
      await pause;
      await intake.drain();
      if (intake.unavailable) log.error("What waited in memory could not be stored and is lost");
      await workers.close();
    },
  };
}

function every(clock: Clock, ms: number, task: () => void): () => void {
  let cancel = clock.after(ms, function again() {
    cancel = clock.after(ms, again);
    task();
  });
  return () => cancel();
}

/** Free and total bytes of the disk a folder is on. */
export async function spaceOf(dir: string): Promise<Space> {
  const { bavail, blocks, bsize } = await statfs(dir);
  return { free: bavail * bsize, total: blocks * bsize };
}
