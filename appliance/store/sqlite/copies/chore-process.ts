import { fork } from "node:child_process";
import { readFileSync } from "node:fs";
import { SERVICE_MEMORY } from "../../../base/bounds.ts";
import { messageOf } from "../../../base/message-of.ts";
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
/** The MB of each half of the space for young objects, which would take 60 MB and more by default. */
const YOUNG_MB = 4;
/** Limit of all memory, in bytes: beside a service at rest, it is all that a board has. */
const MEMORY_BYTES = SERVICE_MEMORY - 32 * 1_048_576;
/** A block that unpacks large takes longer to be read. */
const LOOK_MS = 20;
const TOO_LONG = { file: "", says: "This took too long and was ended." };
const TOO_LARGE = {
  file: "",
  says: "This takes more memory than there is, and was ended. Choose another backup.",
};
/** The variables that a chore needs of the environment; tokens are none of its business. */
const ENVIRONMENT = ["PATH", "MALLOC_ARENA_MAX", "NODE_COMPILE_CACHE"];
/**
 * Allocations of more bytes go back to the system at once: gaps between two pieces of a month would take 40 MB.
 * Processes that answer questions do without, since it doubles their time.
 */
const MALLOC = { MALLOC_MMAP_THRESHOLD_: "32768" };

/**
 * Does a chore in a process of its own, which is killed when it takes too long.
 * @throws {DatabaseRefused | Error}
 */
export function runChore(chore: Chore, patienceMs = CHORE_MS): Promise<void> {
  return runIn(new URL("chores.ts", import.meta.url), chore, { patienceMs, env: MALLOC });
}

interface RunOptions {
  readonly patienceMs?: number | undefined;
  /** Besides the environment that each chore has. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * The same of a chore that another program does, by `hostChore`.
 * @throws {DatabaseRefused | Error}
 */
export async function runIn(
  program: URL,
  chore: object,
  { patienceMs = CHORE_MS, env = {} }: RunOptions = {},
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<ChoreAnswer>();
  const child = fork(program, {
    env: {
      ...Object.fromEntries(ENVIRONMENT.map((name) => [name, process.env[name]])),
      ...env,
    },
    execArgv: [
      ...process.execArgv,
      `--max-old-space-size=${HEAP_MB}`,
      `--max-semi-space-size=${YOUNG_MB}`,
    ],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    timeout: patienceMs,
    killSignal: "SIGKILL",
  });
  let isTooLarge = false;
  const looking = setInterval(() => {
    isTooLarge ||= memoryOf(child.pid) > MEMORY_BYTES;
    if (isTooLarge) child.kill("SIGKILL");
  }, LOOK_MS);
  child.once("message", (answer) => resolve(answer as ChoreAnswer));
  child.once("error", reject);
  child.once("exit", (_code, signal) => {
    clearInterval(looking);
    if (isTooLarge) reject(new DatabaseRefused(TOO_LARGE));
    else if (signal === "SIGKILL") reject(new DatabaseRefused(TOO_LONG));
    // V8 aborts a process whose heap is full.
    else if (signal === "SIGABRT") reject(new DatabaseRefused(TOO_LARGE));
    else reject(new Error(`a chore ended without an answer (${signal ?? "no signal"})`));
  });
  child.send(chore);
  const answer = await promise;
  if (answer.ok) return;
  throw answer.refused ? new DatabaseRefused(answer.refused) : new Error(answer.message);
}

/** The peak memory of a process, in bytes; 0 where the system does not report it. */
export function memoryOf(pid: number | "self" = "self"): number {
  try {
    const [, kilobytes = "0"] =
      /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return 1_024 * Number(kilobytes);
  } catch {
    return 0;
  }
}

type ChoreAnswer =
  | { readonly ok: true }
  /** The problem of a database, where that is why. */
  | { readonly ok: false; readonly refused: DatabaseProblem | undefined; readonly message: string };

/** The other end of `runChore`: does one chore, answers, and lets the process end. */
export function hostChore<Chore>(work: (chore: Chore) => void | Promise<void>): void {
  process.once("message", async (chore: Chore) => {
    const answer = await answerOf(() => work(chore));
    process.send?.(answer, () => process.disconnect());
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
