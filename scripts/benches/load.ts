import autocannon from "autocannon";
import { SITE } from "./servers.ts";
import { beaconPath, USER_AGENTS, views } from "./traffic.ts";

export interface Load {
  readonly connections: number;
  /** Seconds, or a number of requests. */
  readonly until: { seconds: number } | { hits: number };
  /** Requests a second over all connections; as fast as it goes when left out. */
  readonly rate?: number;
}

export interface Outcome {
  readonly hits: number;
  readonly perSecond: number;
  /** Milliseconds; with a rate, corrected for coordinated omission. */
  readonly p50: number;
  readonly p99: number;
}

const DIFFERENT_REQUESTS = 5_000;

/** Sends page views. @throws Error when any is answered otherwise than with 200. */
export async function sendViews(
  origin: string,
  { connections, until, rate }: Load,
): Promise<Outcome> {
  const nextView = views(1);
  const requests = Array.from({ length: DIFFERENT_REQUESTS }, (_, i) => ({
    method: "GET" as const,
    path: beaconPath(nextView(), SITE),
    headers: { "user-agent": USER_AGENTS[i % USER_AGENTS.length] as string },
  }));
  const result = await autocannon({
    url: origin,
    connections,
    requests,
    // A machine that stalls shows in the latency; it is no error.
    timeout: 120,
    ...("seconds" in until ? { duration: until.seconds } : { amount: until.hits }),
    ...(rate !== undefined && { overallRate: rate }),
  });
  if (result.errors + result.non2xx > 0)
    throw new Error(`${result.errors} errors, ${result.non2xx} answers other than 200`);
  return {
    hits: result["2xx"],
    perSecond: result["2xx"] / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
  };
}
