import { Worker, type WorkerOptions } from "node:worker_threads";

/** Where the threads come from that work on a database, and where they go when they have closed it. */
export interface Threads {
  start(script: URL, options: WorkerOptions): Worker;
  /** Takes back one that has closed its database, or never opened it. Resolves when nothing of it runs. */
  end(thread: Worker): Promise<void>;
}

/** A thread for each database. */
export const ownThreads: Threads = {
  start: (script, options) => new Worker(script, options),
  end(thread) {
    return new Promise((ended) => {
      thread.once("exit", () => ended());
      thread.postMessage({ kind: "end" } satisfies ThreadRequest);
    });
  },
};

/** What every thread on a database is asked, beside its own requests. */
export type ThreadRequest =
  | { readonly kind: "open"; readonly file: string }
  | { readonly kind: "close" }
  | { readonly kind: "end" };

/** What every thread on a database says, beside its own answers. */
export type ThreadAnswer =
  /** Sent after what else there is to say at first. */
  | { readonly kind: "ready" }
  /** The database is closed; nothing else of it follows. */
  | { readonly kind: "closed" };
