import { existsSync } from "node:fs";
import { constants } from "node:os";
import { join, relative } from "node:path";
import { INSTALLED } from "./app/commands/command.ts";
import { runCommandLine } from "./app/commands/command-line.ts";
import { isPiped, readInput } from "./app/commands/input.ts";
import { stepBack } from "./base/system/step-back.ts";
import { endAtUncaught } from "./base/system/uncaught.ts";
import { clockZone } from "./base/time-zone.ts";

const STDIN = 0;
/** The width of output into a pipe. */
const DEFAULT_COLUMNS = 80;
/** The signals of a service manager, and of Ctrl+C. */
const STOPPING = ["SIGTERM", "SIGINT"] as const;
const CHECKOUT = join(import.meta.dirname, "..");

/** The name of this program; in a checkout it is a script that is in no PATH. */
function programHere(): string {
  const script = join(CHECKOUT, "scripts/tallydeck");
  if (!existsSync(script)) return INSTALLED;
  const path = relative(process.cwd(), script);
  return path.startsWith("..") ? script : `./${path}`;
}

// The files it makes, data and backups, are for its own user alone.
process.umask(0o077);

// The output has no reader any more, as after `| head`: no reason for a service to stop counting.
process.stderr.on("error", () => {});
process.stdout.on("error", ({ code, message }: NodeJS.ErrnoException) => {
  if (code === "EPIPE" || process.exitCode === 1) return;
  process.exitCode = 1;
  process.stderr.write(`What this prints cannot be written: ${message}\n`);
});

endAtUncaught((line) => process.stderr.write(`${line}\n`));

/** Milliseconds by which a service that started this knows better than the clock of the machine. */
const ahead = Number(process.env.CLOCK_AHEAD_MS ?? 0);
/** By which long work comes after others, where who started this says so. */
const niceness = Number(process.env.NICENESS ?? constants.priority.PRIORITY_LOW);

const code = await runCommandLine(process.argv.slice(2), {
  env: process.env,
  program: programHere(),
  columns: process.stdout.columns || Number(process.env.COLUMNS) || DEFAULT_COLUMNS,
  now: () => Date.now() + ahead,
  timeZone: () => clockZone({ warn: (line) => process.stderr.write(`${line}.\n`) }),
  out: (line) => process.stdout.write(`${line}\n`),
  err: (line) => process.stderr.write(`${line}\n`),
  rewrite: process.stderr.isTTY
    ? (text) => void process.stderr.write(`\r\x1b[2K${text}`)
    : undefined,
  output: process.stdout,
  yieldToOthers: () => stepBack(niceness),
  isPiped: () => isPiped(STDIN),
  input: (limit) => readInput(process.stdin, limit),
  onStop(stop) {
    const told = () => stop();
    for (const signal of STOPPING) process.once(signal, told);
    return () => {
      for (const signal of STOPPING) process.off(signal, told);
    };
  },
});
// A write that failed meanwhile has said so.
process.exitCode ||= code;
