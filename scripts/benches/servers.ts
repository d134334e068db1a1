import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

export const TOKEN = "bench";
export const SITE = "bench";
const TALLYDECK = join(import.meta.dirname, "../tallydeck");
const BARE = join(import.meta.dirname, "bare-server.ts");

export interface Running {
  readonly origin: string;
  /** Resident memory, MB. */
  memory(): number;
  stop(): Promise<void>;
}

/** The service in a process of its own, as users run it. */
export function startTallydeck(dataDir: string): Promise<Running> {
  const ports = ["--port", "0", "--webui-port", "0", "--data-dir", dataDir];
  return started(
    spawn(TALLYDECK, ["run", ...ports], {
      env: { ...process.env, SITES: SITE, STATS_TOKEN: TOKEN },
      stdio: ["ignore", "pipe", "inherit"],
    }),
    /http:\/\/localhost:(\d+)\/dashboard/,
  );
}

/** What every measure is compared with: answers the same GIF and stores nothing. */
export function startBare(): Promise<Running> {
  return started(
    spawn(process.execPath, [BARE], { stdio: ["ignore", "pipe", "inherit"] }),
    /port (\d+)/,
  );
}

function started(child: ChildProcess, port: RegExp): Promise<Running> {
  return new Promise((resolve, reject) => {
    let said = "";
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}: ${said}`)));
    child.stdout?.on("data", (chunk) => {
      said += chunk;
      const found = port.exec(said)?.[1];
      if (found === undefined) return;
      resolve({
        origin: `http://127.0.0.1:${found}`,
        memory: () => residentMegabytes(child.pid as number),
        stop: () =>
          new Promise((stopped) => {
            child.once("exit", () => stopped());
            child.kill("SIGTERM");
          }),
      });
    });
  });
}

function residentMegabytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1_024;
}
