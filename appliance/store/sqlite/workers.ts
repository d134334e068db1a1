import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { type EngineRequest, notDone } from "../engine.ts";
import type { Directory } from "../sites/directory.ts";
import { COMMITTER, readerOf } from "../threads/kinds.ts";
import { ReaderThread } from "../threads/reader-thread.ts";
import type { ThreadAnswer, ThreadRequest, Threads } from "../threads/threads.ts";
import type { CommitterAnswer, CommitterMessage } from "./committer.ts";

interface WorkersOptions {
  file: string;
  /** Called before the workers are ready, and after each change. */
  onDirectory: (directory: Directory) => void;
  /** Called when a worker finds damage in the file. */
  onDamaged: (message: string) => void;
  clock: Clock;
  log: Log;
  threads: Threads;
  /** The largest heap of the reader. */
  readerMemoryMb: number;
}

/** The two workers on one database. */
export interface Workers {
  send(request: EngineRequest): Promise<CommitterAnswer>;
  readonly reader: Pick<ReaderThread, "read">;
  /** Ends the workers once they have answered all requests. */
  close(): Promise<void>;
}

export async function startWorkers(options: WorkersOptions): Promise<Workers> {
  // Both threads start at once, since one takes a tenth of a start.
  const { file, readerMemoryMb, ...others } = options;
  const reader = ReaderThread.start({
    ...others,
    thread: readerOf(readerMemoryMb),
    database: file,
  });
  const committer = await startCommitter(options).catch(async (error) => {
    await reader.close();
    throw error;
  });
  return {
    send: committer.send,
    reader,
    async close() {
      // The committer last: only a connection that may write folds the log into the file.
      await reader.close();
      await committer.close();
    },
  };
}

async function startCommitter({ file, onDirectory, onDamaged, threads }: WorkersOptions) {
  const waiting: ((answer: CommitterAnswer) => void)[] = [];
  const worker = threads.start(COMMITTER);
  const ready = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  let state: "starting" | "open" | "closing" = "starting";
  worker.on("message", (message: CommitterMessage | ThreadAnswer) => {
    if (message.kind === "directory") onDirectory(message.directory);
    else if (message.kind === "damaged") onDamaged(message.message);
    // The worker answers in the order of the requests.
    else if (message.kind === "answer") waiting.shift()?.(message.answer);
    else if (message.kind === "ready") ready.resolve();
    else closed.resolve();
  });
  worker.on("error", (error) => {
    // Without its committer the store cannot keep anything: the service has to start again.
    if (state !== "starting") throw error;
    ready.reject(error);
  });
  worker.postMessage({ kind: "open", database: file } satisfies ThreadRequest);
  await ready.promise;
  state = "open";
  return {
    async send(request: EngineRequest): Promise<CommitterAnswer> {
      if (state !== "open") return notDone("The database is closed.");
      worker.postMessage(request);
      return new Promise((answered) => waiting.push(answered));
    },
    async close(): Promise<void> {
      state = "closing";
      worker.postMessage({ kind: "close" } satisfies ThreadRequest);
      await closed.promise;
      await threads.end(worker);
    },
  };
}
