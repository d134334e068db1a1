import { fork } from "node:child_process";
import { DatabaseRefused } from "../refused.ts";
import type { ChoreAnswer } from "./chore-host.ts";
import type { Chore } from "./chores.ts";

/** A chore that takes longer is ended: a gigabyte on a slow card takes about half of it. */
const CHORE_MS = 20 * 60_000;
/** Of JavaScript's own memory, in megabytes: rows come one by one. */
const HEAP_MB = 128;
const TOO_LONG = { file: "", says: "This took too long and was ended." };
const TOO_LARGE = {
  file: "",
  says: "This takes more memory than there is, and was ended. Choose another backup.",
};
/** What a chore needs of the environment; tokens are none of its business. */
const ENVIRONMENT = ["PATH", "MALLOC_ARENA_MAX", "NODE_COMPILE_CACHE"];

/**
 * Does a chore in a process of its own, which is killed when it takes too long.
 * @throws {DatabaseRefused | Error}
 */
export function runChore(chore: Chore, patienceMs = CHORE_MS): Promise<void> {
  return runIn(new URL("chores.ts", import.meta.url), chore, patienceMs);
}

/**
 * The same of a chore that another program does, by `hostChore`.
 * @throws {DatabaseRefused | Error}
 */
export async function runIn(
  program: URL,
  chore: object,
  patienceMs: number = CHORE_MS,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<ChoreAnswer>();
  const child = fork(program, {
    env: Object.fromEntries(ENVIRONMENT.map((name) => [name, process.env[name]])),
    execArgv: [...process.execArgv, `--max-old-space-size=${HEAP_MB}`],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    timeout: patienceMs,
    killSignal: "SIGKILL",
  });
  child.once("message", (answer) => resolve(answer as ChoreAnswer));
  child.once("error", reject);
  child.once("exit", (_code, signal) => {
    if (signal === "SIGKILL") reject(new DatabaseRefused(TOO_LONG));
    // As V8 ends a process whose heap is full.
    else if (signal === "SIGABRT") reject(new DatabaseRefused(TOO_LARGE));
    else reject(new Error(`a chore ended without an answer (${signal ?? "no signal"})`));
  });
  child.send(chore);
  const answer = await promise;
  if (answer.ok) return;
  throw answer.refused ? new DatabaseRefused(answer.refused) : new Error(answer.message);
}
