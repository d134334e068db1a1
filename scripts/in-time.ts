/**
 * Runs a command in bounded time: `in-time.ts SECONDS STILL_SECONDS SPINS_SECONDS COMMAND ...`. It exits with the
 * status of the command; with 1 once the command has printed nothing while it stood still for STILL_SECONDS, or used
 * SPINS_SECONDS of processor time (`Infinity` for any); and with 75, "try again", where the time is over and the
 * command makes progress.
 */
import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { StallWatch, statOf, TICKS_A_SECOND } from "./stall.ts";

const UNFIT = 75;
const LOOK_MS = 500;
/** The time limit for cleaning up after SIGTERM. */
const ENDS_MS = 20_000;
const TELLS_MS = 2_000;

const [seconds = "", stillSeconds = "", spinsSeconds = "", file = "", ...args] =
  process.argv.slice(2);
// The child has a session of its own, which identifies all its processes.
const child = spawn(file, args, { detached: true, stdio: ["ignore", "pipe", "pipe"] });
const { pid = 0 } = child;
let said = 0;
for (const name of ["stdout", "stderr"] as const)
  child[name].on("data", (bytes: Buffer) => {
    said += bytes.length;
    process[name].write(bytes);
  });
let status: number | undefined;
const ended = Promise.withResolvers<void>();
child.once("error", (error) => {
  tell(error.message);
  status = 1;
  ended.resolve();
});
child.once("close", (code) => {
  // Ended by a signal, as a shell says it.
  status ??= code ?? 143;
  ended.resolve();
});
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => {
    end("SIGKILL");
    process.exit(1);
  });

const watch = new StallWatch({ stillS: Number(stillSeconds), spinsS: Number(spinsSeconds) });
let reason: string | undefined;
while (status === undefined && reason === undefined && now() < Number(seconds)) {
  await Promise.race([pause(LOOK_MS), ended.promise]);
  if (status === undefined) reason = watch.see({ at: now(), said, usedS: usedS() });
}
if (status !== undefined) process.exit(status);
tell(reason ?? `its time was over, ${seconds} s, while it moved on`);
// The command is first, and exits with 1 if it knows of a failure, or of a guest that hangs. If its processes ended
// before it, it would take that for a failure.
child.kill("SIGTERM");
await ends(TELLS_MS);
end("SIGTERM");
await ends(ENDS_MS);
end("SIGKILL");
process.exit(reason !== undefined || status === 1 ? 1 : UNFIT);

async function ends(withinMs: number): Promise<void> {
  const until = performance.now() + withinMs;
  while (status === undefined && performance.now() < until) await pause(100);
}

function now(): number {
  return performance.now() / 1_000;
}

function tell(what: string): void {
  console.error(`${[file, ...args].join(" ")}: ${what}`);
}

function end(signal: NodeJS.Signals): void {
  for (const process_ of session()) {
    try {
      process.kill(process_.pid, signal);
    } catch {}
  }
}

/** Processor time of all processes, those that have ended included, in seconds. */
function usedS(): number {
  return session().reduce((sum, { ticks }) => sum + ticks, 0) / TICKS_A_SECOND;
}

function session(): { pid: number; ticks: number }[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const fields = statOf(name);
        if (Number(fields[3]) !== pid) return [];
        const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
        return [{ pid: Number(name), ticks }];
      } catch {
        return [];
      }
    });
}
