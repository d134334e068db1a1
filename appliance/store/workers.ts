import { Worker } from "node:worker_threads";
import type { CommitterAnswer, CommitterRequest } from "./committer.ts";
import type { Directory } from "./directory.ts";
import type { QueryInput, QueryName, QueryResult, ReaderAnswer, ReaderRequest } from "./reader.ts";

/** The two workers on one database. */
export interface Workers {
  send(request: CommitterRequest): Promise<CommitterAnswer>;
  read<Q extends QueryName>(query: Q, input: QueryInput<Q>): Promise<QueryResult<Q>>;
  /** Ends them after what they were asked. */
  close(): Promise<void>;
}

/** Starts both; the directory is told before this resolves, and whenever it changed. */
export async function startWorkers(
  file: string,
  onDirectory: (directory: Directory) => void,
): Promise<Workers> {
  const committer = await startCommitter(file);
  const reader = await startReader(file, onDirectory).catch(async (error) => {
    await committer.close();
    throw error;
  });
  return {
    send: committer.send,
    read: reader.read,
    async close() {
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

async function startReader(file: string, onDirectory: (directory: Directory) => void) {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let lastId = 0;
  const worker = await startWorker("reader.ts", file, (answer: ReaderAnswer) => {
    if (answer.kind === "directory") {
      onDirectory(answer.directory);
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
