import { type ChildProcess, fork } from "node:child_process";
import { messageOf } from "../../../base/message-of.ts";
import {
  boundedArgs,
  boundedEnv,
  SMALL_MALLOC,
  watchMemory,
} from "../../../base/system/bounded-process.ts";
import { type DatabaseProblem, DatabaseRefused } from "../refused.ts";
import type { Kinds } from "./copy-documents.ts";

/**
 * Work that takes long, or reads files that a stranger may have made. It has a process of its own, so that
 * hits and reads do not wait, and a hostile file cannot harm the service.
 */
export type Chore = { readonly kinds: Kinds } & (
  | { readonly kind: "backUp"; readonly source: string; readonly target: string }
  | { readonly kind: "copyIn"; readonly source: string; readonly target: string }
  | { readonly kind: "keepOwn"; readonly box: string; readonly incoming: string }
);

/** A chore that takes longer is ended: a gigabyte on a slow card takes about half of it. */
const CHORE_MS = 20 * 60_000;
/** Limit of the heap, in megabytes. It is enough, since rows are read one by one. */
const HEAP_MB = 128;
const TOO_LONG = { file: "", says: "This took too long and was ended." };
const TOO_LARGE = {
  file: "",
  says: "This takes more memory than there is, and was ended. Choose another backup.",
};

/** Starts processes for chores, and takes them back. */
export interface ChoreProcesses {
  /**
   * @param program its module, which calls `hostChore`
   * @param env variables besides those that each chore has
   */
  start(program: URL, env: Readonly<Record<string, string>>): ChildProcess;
  /** Takes back one that has answered, or has ended. */
  end(child: ChildProcess): void;
}

/** A process for each chore. */
export const ownProcesses: ChoreProcesses = {
  start: (program, env) =>
    fork(program, {
      env: { ...boundedEnv(), ...env },
      execArgv: boundedArgs(HEAP_MB),
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    }),
  end: (child) => {
    if (child.connected) child.disconnect();
  },
};

interface RunOptions {
  readonly patienceMs?: number | undefined;
  readonly processes?: ChoreProcesses | undefined;
}

/**
 * Does a chore in a process of its own, which is killed when it takes too long.
 * @throws {DatabaseRefused | Error}
 */
export function runChore(chore: Chore, options: RunOptions = {}): Promise<void> {
  return runIn(new URL("chores.ts", import.meta.url), chore, { ...options, env: SMALL_MALLOC });
}

/**
 * The same of a chore that another program does, by `hostChore`.
 * @throws {DatabaseRefused | Error}
 */
export async function runIn(
  program: URL,
  chore: object,
  {
    patienceMs = CHORE_MS,
    processes = ownProcesses,
    env = {},
  }: RunOptions & { readonly env?: Readonly<Record<string, string>> } = {},
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<ChoreAnswer>();
  // A process that cannot start may tell so before anybody waits for it.
  promise.catch(() => {});
  const child = processes.start(program, env);
  const memory = watchMemory(child);
  const patience = setTimeout(() => child.kill("SIGKILL"), patienceMs);
  child.once("message", (answer) => resolve(answer as ChoreAnswer));
  // One that cannot start has another error with the first message to it.
  child.on("error", reject);
  child.once("exit", (_code, signal) => {
    if (memory.isTooLarge()) reject(new DatabaseRefused(TOO_LARGE));
    else if (signal === "SIGKILL") reject(new DatabaseRefused(TOO_LONG));
    else reject(new Error(`a chore ended without an answer (${signal ?? "no signal"})`));
  });
  try {
    child.send(chore);
    const answer = await promise;
    if (answer.ok) return;
    throw answer.refused ? new DatabaseRefused(answer.refused) : new Error(answer.message);
  } finally {
    clearTimeout(patience);
    memory.end();
    processes.end(child);
  }
}

type ChoreAnswer =
  | { readonly ok: true }
  /** The problem of a database, where that is why. */
  | { readonly ok: false; readonly refused: DatabaseProblem | undefined; readonly message: string };

/** The other end of `runChore`: answers each chore; the process ends with the connection. */
export function hostChore<Chore>(work: (chore: Chore) => void | Promise<void>): void {
  process.on("message", async (chore: Chore) => {
    process.send?.(await answerOf(() => work(chore)));
  });
}

async function answerOf(work: () => void | Promise<void>): Promise<ChoreAnswer> {
  try {
    await work();
    return { ok: true };
  } catch (error) {
    const message = messageOf(error);
    const refused = error instanceof DatabaseRefused ? error.about : undefined;
    return { ok: false, refused, message };
  }
}
