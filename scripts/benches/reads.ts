import { statSync } from "node:fs";
import { get } from "node:http";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { databaseFile } from "../../appliance/store/sqlite/database.ts";
import { makeFlood, makeHistory } from "../running/history.ts";
import { sendSteadily } from "../running/load.ts";
import type { Part } from "../running/parts.ts";
import { percentile } from "../running/report.ts";
import { SITE, TOKEN } from "../running/servers.ts";
import { ship } from "../running/shipped.ts";

/** A million hits, all with their detail. */
export const HISTORY = { hits: 1_000_000, days: 400 };
const READS = 100;
const FLOOD = {
  days: 60,
  // Further values would change nothing: they are (other).
  perDay: 2_500,
  meanwhile: { connections: 20, perSecond: 200, seconds: 15 },
  reads: 30,
};

export const reads: Part = {
  says: "Reports over a long history.",
  async run({ seed, stage, report }) {
    const dataDir = stage.folder();
    await makeHistory(dataDir, { ...HISTORY, seed });
    report.atMost("database per million hits, all in detail", megabytesOf(dataDir), "MB", 9);
    const { origin, cpu } = await ship(stage).start(stage, dataDir);
    const url = `${origin}/stats?site=${SITE}&from=first&series=1`;
    for (const [form, most] of [
      ["", 25],
      ["&daily=1", 80],
      // The form that the dashboard uses.
      ["&daily=text", 80],
    ] as const) {
      const before = cpu().reader;
      const p95 = percentile(await readTimes(url + form, READS), 0.95);
      report.note(`the reader's CPU for it: ${((cpu().reader - before) / READS).toFixed(0)} ms`);
      report.atMost(`/stats with series${form}, 400 days, p95`, p95, "ms", most);
    }
    const size = await bytesOf(`${url}&daily=text`);
    report.atMost("what the dashboard gets of it", size / 1_000, "kB", 250);
  },
};

export const flood: Part = {
  says: "Reports while hits come in, after weeks of nothing but new values.",
  async run({ seed, stage, report }) {
    const dataDir = stage.folder();
    await makeFlood(dataDir, FLOOD.days * FLOOD.perDay, FLOOD.days);
    const measure = `database after ${FLOOD.days} days of new values`;
    report.atMost(measure, megabytesOf(dataDir), "MB", 100);
    const tallydeck = await ship(stage).start(stage, dataDir);
    const url = `${tallydeck.origin}/stats?site=${SITE}&from=first&series=1&daily=1`;
    const read = () => fetch(url, { headers: { authorization: `Bearer ${TOKEN}` } });
    const body = await (await read()).arrayBuffer();
    report.atMost("/stats with daily after it", body.byteLength / 1e6, "MB", 3);
    const most = Math.round(tallydeck.memory().own) + 20;
    const [hits, daily] = await Promise.all([
      sendSteadily(tallydeck.origin, { ...FLOOD.meanwhile, seed }),
      readTimes(url, FLOOD.reads),
    ]);
    const p95 = percentile(daily, 0.95);
    report.atMost("the same while hits come in, p95", p95, "ms", 1_000);
    report.atMost("a hit meanwhile, p99", percentile(hits, 0.99), "ms", 50);
    report.atMost("own memory after it", tallydeck.memory().own, "MB", most);
  },
};

function megabytesOf(dataDir: string): number {
  return statSync(databaseFile(dataDir)).size / 1e6;
}

interface Asked {
  readonly url: string;
  /** The number of reads, one after the other. */
  readonly reads: number;
}

/**
 * Reads a page with the admin token. It has a thread of its own, so that unpacking answers does not affect other
 * measurements.
 * @returns milliseconds of each read
 * @throws {Error} when any is answered otherwise than with 200
 */
export function readTimes(url: string, reads: number): Promise<number[]> {
  const worker = new Worker(new URL(import.meta.url), {
    workerData: { url, reads } satisfies Asked,
  });
  return new Promise((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
  });
}

/** The length of the body of such an answer, packed with Brotli; bytes. */
export function bytesOf(url: string): Promise<number> {
  const headers = { authorization: `Bearer ${TOKEN}`, "accept-encoding": "br" };
  return new Promise((resolve, reject) => {
    get(url, { headers }, (response) => {
      let length = 0;
      response.on("data", (chunk: Buffer) => {
        length += chunk.length;
      });
      response.once("end", () => resolve(length));
    }).once("error", reject);
  });
}

async function timed({ url, reads }: Asked): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < reads; i++) {
    const start = performance.now();
    const response = await fetch(url, { headers: { authorization: `Bearer ${TOKEN}` } });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`${url} answered ${response.status}`);
    times.push(performance.now() - start);
  }
  return times;
}

if (!isMainThread) parentPort?.postMessage(await timed(workerData));
