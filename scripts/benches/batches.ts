import { DAY_MS, HOUR_MS } from "../../appliance/base/calendar.ts";
import { UTC_DAYS } from "../../appliance/base/day-zone.ts";
import { createLog } from "../../appliance/base/log.ts";
import { SystemClock } from "../../appliance/base/system/system-clock.ts";
import { FleetClock } from "../../appliance/store/fleet-clock.ts";
import { WaitingHits } from "../../appliance/store/intake/waiting-hits.ts";
import { Connection } from "../../appliance/store/postgres/connection/connection.ts";
import { parseDatabaseUrl } from "../../appliance/store/postgres/connection/url.ts";
import { PostgresEngine } from "../../appliance/store/postgres/engine.ts";
import { beaconHit } from "../../appliance/traffic/collector/counting/beacon.ts";
import { createVisitorCache } from "../../appliance/traffic/collector/counting/visitor.ts";
import type { Given, Part } from "../running/parts.ts";
import { median } from "../running/report.ts";
import { ship } from "../running/shipped.ts";
import type { Stage } from "../running/stage.ts";
import { USER_AGENTS, views } from "../running/traffic.ts";
import { type FleetDatabase, startDatabase } from "./fleet-database.ts";

const BATCHES = [
  { size: 64, times: 3_000, mostCpu: 6 },
  { size: 512, times: 800, mostCpu: 1 },
] as const;
const WARM_UP = 100;
/** Lone hits that are measured, and those in between. */
const LONE = { measured: 3_000, between: 20_000 };
const FOLDED = { size: 512, batches: 60 };
const STARTS = 10;

export const batches: Part = {
  says: "The work of a database for hits of one node, without the collector's HTTP, by how many come at once.",
  async run(given) {
    await measureBatches(given);
    await measureFolding(given);
    await measureOpenSnapshot(given);
    await measureCollectorStarts(given);
  },
};

async function measureBatches({ seed, stage, report }: Given): Promise<void> {
  for (const sites of [1, 5_000])
    await stage.within(async (stage) => {
      const node = await openNode(stage, sites, seed);
      for (const isCold of [true, false])
        for (const { size, times, mostCpu } of BATCHES) {
          const commit = committing(node, size, isCold);
          for (let i = 0; i < (isCold ? 0 : WARM_UP); i++) await commit();
          const { cpu, log } = await costs(node.database, times, commit);
          const pages = `${isCold ? "new" : "known"} pages of ${sites} site${sites === 1 ? "" : "s"}`;
          const measure = `PostgreSQL, batches of ${size}, ${pages}`;
          report.atMost(`${measure}: CPU a hit`, cpu / size, "µs", mostCpu);
          report.atMost(`${measure}: its log a hit`, log / size, "bytes", 100);
        }
    });
}

/** Measures the folding of hits by one node. */
async function measureFolding({ seed, stage, report }: Given): Promise<void> {
  for (const sites of [1, 5_000])
    await stage.within(async (stage) => {
      const node = await openNode(stage, sites, seed);
      const commit = committing(node, FOLDED.size, false);
      // The second round finds blocks, which have most values.
      for (const batches of [FOLDED.batches, FOLDED.batches]) {
        for (let i = 0; i < batches; i++) await commit();
        const begun = performance.now();
        const { cpu, log } = await costs(node.database, 1, () => settleAll(node.engine));
        const hits = batches * FOLDED.size;
        const perSecond = (hits / (performance.now() - begun)) * 1_000;
        report.note(
          `hits of ${sites} sites folded: ${perSecond.toFixed(0)}/s, of its CPU ${(cpu / hits).toFixed(1)} µs, of its log ${(log / hits).toFixed(0)} bytes`,
        );
      }
    });
}

/** Lone hits, before and at the end of a snapshot that stays open over thousands. */
async function measureOpenSnapshot({ seed, stage, report }: Given): Promise<void> {
  await stage.within(async (stage) => {
    const node = await openNode(stage, 1, seed);
    const { database } = node;
    const analyst = new Connection(parseDatabaseUrl(database.url), {
      clock: new SystemClock(),
      role: "reads",
    });
    stage.onClose(() => analyst.close());
    const commit = committing(node, 1, false);
    for (let i = 0; i < WARM_UP; i++) await commit();
    const before = (await costs(database, LONE.measured, commit)).cpu;
    await analyst.rows("BEGIN ISOLATION LEVEL REPEATABLE READ");
    await analyst.rows("SELECT count(*) FROM site");
    for (let i = 0; i < LONE.between; i++) await commit();
    const after = (await costs(database, LONE.measured, commit)).cpu;
    report.note(
      `µs of its CPU for a lone hit: ${before.toFixed(0)}, in the end ${after.toFixed(0)}`,
    );
    const measure = "a lone hit, after 20,000 with a snapshot open : before";
    report.atMost(measure, after / before, "", 2);
  });
}

