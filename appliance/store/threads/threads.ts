import { Worker, type WorkerOptions } from "node:worker_threads";

/** The script that a thread on a database runs, and the memory it may take. */
export interface ThreadKind {
  readonly script: URL;
  readonly options: WorkerOptions;
}

/** Starts threads that work on a database, and takes them back once they have closed it. */
export interface Threads {
  start(kind: ThreadKind): Worker;
  /** Takes back one that has closed its database, or never opened it. Resolves when nothing of it runs. */
  end(thread: Worker): Promise<void>;
}

/** A thread for each database. */
export const ownThreads: Threads = {
  start: ({ script, options }) => new Worker(script, options),
  end(thread) {
    return new Promise((ended) => {
      thread.once("exit", () => ended());
      thread.postMessage({ kind: "end" } satisfies ThreadRequest);
    });
  },
};

/** The requests to every thread on a database, beside its own. */
export type ThreadRequest =
  | { readonly kind: "open"; readonly database: unknown }
  | { readonly kind: "close" }
  | { readonly kind: "end" };

/** The answers of every thread on a database, beside its own. */
export type ThreadAnswer =
  /** The last of the first messages. */
  | { readonly kind: "ready" }
  /** The database is closed. No message about it follows. */
  | { readonly kind: "closed" };
