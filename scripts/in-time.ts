/**
 * Runs a command in bounded time: `in-time.ts SECONDS STILL_SECONDS SPINS_SECONDS COMMAND ...`. Ends with its
 * status; with 1 as soon as it says nothing and stands still so long, or takes so much processor time meanwhile
 * (`Infinity`: that is its own to judge); and with 75, "try again", where the time is over and it moves on.
 */
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { StallWatch } from "./stall.ts";

const UNFIT = 75;
const LOOK_MS = 500;
/** For what it has to tell, and for all of it to clear away. */
const ENDS_MS = 20_000;
const TELLS_MS = 2_000;
const TICKS_A_SECOND = 100;

const [seconds = "", stillSeconds = "", spinsSeconds = "", file = "", ...args] =
  process.argv.slice(2);
// A session of its own, by which all that it starts is known.
const child = spawn(file, args, { detached: true, stdio: ["ignore", "pipe", "pipe"] });
const { pid = 0 } = child;
let said = 0;
for (const name of ["stdout", "stderr"] as const)
  child[name].on("data", (bytes: Buffer) => {
    said += bytes.length;
    process[name].write(bytes);
  });
let status: number | undefined;
child.once("error", (error) => {
  tell(error.message);
  status = 1;
});
child.once("close", (code) => {
  // Ended by a signal, as a shell says it.
  status ??= code ?? 143;
});
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => {
    end("SIGKILL");
    process.exit(1);
  });

const watch = new StallWatch({ stillS: Number(stillSeconds), spinsS: Number(spinsSeconds) });
let reason: string | undefined;
while (status === undefined && reason === undefined && now() < Number(seconds)) {
  await pause(LOOK_MS);
  reason = watch.see({ at: now(), said, usedS: usedS() });
}
if (status !== undefined) process.exit(status);
tell(reason ?? `its time was over, ${seconds} s, while it moved on`);
// It may know of a failure, or of a guest that hangs: then it ends with 1.
// Before the rest, or it would take for a failure that its guest is ended.
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

/** Processor time of all of it, and of what of it has ended. */
function usedS(): number {
  return session().reduce((sum, { ticks }) => sum + ticks, 0) / TICKS_A_SECOND;
}

function session(): { pid: number; ticks: number }[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, "utf8");
        const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        if (Number(fields[3]) !== pid) return [];
        const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
        return [{ pid: Number(name), ticks }];
      } catch {
        return [];
      }
    });
}
