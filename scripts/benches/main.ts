import { execFileSync } from "node:child_process";
import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { databaseFile } from "../../appliance/store/sqlite/database.ts";
import {
  measureBatches,
  measureCollectorStarts,
  measureFolding,
  measureOpenSnapshot,
} from "./batches.ts";
import { measureBlocks } from "./blocks.ts";
import { CHANNEL_FLAGS, measureChannels } from "./channels.ts";
import { compare } from "./compare.ts";
import { median, percentile } from "./figures.ts";
import { measureFleet, measureFleetReads } from "./fleet.ts";
import { makeFlood, makeHistory } from "./history.ts";
import { askLarge, LAST_DAY, makeBusySite, makeFullSite } from "./large.ts";
import type { Asked } from "./large-reader.ts";
import { sendSteadily } from "./load.ts";
import { measureLone } from "./lone.ts";
import { measureMidnight } from "./midnight.ts";
import { measurePage } from "./page.ts";
import type { PaintFigures } from "./painter.ts";
import { measurePress } from "./press.ts";
import { measurePush } from "./push.ts";
import { bytesOf, readTimes } from "./read-times.ts";
import { fill, interleaved, type Round } from "./rounds.ts";
import { SITE, startBare, TOKEN, withData, withServer } from "./servers.ts";
import { SHIPPED_ENV, SHIPPED_FLAGS, type Shipped, withShipped } from "./shipped.ts";
import { measureRest, measureStarts } from "./start.ts";
import { measureTls } from "./tls.ts";

const MILLION = 1_000_000;
const HISTORY_DAYS = 400;
const ROUNDS = 3;
const ROUND_SECONDS = 8;
const STEADY = { connections: 50, perSecond: 1_000, seconds: 15 };
/** Of an hour. */
const MINUTE = { connections: 20, perSecond: 200, seconds: 59 };
const READS = 100;
const FULL_MONTHS = 13;
const FLOOD = {
  days: 60,
  // More would change nothing: they are (other).
  perDay: 2_500,
  meanwhile: { connections: 20, perSecond: 200, seconds: 15 },
  reads: 30,
};

const rows: { measure: string; result: string; goal: string; met: boolean }[] = [];

function report(measure: string, value: number, unit: string, goal: [">=" | "<=", number]): void {
  const [relation, limit] = goal;
  const met = relation === ">=" ? value >= limit : value <= limit;
  const result = `${value.toFixed(value < 10 ? 2 : 0)} ${unit}`.trim();
  rows.push({ measure, result, goal: `${relation} ${limit} ${unit}`.trim(), met });
  console.log(`  ${measure}: ${result}`);
}

const PARTS: Record<string, (shipped: Shipped) => Promise<void>> = {
  start,
  ingest,
  tls,
  reads,
  page,
  flood,
  push,
  press,
  channels,
  blocks,
  lone,
  midnight,
  batches,
  fleet,
};
/** Only when it is named. */
const LONG: typeof PARTS = { hour, painting, large };
const named = process.argv.slice(2);
if (named[0] === "compare") {
  const [, a = "HEAD", b = "."] = named;
  await compare(a, b);
  process.exit();
}
for (const name of named.length > 0 ? named : Object.keys(PARTS)) {
  const part = PARTS[name] ?? LONG[name];
  if (part === undefined)
    throw new Error(`there is no part ${name}: ${Object.keys({ ...PARTS, ...LONG })}`);
  await withShipped(part);
}

console.log("\n| measure | result | goal | |\n|---|---|---|---|");
for (const { measure, result, goal, met } of rows)
  console.log(`| ${measure} | ${result} | ${goal} | ${met ? "met" : "missed"} |`);

