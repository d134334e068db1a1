import { sendViews } from "./load.ts";
import { type CpuTimes, type Running, THREADS, type Thread } from "./servers.ts";

const CONNECTIONS = 100;
const WARM_UP_SECONDS = 3;

/** What one server did while views came as fast as it answered them. */
export interface Round {
  readonly hits: number;
  readonly perSecond: number;
  /** Microseconds of CPU time a hit. */
  readonly cpu: CpuTimes;
}

/** The servers in turns, so that whatever else the machine does slows all of them alike. */
export async function interleaved<Name extends string>(
  servers: Readonly<Record<Name, Running>>,
  rounds: number,
  seconds: number,
): Promise<Record<Name, Round>[]> {
  const names = Object.keys(servers) as Name[];
  for (const name of names) await measure(servers[name], WARM_UP_SECONDS);
  const done: Record<Name, Round>[] = [];
  for (let i = 0; i < rounds; i++) {
    const round = {} as Record<Name, Round>;
    for (const name of names) round[name] = await measure(servers[name], seconds);
    done.push(round);
    console.log(
      `  round ${i + 1}: ${names.map((name) => `${name} ${say(round[name])}`).join("; ")}`,
    );
  }
  return done;
}

/** Sends page views until a number of them is answered. */
export async function fill({ origin }: Running, hits: number): Promise<void> {
  await sendViews(origin, CONNECTIONS, { hits });
}

async function measure({ origin, cpu }: Running, seconds: number): Promise<Round> {
  const before = cpu();
  const { hits, perSecond } = await sendViews(origin, CONNECTIONS, { seconds });
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
