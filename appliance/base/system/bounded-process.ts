import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { Readable } from "node:stream";
import { SERVICE_MEMORY } from "../bounds.ts";
import { commandLine } from "./program.ts";

/** The MB of each half of the space for young objects, which would take 60 MB and more by default. */
const YOUNG_MB = 4;
/** Limit of all memory, in bytes: beside a service at rest, it is all that a board has. */
const MEMORY_BYTES = SERVICE_MEMORY - 32 * 1_048_576;
/** Work that unpacks much at once takes longer to be read. */
const LOOK_MS = 20;
/** Below the service in all that the system shares out: processor, and the card. */
export const NICENESS = 15;
/** The variables that such a process needs of the environment; tokens are none of its business. */
const ENVIRONMENT = ["PATH", "MALLOC_ARENA_MAX", "NODE_COMPILE_CACHE"];

/**
 * Allocations of more bytes go back to the system at once: gaps between two pieces of a month would take 40 MB.
 * Processes that answer questions do without, since it doubles their time.
 */
export const SMALL_MALLOC = { MALLOC_MMAP_THRESHOLD_: "32768" };

/** Arguments of Node for a process with bounded memory. @param heapMb limit of the heap, in megabytes */
export function boundedArgs(heapMb: number): string[] {
  return [
    ...process.execArgv,
    `--max-old-space-size=${heapMb}`,
    `--max-semi-space-size=${YOUNG_MB}`,
  ];
}

/** The variables for it. */
export function boundedEnv(): NodeJS.ProcessEnv {
  return Object.fromEntries(ENVIRONMENT.map((name) => [name, process.env[name]]));
}

/** Kills a process that takes more memory than there is, until it ends or `end` is called. */
export function watchMemory(child: ChildProcess): {
  /** Whether it was killed, also by its own heap's limit. */
  isTooLarge(): boolean;
  end(): void;
} {
  let isTooLarge = false;
  const looking = setInterval(() => {
    isTooLarge ||= child.pid !== undefined && memoryOf(child.pid) > MEMORY_BYTES;
    if (isTooLarge) child.kill("SIGKILL");
  }, LOOK_MS);
  const end = () => clearInterval(looking);
  child.once("error", end);
  child.once("exit", (_code, signal) => {
    end();
    // V8 aborts a process whose heap is full.
    isTooLarge ||= signal === "SIGABRT";
  });
  return { isTooLarge: () => isTooLarge, end };
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

/** A program that runs beside the service, after it in all that the system shares out. */
export interface BoundedProgram {
  readonly out: Readable;
  readonly err: Readable;
  /** Never rejects. */
  readonly ended: Promise<BoundedEnd>;
  /** Ends it, and its output: who reads on gets `ERR_STREAM_PREMATURE_CLOSE`. */
  kill(): void;
}

const ENDS_WITH_STARTER = new URL("ends-with-starter.ts", import.meta.url);

interface BoundedEnd {
  /** Null where it was killed, or could not begin. */
  readonly code: number | null;
  readonly isTooLarge: boolean;
}

interface Bounds {
  /** Words that are not ours. */
  readonly values: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly heapMb: number;
  /** As `nice` takes it; 0 leaves it as it is. */
  readonly niceness: number;
  /** The time after which it is killed. */
  readonly patienceMs: number;
}

/**
 * Runs a program of ours, which ends with this process at the latest.
 * @param own its words, in which whatever is not ours stands behind a name of ours, like `--site=…`
 */
export type RunProgram = (
  program: string,
  own: readonly string[],
  bounds: Bounds,
) => BoundedProgram;

export const runBounded: RunProgram = (
  program,
  own,
  { values, env, heapMb, niceness, patienceMs },
) => {
  const node = [process.execPath, ...boundedArgs(heapMb), `--import=${ENDS_WITH_STARTER}`];
  const words = [...node, program, ...commandLine(own, values)];
  const child = spawn("nice", ["-n", `${niceness}`, ...words], {
    env: {
      ...boundedEnv(),
      ...SMALL_MALLOC,
      MALLOC_ARENA_MAX: "1",
      NICENESS: `${niceness}`,
      ...env,
    },
    stdio: ["pipe", "pipe", "pipe"],
    timeout: patienceMs,
    killSignal: "SIGKILL",
  });
  const memory = watchMemory(child);
  const { promise: ended, resolve } = Promise.withResolvers<BoundedEnd>();
  child.once("error", () => resolve({ code: null, isTooLarge: false }));
  child.once("close", (code) => resolve({ code, isTooLarge: memory.isTooLarge() }));
  // Out of descriptors, Node makes no pipes: the error comes all the same.
  const out = (child.stdout as Readable | null | undefined) ?? Readable.from([]);
  const err = (child.stderr as Readable | null | undefined) ?? Readable.from([]);
  const kill = () => {
    child.kill("SIGKILL");
    // A pipe that somebody has begun to read, and left, keeps its process from closing.
    out.destroy();
    err.destroy();
  };
  return { out, err, ended, kill };
};
