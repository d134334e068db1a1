import { DAY_MS, HOUR_MS } from "../../appliance/base/calendar.ts";
import { UTC_DAYS } from "../../appliance/base/day-zone.ts";
import { createLog } from "../../appliance/base/log.ts";
import { beaconHit } from "../../appliance/collector/counting/beacon.ts";
import { createVisitorCache } from "../../appliance/collector/counting/visitor.ts";
import { WaitingHits } from "../../appliance/store/intake/waiting-hits.ts";
import { Connection } from "../../appliance/store/postgres/connection/connection.ts";
import { parseDatabaseUrl } from "../../appliance/store/postgres/connection/url.ts";
import { PostgresEngine } from "../../appliance/store/postgres/engine.ts";
import { SystemClock } from "../../appliance/system/system-clock.ts";
import { median } from "./figures.ts";
import { type FleetDatabase, withDatabase } from "./fleet-database.ts";
import type { Shipped } from "./shipped.ts";
import { USER_AGENTS, views } from "./traffic.ts";

const BATCHES = { 64: 3_000, 512: 800 } as const;
const WARM_UP = 100;
/** Lone hits: so many are measured, so many come in between. */
const LONE = { measured: 3_000, between: 20_000 };
const FOLDED = { size: 512, batches: 60 };
const STARTS = 10;

type Size = keyof typeof BATCHES;

interface BatchFigures {
  readonly size: Size;
  readonly sites: number;
  /** Each page is seen for the first time. */
  readonly isCold: boolean;
  /** Microseconds of CPU of all the server's processes, and bytes that it wrote to its log, a hit. */
  readonly cpu: number;
  readonly log: number;
}

/** What batches of one node cost the database, without the collector's HTTP. */
export async function measureBatches(): Promise<BatchFigures[]> {
  const figures: BatchFigures[] = [];
  for (const sites of [1, 5_000])
    await withDatabase(async (database) => {
      const node = await openNode(database.url, sites);
      try {
        for (const isCold of [true, false])
          for (const size of [64, 512] as const) {
            const commit = committing(node, size, isCold);
            for (let i = 0; i < (isCold ? 0 : WARM_UP); i++) await commit();
            const { cpu, log } = await costs(database, BATCHES[size], commit);
            figures.push({ size, sites, isCold, cpu: cpu / size, log: log / size });
          }
      } finally {
        await node.engine.close();
      }
    });
  return figures;
}

/** @returns microseconds of CPU for a lone hit, before and at the end of a snapshot that stays open over thousands */
export async function measureOpenSnapshot(): Promise<{ before: number; after: number }> {
  const figures = { before: 0, after: 0 };
  await withDatabase(async (database) => {
    const node = await openNode(database.url, 1);
    const analyst = new Connection(parseDatabaseUrl(database.url), {
      clock: new SystemClock(),
      role: "reads",
    });
    try {
      const commit = committing(node, 1, false);
      for (let i = 0; i < WARM_UP; i++) await commit();
      figures.before = (await costs(database, LONE.measured, commit)).cpu;
      await analyst.rows("BEGIN ISOLATION LEVEL REPEATABLE READ");
      await analyst.rows("SELECT count(*) FROM site");
      for (let i = 0; i < LONE.between; i++) await commit();
      figures.after = (await costs(database, LONE.measured, commit)).cpu;
    } finally {
      await analyst.close();
      await node.engine.close();
    }
  });
  return figures;
}

/** @returns milliseconds from the start of `tallydeck collect` to its being ready: the median, caches being warm */
export async function measureCollectorStarts(shipped: Shipped): Promise<number> {
  const times: number[] = [];
  await withDatabase(async ({ url }) => {
    for (let i = 0; i <= STARTS; i++) {
      const begun = performance.now();
      const collector = await shipped.collect(url, "bench");
      if (i > 0) times.push(performance.now() - begun);
      await collector.stop();
    }
  });
  return median(times);
}

interface FoldFigures {
  readonly sites: number;
  /** Hits a second that one node folds; microseconds of CPU of the server, and bytes of its log, a hit. */
  readonly perSecond: number;
  readonly cpu: number;
  readonly log: number;
}

/** What it takes to make blocks of what collectors have sent, by the one node that does. */
export async function measureFolding(): Promise<FoldFigures[]> {
  const figures: FoldFigures[] = [];
  for (const sites of [1, 5_000])
    await withDatabase(async (database) => {
      const node = await openNode(database.url, sites);
      try {
        const commit = committing(node, FOLDED.size, false);
        // Blocks are there afterwards, and most hits are of what they know.
        for (const batches of [FOLDED.batches, FOLDED.batches]) {
          for (let i = 0; i < batches; i++) await commit();
          const begun = performance.now();
          const { cpu, log } = await costs(database, 1, () => settleAll(node.engine));
          const hits = batches * FOLDED.size;
          const perSecond = (hits / (performance.now() - begun)) * 1_000;
          figures.push({ sites, perSecond, cpu: cpu / hits, log: log / hits });
        }
      } finally {
        await node.engine.close();
      }
    });
  return figures;
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
  readonly engine: PostgresEngine;
  readonly keys: readonly number[];
}

async function openNode(databaseUrl: string, sites: number): Promise<Node> {
  const opened = Promise.withResolvers<void>();
  let keys: readonly number[] = [];
  const nothing = () => {};
  const engine = PostgresEngine.open(
    {
      databaseUrl,
      nodeName: "bench",
      declared: Array.from({ length: sites }, (_, i) => ({ id: `site-${i}`, host: null })),
      clock: new SystemClock(),
      log: createLog(nothing),
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
  await opened.promise;
  return { engine, keys };
}

/** A node's batches of a size, each hit for the next site. */
function committing({ engine, keys }: Node, size: number, isCold: boolean): () => Promise<void> {
  const nextView = views(size + keys.length);
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