async function measureCollectorStarts({ stage, report }: Given): Promise<void> {
  const shipped = ship(stage);
  const { url } = await stage.add(startDatabase());
  const times: number[] = [];
  for (let i = 0; i <= STARTS; i++) {
    const begun = performance.now();
    const collector = await shipped.collect(stage, url, "bench");
    // The first round compiles the code.
    if (i > 0) times.push(performance.now() - begun);
    await collector.close();
  }
  report.atMost("start of a collector to ready", median(times), "ms", 300);
}

async function settleAll(engine: PostgresEngine): Promise<void> {
  const time = {
    boot: "bench",
    bootedAt: 0,
    today: Math.floor(Date.now() / DAY_MS),
    zone: UTC_DAYS,
    retentionDays: 400,
  };
  await engine.send({ kind: "upkeep", at: 0, time });
  for (let isFirst = true; ; isFirst = false) {
    const settlement = await engine.settlement({ ...time, detailDays: 0, isFirst, minBytes: 0 });
    if (settlement === null) return;
    const answer = await engine.send({ kind: "settle", at: 0, settlement });
    if (!answer.ok) throw new Error(answer.message);
  }
}

interface Node {
  readonly database: FleetDatabase;
  readonly engine: PostgresEngine;
  readonly keys: readonly number[];
  readonly seed: number;
}

async function openNode(stage: Stage, sites: number, seed: number): Promise<Node> {
  const database = await stage.add(startDatabase());
  const opened = Promise.withResolvers<void>();
  let keys: readonly number[] = [];
  const nothing = () => {};
  const log = createLog(nothing);
  const engine = PostgresEngine.open(
    {
      databaseUrl: database.url,
      nodeName: "bench",
      declared: Array.from({ length: sites }, (_, i) => ({ id: `site-${i}`, host: null })),
      clock: new FleetClock({ clock: new SystemClock(), log }),
      log,
    },
    {
      directory: (directory) => {
        keys = directory.sites.map(({ key }) => key);
      },
      opened: () => opened.resolve(),
      refused: opened.reject,
      counted: nothing,
      live: nothing,
      damaged: nothing,
      room: nothing,
      views: () => new Map(),
      asked: () => [],
    },
  );
  stage.onClose(() => engine.close());
  await opened.promise;
  return { database, engine, keys, seed };
}

/** A node's batches of a size, each hit for the next site. */
function committing(
  { engine, keys, seed }: Node,
  size: number,
  isCold: boolean,
): () => Promise<void> {
  const nextView = views(seed + size + keys.length);
  const visitor = createVisitorCache();
  const hour = Math.floor(Date.now() / HOUR_MS);
  let n = 0;
  return async () => {
    const waiting = new WaitingHits();
    for (let i = 0; i < size; i++, n++) {
      const view = nextView();
      const payload = isCold ? { ...view, p: `/${size}/articles/number-${n}` } : view;
      const agent = visitor(USER_AGENTS[n % USER_AGENTS.length] as string);
      const hit = beaconHit({ payload, visitor: agent, referer: "", country: "DE" });
      waiting.add(keys[n % keys.length] as number, { hour }, hit);
    }
    waiting.close();
    const log = waiting.parts.map(({ bytes }) => bytes);
    const batch = { log, hits: size, surveys: [], withdraw: [], lowSpace: false };
    const answer = await engine.send({ kind: "commit", at: performance.now(), batch });
    if (!answer.ok) throw new Error(answer.message);
  };
}

/** @returns microseconds of CPU of all the server's processes, and bytes that it wrote to its log, for each */
async function costs(database: FleetDatabase, times: number, commit: () => Promise<void>) {
  const before = { cpu: database.cpu(), log: database.bytes().log };
  for (let i = 0; i < times; i++) await commit();
  const cpu = ((database.cpu() - before.cpu) * 1_000) / times;
  return { cpu, log: (database.bytes().log - before.log) / times };
}
