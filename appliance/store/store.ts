import { mkdirSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { Worker } from "node:worker_threads";
import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import type { CommitterAnswer, CommitterRequest } from "./committer.ts";
import type { SiteKey } from "./counting.ts";
import { type Connection, databaseFile, openForWriting } from "./database.ts";
import { dayOf } from "./day.ts";
import type { Directory } from "./directory.ts";
import { type Counts, Intake } from "./intake.ts";
import type { QueryInput, QueryName, QueryResult, ReaderAnswer, ReaderRequest } from "./reader.ts";

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
  /** Called with the database before the workers start: declare sites, make tokens. */
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
  /** Sites and token hashes as of now; changes by other processes show within half a second. */
  readonly directory: Directory;
  onDirectory(listener: (directory: Directory) => void): void;
  /** What is wrong at the moment. */
  readonly warnings: readonly Warning[];
  /** Does all upkeep that is due; resolves when done. Runs by itself every ten minutes. */
  upkeep(): Promise<void>;
  /** Commits what is open and closes the database. */
  close(): Promise<void>;
}

/**
 * Opens the store and starts its workers.
 * @throws DatabaseRefused with a sentence for the owner.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { dataDir, retentionDays, clock, log, space = spaceOf } = options;
  mkdirSync(dataDir, { recursive: true });
  const file = databaseFile(dataDir);
  const db = openForWriting(file);
  try {
    options.prepare?.(db);
  } finally {
    db.close();
  }

  const committer = await startCommitter(file);
  const reader = await startReader(file).catch(async (error) => {
    await committer.close();
    throw error;
  });

  let lowSpace = false;
  const checkSpace = async () => {
    const { free, total } = await space(dataDir).catch(() => ({ free: Infinity, total: 0 }));
    const low = free < LOW_SPACE_BYTES || free < total * LOW_SPACE_SHARE;
    if (low && !lowSpace) log.warn("Little space is left: new values are counted as (other)");
    lowSpace = low;
  };
  await checkSpace();

  const intake = new Intake({ clock, log, send: committer.send, lowSpace: () => lowSpace });

  let running: Promise<void> | undefined;
  const upkeep = async () => {
    for (;;) {
      const answer = await committer.send({
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

  return {
    count: (site, counts, view) => intake.count(site, counts, view),
    addSurvey: (site, version, payload) => intake.addSurvey(site, version, payload),
    read: reader.read,
    get directory() {
      return reader.directory();
    },
    onDirectory: reader.onDirectory,
    get warnings() {
      const warnings: Warning[] = [];
      if (lowSpace) warnings.push("storage_full");
      if (intake.unavailable) warnings.push("storage_unavailable");
      if (!clock.sure) warnings.push("clock_not_set");
      return warnings;
    },
    upkeep: upkeepAnew,
    async close() {
      for (const stop of stops) stop();
      await intake.drain();
      // The committer last: only a connection that may write folds the log into the file.
      await reader.close();
      await committer.close();
    },
  };
}

async function startCommitter(file: string) {
  const worker = await startWorker("committer.ts", file);
  const waiting: ((answer: CommitterAnswer) => void)[] = [];
  // The worker answers in the order it was asked.
  worker.on("message", (answer: CommitterAnswer) => waiting.shift()?.(answer));
  return {
    send(request: CommitterRequest): Promise<CommitterAnswer> {
      worker.postMessage(request);
      return new Promise((resolve) => waiting.push(resolve));
    },
    close: () => closeWorker(worker, { kind: "close" } satisfies CommitterRequest),
  };
}

async function startReader(file: string) {
  let directory: Directory = { sites: [], adminHash: null };
  const listeners: ((directory: Directory) => void)[] = [];
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let lastId = 0;
  const worker = await startWorker("reader.ts", file, (answer: ReaderAnswer) => {
    if (answer.kind === "directory") {
      directory = answer.directory;
      for (const listener of listeners) listener(directory);
      return;
    }
    const asked = waiting.get(answer.id);
    waiting.delete(answer.id);
    if (answer.kind === "result") asked?.resolve(answer.result);
    else asked?.reject(new Error(answer.message));
  });
  return {
    read<Q extends QueryName>(query: Q, input: QueryInput<Q>): Promise<QueryResult<Q>> {
      const id = ++lastId;
      const asked = Promise.withResolvers<QueryResult<Q>>();
      waiting.set(id, asked as PromiseWithResolvers<unknown>);
      worker.postMessage({ id, query, input } satisfies ReaderRequest);
      return asked.promise;
    },
    directory: () => directory,
    onDirectory: (listener: (directory: Directory) => void) => void listeners.push(listener),
    close: () => closeWorker(worker, "close"),
  };
}

/** Starts a worker and waits until it has opened the database; it says "ready" last. */
function startWorker<Message>(
  name: string,
  file: string,
  onMessage?: (message: Message) => void,
): Promise<Worker> {
  const worker = new Worker(new URL(name, import.meta.url), {
    workerData: { file },
    resourceLimits: { maxYoungGenerationSizeMb: 4 },
  });
  const { promise, resolve, reject } = Promise.withResolvers<Worker>();
  let ready = false;
  worker.on("message", (message: Message | "ready") => {
    if (message !== "ready") {
      onMessage?.(message);
      return;
    }
    ready = true;
    resolve(worker);
  });
  worker.on("error", (error) => {
    // Without its worker the store can keep no promise: better to start anew than to pretend.
    if (ready) throw error;
    reject(error);
  });
  return promise;
}

function closeWorker(worker: Worker, message: unknown): Promise<void> {
  return new Promise((resolve) => {
    worker.once("exit", () => resolve());
    worker.postMessage(message);
  });
}

function every(clock: Clock, ms: number, task: () => void): () => void {
  let cancel = clock.after(ms, function again() {
    cancel = clock.after(ms, again);
    task();
  });
  return () => cancel();
}

async function spaceOf(dir: string): Promise<Space> {
  const { bavail, blocks, bsize } = await statfs(dir);
  return { free: bavail * bsize, total: blocks * bsize };
}
