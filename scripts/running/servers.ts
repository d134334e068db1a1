import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { processorMs, statOf } from "../stall.ts";

export const TOKEN = "bench";
export const SITE = "bench";
export const CHECKOUT = join(import.meta.dirname, "../..");

export interface Running {
  readonly origin: string;
  /** The owner's listener; the bare server has none. */
  readonly control: string | undefined;
  readonly pid: number;
  readonly isRunning: boolean;
  memory(): Memory;
  /** CPU time taken so far, ms, by thread. */
  cpu(): CpuTimes;
  /** The same of all threads together. */
  cpuOfAll(): number;
  close(): Promise<void>;
}

/** Memory of the process in MB: all resident pages, and those that are not of files (`RssAnon`). */
interface Memory {
  readonly resident: number;
  readonly own: number;
}

/** CPU times by name of the thread; `others` are those of V8 and libuv. */
export type CpuTimes = Readonly<Record<Thread, number>>;
export const THREADS = ["main", "committer", "reader", "others"] as const;
export type Thread = (typeof THREADS)[number];

/** The service in a process of its own, as users run it. */
export function startTallydeck(dataDir: string, checkout = CHECKOUT): Promise<Running> {
  return startedService(
    (args, env) =>
      spawn(join(checkout, "scripts/tallydeck"), args, {
        env,
        stdio: ["ignore", "pipe", "inherit"],
      }),
    dataDir,
  );
}

/** The same, however it is started. */
export function startedService(
  start: (args: readonly string[], env: NodeJS.ProcessEnv) => ChildProcess,
  dataDir: string,
): Promise<Running> {
  const args = ["run", "--port", "0", "--webui-port", "0", "--data-dir", dataDir];
  const env = { ...process.env, SITES: SITE, STATS_TOKEN: TOKEN, BADGE_SITES: SITE };
  return started(
    start(args, env),
    /http:\/\/localhost:(\d+)\/dashboard[\s\S]*Web UI +http:\/\/[^\s:]+:(\d+)/,
  );
}

/** A collector of a fleet, however it is started. */
export async function startedCollector(
  start: (args: readonly string[], env: NodeJS.ProcessEnv) => ChildProcess,
  { databaseUrl, name }: { databaseUrl: string; name: string },
): Promise<Running> {
  const args = ["collect", "--port", "0", "--drain-seconds", "0"];
  const own = { DATABASE_URL: databaseUrl, NODE_NAME: name };
  const env = { ...process.env, SITES: SITE, STATS_TOKEN: TOKEN, ...own };
  const collector = await started(start(args, env), /Collector +http:\/\/localhost:(\d+)/);
  // The collector listens before the database has answered, and gets no visitors until then.
  while ((await fetch(collector.origin)).status !== 200) await setTimeout(10);
  return collector;
}

/** A program that says its port. */
export function startProgram(
  file: string,
  args: readonly string[] = [],
  scheme = "http",
): Promise<Running> {
  const env = { ...process.env, SITES: SITE, STATS_TOKEN: TOKEN };
  const child = spawn(process.execPath, [file, ...args], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  return started(child, /port (\d+)/, scheme);
}

/** @param ports finds the ports in its output, the control listener's second */
function started(child: ChildProcess, ports: RegExp, scheme = "http"): Promise<Running> {
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  return new Promise((resolve, reject) => {
    let said = "";
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}: ${said}`)));
    child.stdout?.on("data", (chunk) => {
      said += chunk;
      const found = ports.exec(said);
      if (found === null) return;
      const [, port, control] = found;
      resolve({
        origin: `${scheme}://127.0.0.1:${port}`,
        control: control && `http://127.0.0.1:${control}`,
        pid: child.pid as number,
        get isRunning() {
          return isRunning();
        },
        memory: () => memoryOf(child.pid as number),
        cpu: () => cpuTimes(child.pid as number),
        cpuOfAll: () => sumOf(cpuTimes(child.pid as number)),
        close: async () => {
          if (!isRunning()) return;
          child.kill("SIGTERM");
          await once(child, "exit");
        },
      });
    });
  });
}

function memoryOf(pid: number): Memory {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const megabytes = (name: string) =>
    Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1_024;
  return { resident: megabytes("VmRSS"), own: megabytes("RssAnon") };
}

function cpuTimes(pid: number): CpuTimes {
  const times: Record<Thread, number> = { main: 0, committer: 0, reader: 0, others: 0 };
  for (const tid of readdirSync(`/proc/${pid}/task`)) {
    const task = `${pid}/task/${tid}`;
    const name = readFileSync(`/proc/${task}/comm`, "utf8").trim();
    const thread = Number(tid) === pid ? "main" : name;
    times[isThread(thread) ? thread : "others"] += processorMs(statOf(task));
  }
  return times;
}

/** CPU time of all threads. */
export function sumOf(times: CpuTimes): number {
  return Object.values(times).reduce((sum, each) => sum + each, 0);
}

function isThread(name: string): name is Thread {
  return (THREADS as readonly string[]).includes(name);
}
