import { Worker } from "node:worker_threads";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { CommitterAnswer, CommitterMessage, CommitterRequest } from "./committer.ts";
import { KeptReader } from "./kept-reader.ts";
import type { QueryInput, QueryName, QueryResult } from "./reader.ts";
import type { Directory } from "./tables/sites.ts";

interface WorkersOptions {
  file: string;
  /** Told before the workers are there, and whenever it changed. */
  onDirectory: (directory: Directory) => void;
  /** Told whenever one of them met damage to the file. */
  onDamaged: (message: string) => void;
  clock: Clock;
  log: Log;
  /** How large the reader's heap may become. */
  readerMemoryMb: number;
}

/** The two workers on one database. */
export interface Workers {
  send(request: CommitterRequest): Promise<CommitterAnswer>;
  /** One at a time. @throws {Refusal} `read_failed` */
  read<Q extends QueryName>(query: Q, input: QueryInput<Q>): Promise<QueryResult<Q>>;
  /** Ends them after what they were asked. */
  close(): Promise<void>;
}

export async function startWorkers(options: WorkersOptions): Promise<Workers> {
  const committer = await startCommitter(options);
  const reader = await KeptReader.start(options).catch(async (error) => {
    await committer.close();
    throw error;
  });
  return {
    send: committer.send,
    read: (query, input) => reader.read(query, input),
    async close() {
      // The committer last: only a connection that may write folds the log into the file.
      await reader.close();
      await committer.close();
    },
  };
}

async function startCommitter({ file, onDirectory, onDamaged }: WorkersOptions) {
  const waiting: ((answer: CommitterAnswer) => void)[] = [];
  const worker = new Worker(new URL("committer.ts", import.meta.url), {
    name: "committer",
    workerData: { file },
    resourceLimits: { maxYoungGenerationSizeMb: 4 },
  });
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>();
  let isReady = false;
  worker.on("message", (message: CommitterMessage) => {
    if (message.kind === "directory") onDirectory(message.directory);
    else if (message.kind === "damaged") onDamaged(message.message);
    // The worker answers in the order it was asked.
    else if (message.kind === "answer") waiting.shift()?.(message.answer);
    else {
      isReady = true;
      resolve();
    }
  });
  worker.on("error", (error) => {
    // Without its committer the store can keep no promise: better to start anew than to pretend.
    if (isReady) throw error;
    reject(error);
  });
  await ready;
  return {
    send(request: CommitterRequest): Promise<CommitterAnswer> {
      worker.postMessage(request);
      return new Promise((answered) => waiting.push(answered));
    },
    close(): Promise<void> {
      return new Promise((closed) => {
        worker.once("exit", () => closed());
        worker.postMessage({ kind: "close" } satisfies CommitterRequest);
      });
    },
  };
}
