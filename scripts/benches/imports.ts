import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout } from "node:timers/promises";
import { createGzip } from "node:zlib";
import { ZipFile } from "yazl";
import { randomFrom } from "../../appliance/traffic/demo/random.ts";
import { sendSteadily } from "../running/load.ts";
import type { Given, Part } from "../running/parts.ts";
import { percentile } from "../running/report.ts";
import { CHECKOUT, type Running, SITE, startTallydeck, TOKEN } from "../running/servers.ts";
import { USER_AGENTS } from "../running/traffic.ts";
import { processorMs, statOf } from "../stall.ts";

const ROWS = 1_000_000;
const DAYS = 400;
const DAY_MS = 86_400_000;
const HITS = { connections: 20, perSecond: 100 } as const;
/** A dashboard that is watched asks this often. */
const READ_PAUSE_MS = 1_000;
/** Clients of a day, of some six requests each. */
const VISITORS = 250;
const LOOK_MS = 20;

export const imports: Part = {
  says: "A million rows of Plausible and a million lines of a log, imported while hits come in.",
  async run({ seed, stage, report }) {
    const folder = stage.folder();
    const files = {
      "Plausible's zip of a million rows": await plausibleZip(join(folder, "plausible.zip")),
      "a million lines of a log": await accessLog(join(folder, "access.log.gz"), seed),
    };
    const dataDir = stage.folder();
    const service = await stage.add(startTallydeck(dataDir));
    const quiet = await sendSteadily(service.origin, { ...HITS, seed, seconds: 5 });
    report.note(`p99 of hits before: ${percentile(quiet, 0.99).toFixed(1)} ms`);
    for (const [name, file] of Object.entries(files)) {
      const beside = besideIt(service, seed);
      const { cpuMs, ownMb } = await importFile(file, dataDir, stage);
      const { hits, reads } = await beside.end();
      report.atMost(`${name}: CPU`, cpuMs / 1_000, "s", name.startsWith("P") ? 20 : 25);
      report.atMost(`${name}: own memory`, ownMb, "MB", 150);
      report.atMost(`${name}: p99 of hits meanwhile`, percentile(hits, 0.99), "ms", 20);
      report.atMost(`${name}: longest dashboard meanwhile`, Math.max(...reads), "ms", 1_000);
    }
  },
};

/** Sends hits and asks for the dashboard's numbers until it is ended. */
function besideIt(service: Running, seed: number) {
  const ended = new AbortController();
  const hits: number[] = [];
  const reads: number[] = [];
  const sending = (async () => {
    while (!ended.signal.aborted)
      hits.push(...(await sendSteadily(service.origin, { ...HITS, seed, seconds: 2 })));
  })();
  const reading = (async () => {
    const url = `${service.origin}/stats?site=${SITE}&from=first&series=1&daily=text&token=${TOKEN}`;
    while (!ended.signal.aborted) {
      const began = performance.now();
      await (await fetch(url)).arrayBuffer();
      reads.push(performance.now() - began);
      await setTimeout(READ_PAUSE_MS);
    }
  })();
  return {
    async end() {
      ended.abort();
      await Promise.all([sending, reading]);
      return { hits, reads };
    },
  };
}

/** Runs the command as people do. @returns the processor time and the memory that it took */
async function importFile(
  file: string,
  dataDir: string,
  stage: Given["stage"],
): Promise<{ readonly cpuMs: number; readonly ownMb: number }> {
  const args = ["import", file, "--site", SITE, "--data-dir", dataDir];
  const more = ["--from", dayName(DAYS), "--to", dayName(2), "--replace"];
  const child = spawn(join(CHECKOUT, "scripts/tallydeck"), [...args, ...more], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  stage.onClose(() => void child.kill());
  let used = { cpuMs: 0, ownMb: 0 };
  const looking = setInterval(() => {
    const now = usedBy(child);
    if (now !== undefined) used = { ...now, ownMb: Math.max(used.ownMb, now.ownMb) };
  }, LOOK_MS);
  const [code] = await once(child, "exit");
  clearInterval(looking);
  if (code !== 0) throw new Error(`the import ended with ${code}`);
  return used;
}

function usedBy({ pid }: ChildProcess) {
  try {
    const [, own] = /^RssAnon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return own === undefined
      ? undefined
      : { cpuMs: processorMs(statOf(pid ?? 0)), ownMb: Number(own) / 1_024 };
  } catch {
    return undefined;
  }
}

function dayName(ago: number): string {
  return new Date(Date.now() - ago * DAY_MS).toISOString().slice(0, 10);
}

async function plausibleZip(path: string): Promise<string> {
  const zip = new ZipFile();
  const table = (name: string, lines: () => Generator<string>) =>
    zip.addReadStreamLazy(`imported_${name}.csv`, (take) => take(null, Readable.from(lines())));
  table("visitors", function* () {
    yield "date,visitors,pageviews,bounces,visits,visit_duration\n";
    for (let ago = DAYS; ago > 1; ago--) yield `"${dayName(ago)}",900,2500,400,1000,60000\n`;
  });
  table("pages", function* () {
    yield "date,hostname,page,visits,visitors,pageviews\n";
    const each = Math.ceil(ROWS / DAYS);
    for (let ago = DAYS; ago > 1; ago--) {
      const day = dayName(ago);
      for (let n = 0; n < each; n++)
        yield `"${day}","example.com","/a/page/with/a/longer/name/${n}",1,1,2\n`;
    }
  });
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(path));
  return path;
}

async function accessLog(path: string, seed: number): Promise<string> {
  const random = randomFrom(seed);
  const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
  const lines = function* () {
    const [from, span] = [Date.now() - DAYS * DAY_MS, (DAYS - 2) * DAY_MS];
    for (let n = 0; n < ROWS; n++) {
      const at = new Date(from + (span * n) / ROWS);
      const [date, time] = at.toISOString().split("T");
      const [year, , day] = (date ?? "").split("-");
      const when = `${day}/${months[at.getUTCMonth()]}/${year}:${time?.slice(0, 8)} +0000`;
      // A client that fetches pages alone is taken for a program.
      const ip = `192.0.2.${Math.floor(VISITORS * random())}`;
      const target = random() < 0.4 ? `/page/${Math.floor(500 * random())}` : "/style.css";
      const agent = USER_AGENTS[Math.floor(USER_AGENTS.length * random())];
      yield `${ip} - - [${when}] "GET ${target} HTTP/1.1" 200 5120 "https://www.google.com/" "${agent}"\n`;
    }
  };
  await pipeline(Readable.from(lines()), createGzip(), createWriteStream(path));
  return path;
}
