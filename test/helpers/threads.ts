import type { ChildProcess } from "node:child_process";
import { writeFileSync } from "node:fs";
import { Worker } from "node:worker_threads";
import {
  type ChoreProcesses,
  ownProcesses,
} from "../../appliance/store/sqlite/copies/chore-process.ts";
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

const idleProcesses = new Map<string, Set<ChildProcess>>();
const programs = new WeakMap<ChildProcess, string>();

/** The same for processes of chores. A chore is judged by its own peak of memory. */
export const reusedProcesses: ChoreProcesses = {
  start(program, env) {
    const kind = program.href;
    const [kept] = idleProcesses.get(kind) ?? [];
    const child = kept ?? ownProcesses.start(program, env);
    idleProcesses.get(kind)?.delete(child);
    programs.set(child, kind);
    letGo(child);
    child.ref();
    child.channel?.ref();
    return child;
  },
  end(child) {
    if (!child.connected || child.killed) return ownProcesses.end(child);
    const kind = programs.get(child) as string;
    const others = idleProcesses.get(kind) ?? new Set();
    idleProcesses.set(kind, others.add(child));
    letGo(child);
    writeFileSync(`/proc/${child.pid}/clear_refs`, RESET_PEAK);
    child.once("exit", () => others.delete(child));
    child.unref();
    child.channel?.unref();
  },
};

/** Resets the peak of resident memory: `man 5 proc_pid_clear_refs`. */
const RESET_PEAK = "5";

/** Node listens to these objects itself, for other events. */
function letGo(started: Worker | ChildProcess): void {
  for (const event of ["message", "error", "exit"]) started.removeAllListeners(event);
}
