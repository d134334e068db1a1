import { Agent, get } from "node:http";
import { setTimeout } from "node:timers/promises";
import autocannon from "autocannon";
import { SITE } from "./servers.ts";
import { beaconPath, USER_AGENTS, views } from "./traffic.ts";

interface Load {
  readonly connections: number;
  /** The seed of the views. */
  readonly seed: number;
}

export interface Outcome {
  readonly hits: number;
  readonly perSecond: number;
}

// Each connection prepares all of them before it starts: more would only shorten the measure.
const DIFFERENT_REQUESTS = 500;

/**
 * Sends page views as fast as they are answered.
 * @throws {Error} when any is answered otherwise than with 200.
 */
export async function sendViews(
  origin: string,
  { connections, seed, ...until }: Load & ({ seconds: number } | { hits: number }),
): Promise<Outcome> {
  const result = await autocannon({
    url: origin,
    connections,
    requests: requests(seed).map((request) => ({ method: "GET", ...request })),
    // A machine that stalls is slow; it is no error.
    timeout: 120,
    ...("seconds" in until ? { duration: until.seconds } : { amount: until.hits }),
  });
  if (result.errors + result.non2xx > 0)
    throw new Error(`${result.errors} errors, ${result.non2xx} answers other than 200`);
  return { hits: result["2xx"], perSecond: result["2xx"] / result.duration };
}

/**
 * Sends page views of many sites in turns, as fast as they are answered.
 * @throws {Error} when any is answered otherwise than with 200.
 */
export async function sendToSites(
  origin: string,
  sites: readonly string[],
  { connections, seed, hitsEach }: Load & { hitsEach: number },
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const nextView = views(seed);
  const headers = { "user-agent": USER_AGENTS[0] as string };
  for (let turn = 0; turn < hitsEach; turn++)
    for (let at = 0; at < sites.length; at += connections) {
      const some = sites.slice(at, at + connections);
      await Promise.all(
        some.map((site) => send(`${origin}${beaconPath(nextView(), site)}`, headers, agent)),
      );
    }
  agent.destroy();
}

/**
 * Sends page views at an even pace, however long answers take; autocannon's rate sends a second's
 * requests in one burst.
 * @returns milliseconds from when each was due to its answer.
 * @throws {Error} when any is answered otherwise than with 200.
 */
export async function sendSteadily(
  origin: string,
  { connections, seed, perSecond, seconds }: Load & { perSecond: number; seconds: number },
): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const prepared = requests(seed);
  const sendOne = (n: number) => {
    const { path, headers } = prepared[n % prepared.length] as Prepared;
    return send(`${origin}${path}`, headers, agent);
  };
  // The first second opens connections and compiles the client, so it is not measured.
  await atPace(perSecond, 1, sendOne);
  const times = await atPace(perSecond, seconds, sendOne);
  agent.destroy();
  return times;
}

/**
 * Calls `send` at an even pace, however long it takes.
 * @returns milliseconds from when each was due to its end.
 */
export async function atPace(
  perSecond: number,
  seconds: number,
  send: (n: number) => Promise<void>,
): Promise<number[]> {
  const start = performance.now();
  const ends: Promise<number>[] = [];
  while (ends.length < perSecond * seconds) {
    const due = start + (ends.length * 1_000) / perSecond;
    const ahead = due - performance.now();
    if (ahead > 0) {
      await setTimeout(ahead);
      continue;
    }
    ends.push(send(ends.length).then(() => performance.now() - due));
  }
  return Promise.all(ends);
}

type Prepared = ReturnType<typeof requests>[number];

function requests(seed: number) {
  const nextView = views(seed);
  return Array.from({ length: DIFFERENT_REQUESTS }, (_, i) => ({
    path: beaconPath(nextView(), SITE),
    headers: { "user-agent": USER_AGENTS[i % USER_AGENTS.length] as string },
  }));
}

function send(url: string, headers: Record<string, string>, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = get(url, { headers, agent }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`answered ${response.statusCode}`));
      response.resume().once("end", resolve);
    });
    request.once("error", reject);
  });
}
