import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { databaseFile } from "../../appliance/store/database.ts";
import { makeHistory } from "./history.ts";
import { sendSteadily, sendViews } from "./load.ts";
import { measurePush } from "./push.ts";
import { type Running, SITE, startBare, startTallydeck, TOKEN } from "./servers.ts";

const MILLION = 1_000_000;
const HISTORY_DAYS = 400;
const ROUNDS = 3;
const WARM_UP_SECONDS = 3;
const ROUND_SECONDS = 8;
const CONNECTIONS = 100;
const STEADY = { connections: 50, perSecond: 1_000, seconds: 15 };
const READS = 100;

const rows: { measure: string; result: string; goal: string; met: boolean }[] = [];

function report(measure: string, value: number, unit: string, goal: [">=" | "<=", number]): void {
  const [relation, limit] = goal;
  const met = relation === ">=" ? value >= limit : value <= limit;
  const result = `${value.toFixed(value < 10 ? 2 : 0)} ${unit}`.trim();
  rows.push({ measure, result, goal: `${relation} ${limit} ${unit}`.trim(), met });
  console.log(`  ${measure}: ${result}`);
}

await ingest();
await reads();
await push();

console.log("\n| measure | result | goal | |\n|---|---|---|---|");
for (const { measure, result, goal, met } of rows)
  console.log(`| ${measure} | ${result} | ${goal} | ${met ? "met" : "missed"} |`);

/** Durable hits against a bare server, in turns, so that a busy machine slows both. */
async function ingest(): Promise<void> {
  console.log("Ingest ...");
  await withServer(startBare, async (bare) => {
    await withData(async (dataDir) => {
      await withServer(
        () => startTallydeck(dataDir),
        async (tallydeck) => {
          const send = ({ origin }: Running, seconds: number) =>
            sendViews(origin, CONNECTIONS, { seconds });
          const ratios: number[] = [];
          let sent = 0;
          await send(tallydeck, WARM_UP_SECONDS);
          await send(bare, WARM_UP_SECONDS);
          for (let round = 0; round < ROUNDS; round++) {
            const reference = await send(bare, ROUND_SECONDS);
            const durable = await send(tallydeck, ROUND_SECONDS);
            sent += durable.hits;
            ratios.push(durable.perSecond / reference.perSecond);
            console.log(
              `  round ${round + 1}: bare ${Math.round(reference.perSecond)}/s, durable ${Math.round(durable.perSecond)}/s`,
            );
          }
          report("durable ingest : bare server", median(ratios), "", [">=", 0.6]);

          const steady = await sendSteadily(tallydeck.origin, STEADY);
          report("p99 at 1,000 hits/s", percentile(steady, 0.99), "ms", ["<=", 25]);

          const rest = MILLION - sent - steady.length;
          if (rest > 0) await sendViews(tallydeck.origin, CONNECTIONS, { hits: rest });
          report("resident memory after a million hits", tallydeck.memory(), "MB", ["<=", 120]);
        },
      );
    });
  });
}

/** Reports over a long history. */
async function reads(): Promise<void> {
  console.log("Reads ...");
  await withData(async (dataDir) => {
    await makeHistory(dataDir, MILLION, HISTORY_DAYS);
    const size = statSync(databaseFile(dataDir)).size / 1e6;
    report("database per million hits", size, "MB", ["<=", 10]);
    await withServer(
      () => startTallydeck(dataDir),
      async ({ origin }) => {
        const series = await readTimes(`${origin}/stats?site=${SITE}&from=first&series=1`);
        report("/stats with series, 400 days, p95", percentile(series, 0.95), "ms", ["<=", 50]);
        const daily = await readTimes(`${origin}/stats?site=${SITE}&from=first&series=1&daily=1`);
        report("/stats with daily, 400 days, p95", percentile(daily, 0.95), "ms", ["<=", 400]);
      },
    );
  });
}

/** From a push to the deck. */
async function push(): Promise<void> {
  console.log("Push ...");
  await withData(async (dataDir) => {
    const figures = await measurePush(dataDir);
    const { single, fullRate } = figures;
    console.log(
      `  median: single ${median(single).toFixed(1)} ms, at the full rate ${median(fullRate).toFixed(1)} ms`,
    );
    report("push to last report, p99", percentile(single, 0.99), "ms", ["<=", 15]);
    report("the same at 25/s over 15 keys, p99", percentile(fullRate, 0.99), "ms", ["<=", 40]);
    report("paint and encode a key, p99", percentile(figures.paint, 0.99), "ms", ["<=", 4]);
    console.log(`  packets for one changed key: ${figures.packetsPerChange}`);
    report("packets for an unchanged key", figures.packetsUnchanged, "", ["<=", 0]);
  });
}

async function readTimes(url: string): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < READS; i++) {
    const start = performance.now();
    const response = await fetch(url, { headers: { authorization: `Bearer ${TOKEN}` } });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`${url} answered ${response.status}`);
    times.push(performance.now() - start);
  }
  return times;
}

async function withServer(
  start: () => Promise<Running>,
  use: (server: Running) => Promise<void>,
): Promise<void> {
  const server = await start();
  try {
    await use(server);
  } finally {
    await server.stop();
  }
}

async function withData(use: (dataDir: string) => Promise<void>): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), "tallydeck-bench-"));
  try {
    await use(dataDir);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] as number;
}
