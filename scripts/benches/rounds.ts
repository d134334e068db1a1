import { join } from "node:path";
import { type Outcome, sendViews } from "../running/load.ts";
import {
  type CpuTimes,
  type Running,
  startProgram,
  THREADS,
  type Thread,
} from "../running/servers.ts";

const CONNECTIONS = 100;
const WARM_UP_SECONDS = 3;
const BARE = join(import.meta.dirname, "bare-server.ts");

/** A server that every measure is compared with: it answers the same GIF and stores nothing. */
export function startBare(...certificate: readonly string[]): Promise<Running> {
  return startProgram(BARE, certificate, certificate.length > 0 ? "https" : "http");
}

/** One server, while views came as fast as it answered them. */
export interface Round extends Outcome {
  /** Microseconds of CPU time a hit. */
  readonly cpu: CpuTimes;
}

/** The servers in turns, so that other work of the machine slows all of them alike. */
export async function interleaved<Name extends string>(
  servers: Readonly<Record<Name, Running>>,
  { rounds, seconds, seed }: { rounds: number; seconds: number; seed: number },
): Promise<Record<Name, Round>[]> {
  const names = Object.keys(servers) as Name[];
  const of = (seconds: number) => ({ connections: CONNECTIONS, seconds, seed });
  for (const name of names) await measure(servers[name], of(WARM_UP_SECONDS));
  const done: Record<Name, Round>[] = [];
  for (let i = 0; i < rounds; i++) {
    const round = {} as Record<Name, Round>;
    for (const name of names) round[name] = await measure(servers[name], of(seconds));
    done.push(round);
    console.log(
      `  round ${i + 1}: ${names.map((name) => `${name} ${say(round[name])}`).join("; ")}`,
    );
  }
  return done;
}

async function measure(
  { origin, cpu }: Running,
  load: Parameters<typeof sendViews>[1],
): Promise<Round> {
  const before = cpu();
  const { hits, perSecond } = await sendViews(origin, load);
  const after = cpu();
  const perHit = (thread: Thread) => ((after[thread] - before[thread]) * 1_000) / hits;
  const each = THREADS.map((thread) => [thread, perHit(thread)]);
  return { hits, perSecond, cpu: Object.fromEntries(each) as CpuTimes };
}

function say({ perSecond, cpu }: Round): string {
  const spent = THREADS.filter((thread) => cpu[thread] >= 0.05);
  const parts = spent.map((thread) => `${thread} ${cpu[thread].toFixed(1)}`);
  return `${Math.round(perSecond)}/s (µs a hit: ${parts.join(", ")})`;
}