/** Durable hits against a bare server, in turns, so that a busy machine slows both. */
async function ingest(shipped: Shipped): Promise<void> {
  console.log("Ingest ...");
  await withServer(startBare, async (bare) => {
    await withData(async (dataDir) => {
      await withServer(
        () => shipped.start(dataDir),
        async (tallydeck) => {
          const rounds = await interleaved({ bare, tallydeck }, ROUNDS, ROUND_SECONDS);
          const ratioOf = (of: (round: Round) => number) =>
            median(rounds.map((round) => of(round.tallydeck) / of(round.bare)));
          const perSecond = ratioOf((round) => round.perSecond);
          report("durable ingest : bare server", perSecond, "", [">=", 0.65]);
          const main = ratioOf(({ cpu }) => cpu.main);
          report("the main thread's CPU a hit : bare server", main, "", ["<=", 1.5]);
          const all = ratioOf(({ cpu }) => Object.values(cpu).reduce((sum, each) => sum + each, 0));
          report("all threads' CPU a hit : bare server", all, "", ["<=", 1.8]);

          const nothing = await sendSteadily(bare.origin, STEADY);
          const steady = await sendSteadily(tallydeck.origin, STEADY);
          console.log(
            `  p99 of the bare server at that pace: ${percentile(nothing, 0.99).toFixed(1)} ms`,
          );
          report("p99 at 1,000 hits/s", percentile(steady, 0.99), "ms", ["<=", 6]);

          const sent = rounds.reduce((sum, round) => sum + round.tallydeck.hits, steady.length);
          if (sent < MILLION) await fill(tallydeck, MILLION - sent);
          const { own, resident } = tallydeck.memory();
          report("own memory after a million hits", own, "MB", ["<=", 75]);
          console.log(`  resident with the pages of files: ${resident.toFixed(0)} MB`);
        },
      );
    });
  });
}

/** Hits by TLS, to a server of `node:https` in turns. */
async function tls(): Promise<void> {
  console.log("TLS ...");
  await withData(async (dataDir) => {
    const { hits, handshakes, cpu } = await measureTls(dataDir);
    const [bare, own] = [cpu.bare, cpu.tallydeck].map((spent) => spent.toFixed(0));
    console.log(`  µs of CPU for a handshake and a hit: ${own}, of the bare server ${bare}`);
    report("durable hits by TLS : bare node:https", hits, "", [">=", 0.7]);
    report("handshakes with a durable hit : bare node:https", handshakes, "", [">=", 0.8]);
  });
}

/** The service as the image has it: how soon it is there, and what it holds. */
async function start(shipped: Shipped): Promise<void> {
  console.log("Start and rest ...");
  const { clock, cpu } = await measureStarts(shipped);
  report("start to ready, caches warm", clock, "ms", ["<=", 400]);
  console.log(`  CPU time of it, all threads: ${cpu.toFixed(0)} ms`);
  for (const [what, flags, most] of [
    ["no deck", [], 55],
    ["a virtual deck", ["--virtual-deck", "mk2"], 75],
  ] as const) {
    const { settled, atRest } = await measureRest(shipped, flags);
    report(`own memory after the start, ${what}`, settled, "MB", ["<=", most]);
    report(`own memory at rest, ${what}`, atRest, "MB", ["<=", most]);
  }
}

/** Reports over a long history. */
async function reads(shipped: Shipped): Promise<void> {
  console.log("Reads ...");
  await withData(async (dataDir) => {
    await makeHistory(dataDir, MILLION, HISTORY_DAYS);
    const size = statSync(databaseFile(dataDir)).size / 1e6;
    report("database per million hits, 90 of 400 days in detail", size, "MB", ["<=", 9]);
    await withServer(
      () => shipped.start(dataDir),
      async ({ origin, cpu }) => {
        const url = `${origin}/stats?site=${SITE}&from=first&series=1`;
        for (const [form, most] of [
          ["", 25],
          ["&daily=1", 80],
          // As the dashboard asks.
          ["&daily=text", 80],
        ] as const) {
          const before = cpu().reader;
          const times = await readTimes(url + form, READS);
          console.log(
            `  the reader's CPU for it: ${((cpu().reader - before) / READS).toFixed(0)} ms`,
          );
          report(`/stats with series${form}, 400 days, p95`, percentile(times, 0.95), "ms", [
            "<=",
            most,
          ]);
        }
        const size = await bytesOf(`${url}&daily=text`);
        report("what the dashboard gets of it", size / 1_000, "kB", ["<=", 250]);
      },
    );
  });
}

