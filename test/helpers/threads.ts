import { Worker } from "node:worker_threads";
import type { Threads } from "../../appliance/store/threads/threads.ts";

const idle = new Map<string, Set<Worker>>();
const kinds = new WeakMap<Worker, string>();

/**
 * Threads that have closed their database wait here for the next one: to start a thread takes longer
 * than most tests. They do not keep the process.
 */
export const reusedThreads: Threads = {
  start({ script, options }) {
    const kind = JSON.stringify([script, options.resourceLimits]);
    const [kept] = idle.get(kind) ?? [];
    const thread = kept ?? new Worker(script, options);
    idle.get(kind)?.delete(thread);
    kinds.set(thread, kind);
    letGo(thread);
    thread.ref();
    return thread;
  },
  async end(thread) {
    const kind = kinds.get(thread) as string;
    const others = idle.get(kind) ?? new Set();
    idle.set(kind, others.add(thread));
    letGo(thread);
    thread.once("exit", () => others.delete(thread));
    thread.unref();
  },
};

/** Node listens to these objects itself, for other events. */
function letGo(thread: Worker): void {
  for (const event of ["message", "error", "exit"]) thread.removeAllListeners(event);
}
