import { appendFileSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { join, relative } from "node:path";

// As scripts/install has it, for who runs Mocha without the scripts. Mocha requires this file first,
// in each of its processes; threads go by the environment.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, "../../node_modules/.cache/node");
enableCompileCache(process.env.NODE_COMPILE_CACHE);

// Mocha's own has no end, which makes every error that is thrown deep down cost milliseconds.
Error.stackTraceLimit = 30;

const begins: (() => void)[] = [];
const ends: (() => unknown)[] = [];
const lasts: (() => unknown)[] = [];

/**
 * Has `end` called after all tests, and `begin` before them: of the run, or of each file where files
 * run beside each other. A hook of the helper's own would belong to the first file that uses it.
 */
export function aroundTests(end: () => unknown, begin = () => {}): void {
  begins.push(begin);
  ends.push(end);
}

/** A set of what ends after all tests, unless it has left it: a process of a failed test would outlive the run. */
export function endedAtLast<T extends { end(): Promise<void> }>(): Set<T> {
  const open = new Set<T>();
  aroundTests(() => Promise.all([...open].map((one) => one.end())));
  return open;
}

/**
 * Has `end` called after the last file of this process. Where files run beside each other nobody
 * tells a process which is its last one: it is ended, and what it started has to end with it.
 */
export function afterAllFiles(end: () => unknown): void {
  lasts.push(end);
}

/** Hooks that Mocha reads from a required file. */
export const mochaHooks = {
  beforeAll() {
    for (const begin of begins) begin();
  },
  async afterAll() {
    await Promise.all(ends.map((end) => end()));
  },
  /** One line for each sentence, of all processes in one file: ms, tab, where it stands and what it says. */
  afterEach(this: Mocha.Context) {
    const { TEST_TIMES: times } = process.env;
    const { currentTest: test } = this;
    if (times === undefined || test === undefined) return;
    const file = relative(process.cwd(), test.file ?? "");
    appendFileSync(times, `${test.duration ?? 0}\t${file}: ${test.fullTitle()}\n`);
  },
};

/** Runs after all tests of a process. */
export async function mochaGlobalTeardown(): Promise<void> {
  await Promise.all(lasts.map((end) => end()));
}