/** What somebody waits for who looks at that history. */
async function page(shipped: Shipped): Promise<void> {
  console.log("Page ...");
  await withData(async (dataDir) => {
    await makeHistory(dataDir, MILLION, HISTORY_DAYS);
    await withServer(
      () => shipped.start(dataDir),
      async ({ origin }) => {
        const { first, opened, switched, refreshed, weight } = await measurePage(origin);
        console.log(`  numbers painted the first time: ${first.toFixed(0)} ms`);
        report("numbers painted after opening /dashboard", opened, "ms", ["<=", 1_000]);
        const { period, main, clock } = switched;
        console.log(`  the slowest switch, to ${period}, by the clock: ${clock.toFixed(0)} ms`);
        report("main thread's CPU from a period to another", main, "ms", ["<=", 100]);
        console.log(`  main thread's CPU for a refresh: ${refreshed.all.toFixed(0)} ms`);
        report("longest task after a refresh without news", refreshed.longest, "ms", ["<=", 50]);
        report("/dashboard without fonts and map", weight, "bytes", ["<=", 60_000]);
      },
    );
  });
}

/** Reports while hits come in, after weeks of nothing but new values. */
async function flood(shipped: Shipped): Promise<void> {
  console.log("Flood ...");
  await withData(async (dataDir) => {
    await makeFlood(dataDir, FLOOD.days * FLOOD.perDay, FLOOD.days);
    const size = statSync(databaseFile(dataDir)).size / 1e6;
    report(`database after ${FLOOD.days} days of new values`, size, "MB", ["<=", 100]);
    await withServer(
      () => shipped.start(dataDir),
      async (tallydeck) => {
        const url = `${tallydeck.origin}/stats?site=${SITE}&from=first&series=1&daily=1`;
        const read = () => fetch(url, { headers: { authorization: `Bearer ${TOKEN}` } });
        const body = await (await read()).arrayBuffer();
        report("/stats with daily after it", body.byteLength / 1e6, "MB", ["<=", 3]);
        const before = tallydeck.memory().own;
        const [hits, daily] = await Promise.all([
          sendSteadily(tallydeck.origin, FLOOD.meanwhile),
          readTimes(url, FLOOD.reads),
        ]);
        report("the same while hits come in, p95", percentile(daily, 0.95), "ms", ["<=", 1_000]);
        report("a hit meanwhile, p99", percentile(hits, 0.99), "ms", ["<=", 50]);
        report("own memory after it", tallydeck.memory().own, "MB", [
          "<=",
          Math.round(before) + 20,
        ]);
      },
    );
  });
}

/** An hour of a busy site; asked for by its name alone, for it takes that hour. */
async function hour(shipped: Shipped): Promise<void> {
  console.log("An hour ...");
  await withData(async (dataDir) => {
    await withServer(
      () => shipped.start(dataDir),
      async (tallydeck) => {
        for (let minute = 1; minute <= 60; minute++) {
          await sendSteadily(tallydeck.origin, MINUTE);
          if (minute % 10 === 0)
            console.log(`  after ${minute} minutes: ${tallydeck.memory().own.toFixed(0)} MB`);
        }
        report("own memory after an hour at 200 hits/s", tallydeck.memory().own, "MB", ["<=", 75]);
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
    console.log(`  packets for one changed key: ${figures.packetsPerChange}`);
    report("packets for an unchanged key", figures.packetsUnchanged, "", ["<=", 0]);
  });
}

/** A minute in which 64 keys change every second. */
async function painting(): Promise<void> {
  console.log("Painting ...");
  await withData(async (dataDir) => {
    const program = fileURLToPath(new URL("painter.ts", import.meta.url));
    const told = execFileSync(process.execPath, [...SHIPPED_FLAGS, program, dataDir], {
      env: { ...process.env, ...SHIPPED_ENV },
      maxBuffer: 10_000_000,
    });
    const { key, hash, collections } = JSON.parse(told.toString()) as PaintFigures;
    console.log(
      `  median: ${median(key).toFixed(2)} ms; hashing in turns with it: ` +
        `${median(hash).toFixed(2)} ms, p99 ${percentile(hash, 0.99).toFixed(2)} ms`,
    );
    const { young, whole } = collections;
    console.log(`  of ${key.length} keys: ${young} collections of young objects, ${whole} of all`);
    report("paint and encode a key, p99", percentile(key, 0.99), "ms", ["<=", 4]);
  });
}

/** From a key to the request it sends. */
async function press(): Promise<void> {
  console.log("Press ...");
  await withData(async (dataDir) => {
    const { single, bare, together } = await measurePress(dataDir);
    console.log(
      `  median: ${median(single).toFixed(1)} ms; of 15 keys at once ${median(together).toFixed(1)} ms; ` +
        `of a bare request in turns with it ${median(bare).toFixed(1)} ms, p99 ${percentile(bare, 0.99).toFixed(1)} ms`,
    );
    report("press to request, p99", percentile(single, 0.99), "ms", ["<=", 10]);
  });
}

/** Every channel there may be, each on a key, each another text every second. */
async function channels(shipped: Shipped): Promise<void> {
  console.log("Channels ...");
  await withData((dataDir) =>
    withServer(
      () => shipped.start(dataDir, CHANNEL_FLAGS),
      async (server) => {
        const { before, after, cpu, answers } = await measureChannels(server);
        console.log(`  own memory before the minute: ${before.toFixed(0)} MB`);
        console.log(`  CPU time, all threads: ${cpu.toFixed(0)} ms a second`);
        report("64 channels pushed once a second, answered, p99", percentile(answers, 0.99), "ms", [
          "<=",
          50,
        ]);
        report("own memory after a minute of it", after, "MB", ["<=", Math.round(before) + 10]);
      },
    ),
  );
}

/** Hits one by one, as a small site has them. */
async function lone(): Promise<void> {
  console.log("Lone hits ...");
  await withData(async (dataDir) => {
    const { hit, day } = await measureLone(dataDir, 1_000);
    report("bytes written for a lone hit", hit, "", ["<=", 9_000]);
    report("written on a day of 1,000 views", day / 1e6, "MB", ["<=", 100]);
  });
}

/** A day that begins while hits come in. */
async function midnight(): Promise<void> {
  console.log("Midnight ...");
  await withData(async (dataDir) => {
    const waits = await measureMidnight(dataDir, 5_000);
    const [before, after] = [Math.max(...waits.before), Math.max(...waits.midnight)];
    console.log(`  the longest wait of a hit in the hour before: ${before.toFixed(1)} ms`);
    report("longer wait at midnight with 5,000 sites", after - before, "ms", ["<=", 50]);
  });
}

/** What hits cost as a log and blocks, in this process and without an engine. */
async function blocks(): Promise<void> {
  console.log("Blocks ...");
  const figures = await measureBlocks(MILLION, HISTORY_DAYS);
  const { countBytes, detailBytes } = figures;
  console.log(`  bytes of the log a hit: ${figures.logBytes.toFixed(0)}`);
  report("encoding a batch of 64, CPU a hit", figures.encode, "µs", ["<=", 3]);
  report("folding, CPU a hit", figures.fold, "µs", ["<=", 3]);
  report("counts of a million hits over 400 days", countBytes / 1e6, "MB", ["<=", 1.5]);
  report("the same with all detail", (countBytes + detailBytes) / 1e6, "MB", ["<=", 9]);
  report("/stats with its series, CPU", figures.series, "ms", ["<=", 25]);
  report("/stats with all values by day, CPU", figures.daily, "ms", ["<=", 80]);
  report("the same under two conditions, CPU", figures.filtered, "ms", ["<=", 200]);
}

/** What a question takes that is about much: a busy site, and all that visitors can make within the bounds. */
async function large(): Promise<void> {
  console.log("Large questions ...");
  const range = { from: "first", to: LAST_DAY, series: true, daily: undefined } as const;
  const where = [
    { dimension: "country", test: "is", value: "country/some-longer-name-3" },
    { dimension: "browser", test: "is", value: "browser/some-longer-name-1" },
  ] as const;
  const ask = async (what: string, file: string, query: Asked, ms: number) => {
    const [answer] = await askLarge(file, [query]);
    if (answer === undefined) return;
    report(what, answer.ms, "ms", ["<=", ms]);
    report("memory beside what rests", answer.peakBytes / 1e6, "MB", ["<=", 60]);
  };
  await withData(async (dataDir) => {
    const file = makeBusySite(dataDir, HISTORY_DAYS);
    await ask("50,000 views a day, 400 days", file, range, 1_000);
    await ask("all its values by day", file, { ...range, daily: "text" }, 2_000);
    await ask("two conditions on 20 million rows", file, { ...range, where }, 2_000);
  });
  await withData(async (dataDir) => {
    const file = makeFullSite(dataDir, FULL_MONTHS);
    await ask("a site full of values, 13 months", file, range, 60_000);
    await ask("all its values by day", file, { ...range, daily: "text" }, 60_000);
  });
}

/** What a database takes for hits, by how many of them come at once. */
async function batches(shipped: Shipped): Promise<void> {
  console.log("Batches ...");
  for (const { size, sites, isCold, cpu, log } of await measureBatches()) {
    const pages = `${isCold ? "new" : "known"} pages of ${sites} site${sites === 1 ? "" : "s"}`;
    const measure = `PostgreSQL, batches of ${size}, ${pages}`;
    report(`${measure}: CPU a hit`, cpu, "µs", ["<=", size === 64 ? 6 : 1]);
    report(`${measure}: its log a hit`, log, "bytes", ["<=", 100]);
  }
  for (const { sites, perSecond, cpu, log } of await measureFolding())
    console.log(
      `  hits of ${sites} sites folded: ${perSecond.toFixed(0)}/s, of its CPU ${cpu.toFixed(1)} µs, of its log ${log.toFixed(0)} bytes`,
    );
  const { before, after } = await measureOpenSnapshot();
  console.log(
    `  µs of its CPU for a lone hit: ${before.toFixed(0)}, in the end ${after.toFixed(0)}`,
  );
  report("a lone hit, after 20,000 with a snapshot open : before", after / before, "", ["<=", 2]);
  report("start of a collector to ready", await measureCollectorStarts(shipped), "ms", ["<=", 300]);
}

/** Collectors that share a database, and what that costs against a file. */
async function fleet(shipped: Shipped): Promise<void> {
  console.log("Fleet ...");
  const { perSecond, cpu, steady, bytes } = await measureFleet(shipped);
  for (const [i, { collectors, database }] of cpu.entries())
    console.log(
      `  ${2 ** i} collectors: ${perSecond[i]?.toFixed(2)} of one; µs of CPU a hit: ${collectors.toFixed(0)}, the database ${database.toFixed(0)}`,
    );
  report("p99 at 1,000 hits/s, into PostgreSQL", percentile(steady, 0.99), "ms", ["<=", 20]);
  console.log(`  a million hits: ${(bytes.log / 1e6).toFixed(1)} MB of its log`);
  const { reads, bytes: size } = await measureFleetReads(shipped);
  report("PostgreSQL's tables per million hits over 400 days", size / 1e6, "MB", ["<=", 20]);
  for (const { form, sqlite, postgres } of reads)
    report(`/stats with series${form}, 400 days, PostgreSQL : SQLite`, postgres / sqlite, "", [
      "<=",
      2,
    ]);
}
