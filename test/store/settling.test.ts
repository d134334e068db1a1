import assert from "node:assert/strict";
import { DAY_MS, type Day, HOUR_MS } from "../../appliance/base/calendar.ts";
import type { CountsOf } from "../../appliance/store/blocks/day-table.ts";
import type { Condition } from "../../appliance/store/blocks/filter.ts";
import { BlockCounts } from "../../appliance/store/counts/block-counts.ts";
import { hourlyViews } from "../../appliance/store/counts/hourly-views.ts";
import { liveNumbers } from "../../appliance/store/counts/live-numbers.ts";
import { overview } from "../../appliance/store/counts/overview.ts";
import { statsBody } from "../../appliance/store/counts/reports.ts";
import { siteActivity } from "../../appliance/store/counts/site-activity.ts";
import type { CountsSource } from "../../appliance/store/counts/source.ts";
import { viewCounts } from "../../appliance/store/counts/view-counts.ts";
import { BatchEncoder } from "../../appliance/store/log/batch.ts";
import {
  type Dimension,
  FLAGS,
  type HitRecord,
  KINDS,
  type Undated,
} from "../../appliance/store/log/record.ts";
import { LogTail } from "../../appliance/store/log/tail.ts";
import { nextSettlement, type SettlingTime } from "../../appliance/store/settling/settling.ts";
import type { Settlement } from "../../appliance/store/snapshot.ts";
import { MemoryEngine } from "../helpers/memory-engine.ts";
import { NaiveCounts } from "../helpers/naive-counts.ts";
import { seeded, TEST_SEED } from "../helpers/seeded.ts";

const FIRST_DAY = 20_490;
/** An owner's zone with a half hour in it. */
const ZONE_MS = 5.5 * HOUR_MS;
const zoneHour = (epochMs: number) => Math.floor((epochMs + ZONE_MS) / HOUR_MS);
/** Nobody made it. */
const NO_SITE = 0;

interface Row {
  readonly node: number;
  readonly n: number;
  readonly records: readonly HitRecord[];
  readonly undated: Undated | undefined;
}

/** An engine and what was sent to it, counted one by one beside it. */
class Life {
  readonly engine = new MemoryEngine();
  readonly tail = new LogTail();
  boot = "boot-1";
  isSure = true;
  retentionDays = 60;
  detailDays = 20;
  lowSpace = false;
  maxDetailBytes = Number.POSITIVE_INFINITY;
  /** Epoch milliseconds. */
  now = FIRST_DAY * DAY_MS;
  bootedAt = this.now;
  readonly past = new Map<number, number>();
  counted: HitRecord[] = [];
  /** Those that exist; an erased one makes room for another. */
  sites: [number, number, number] = [1, 2, 3];
  #rows: Row[] = [];

  constructor(isRemote = false) {
    this.engine.isRemote = isRemote;
    for (const site of this.sites) this.engine.sites.add(site);
  }

  get today(): Day {
    return Math.floor(zoneHour(this.now) / 24);
  }

  get time(): SettlingTime {
    const { boot, today, retentionDays, detailDays, lowSpace, maxDetailBytes } = this;
    const bootedAt = this.isSure ? this.bootedAt : null;
    const { runMs, marks } = this.engine;
    return {
      ...{ boot, bootedAt, zoneHour, today, retentionDays, detailDays, lowSpace },
      ...{ runMs, marks, maxDetailBytes },
    };
  }

  pass(ms: number): void {
    this.now += ms;
    this.engine.runMs += ms;
  }

  /** Commits records; where the clock is not sure, with what it takes to tell later. */
  commit(node: number, records: readonly Omit<HitRecord, "moment">[]): void {
    const undated = this.isSure
      ? undefined
      : { boot: this.boot, savedZero: this.bootedAt - 3 * HOUR_MS };
    const moment = this.isSure
      ? zoneHour(this.now)
      : Math.floor((this.now - this.bootedAt) / 1_000);
    const encoder = new BatchEncoder(undated);
    const hits = records.map((record) => ({ ...record, moment }));
    for (const hit of hits) assert.ok(encoder.add(hit));
    const n = this.engine.commit(node, encoder.encode());
    if (undated === undefined) this.#count(hits);
    else this.#rows.push({ node, n, records: hits, undated });
  }

  /** One step of what is due. @returns false when nothing was */
  async settle(): Promise<boolean> {
    const settlement = await nextSettlement(this.engine.snapshot(), this.time);
    if (settlement === null) return false;
    this.#apply(settlement);
    return true;
  }

  async settleAll(): Promise<void> {
    for (let steps = 0; await this.settle(); steps++) assert.ok(steps < 200, "it has no end");
  }

  restart(isSure: boolean): void {
    this.boot = `boot-${this.now}`;
    this.bootedAt = this.now;
    this.isSure = isSure;
  }

  erase(place: 0 | 1 | 2): void {
    const site = this.sites[place];
    this.sites[place] = Math.max(...this.sites) + 1;
    this.engine.erase(site);
    this.engine.sites.add(this.sites[place]);
    this.past.delete(site);
    this.counted = this.counted.filter((record) => record.site !== site);
  }

  #apply(settlement: Settlement): void {
    const { time } = this;
    assert.ok(this.engine.settle(settlement));
    const filed = this.#rows.filter(({ node, n }) => this.engine.isFolded(node, n));
    this.#rows = this.#rows.filter((row) => !filed.includes(row));
    for (const { records, undated } of filed) {
      const zero = undated?.boot === time.boot ? time.bootedAt : undated?.savedZero;
      assert.ok(typeof zero === "number", "the time of what was filed was known");
      this.#count(records.map((one) => ({ ...one, moment: zoneHour(zero + 1_000 * one.moment) })));
    }
    for (const day of settlement.gone) {
      assert.ok(day <= time.today - time.retentionDays, `day ${day} went on day ${time.today}`);
      this.#forget(day);
    }
  }

  #count(records: readonly HitRecord[]): void {
    this.counted.push(...records.filter(({ site }) => this.engine.sites.has(site)));
  }

  #forget(day: Day): void {
    const goes = ({ moment }: HitRecord) => Math.floor(moment / 24) === day;
    for (const { site, kind, times } of this.counted.filter(goes))
      if (kind === "view") this.past.set(site, (this.past.get(site) ?? 0) + times);
    this.counted = this.counted.filter((record) => !goes(record));
  }

  /** Some days are past retention, and perhaps gone in part. */
  get isForgetting(): boolean {
    const { today, retentionDays, engine } = this;
    return [...engine.marks].some(
      ([day, ms]) => day <= today - retentionDays && ms <= engine.runMs - retentionDays * DAY_MS,
    );
  }

  question(of: CountsOf = "views", where: readonly Condition[] = []) {
    const { detailDays, today } = this;
    const detailFrom = detailDays === 0 ? Number.POSITIVE_INFINITY : today - detailDays + 1;
    const blocks = new BlockCounts(this.engine.snapshot(), this.tail, { of, where, detailFrom });
    const pending = this.#rows
      .flatMap(({ records }) => records)
      .filter(({ site }) => this.engine.sites.has(site));
    const naive = new NaiveCounts(
      { counted: this.counted, pending, past: this.past },
      { of, where },
    );
    return { blocks, naive };
  }
}

type Seeded = ReturnType<typeof seeded>;

/** A record of any kind. */
function someRecord({ below, pick }: Seeded, sites: Life["sites"]): Omit<HitRecord, "moment"> {
  const kind = pick<HitRecord["kind"]>(["view", "view", "view", "view", ...KINDS]);
  const some = (name: string, n: number) => `${name}-${below(n)}`;
  const visit = (): HitRecord["values"] => [
    ["path", some("path", 12)],
    ["ref", some("ref", 5)],
    ["browser", some("browser", 3)],
    ...(below(2) > 0 ? ([["country", some("country", 3)]] as const) : []),
  ];
  const values: Readonly<Record<HitRecord["kind"], () => HitRecord["values"]>> = {
    view: visit,
    event: () => [["event", some("event", 3)], ["event_target", some("target", 4)], ...visit()],
    interaction: () => [["hi", some("hi", 3)]],
    ping: () => [
      ["app_os", some("os", 2)],
      ["app_device", some("device", 2)],
      ["app_device", "another"],
    ],
    crawler: () => [["bot_kind", some("bot", 2)]],
    synthetic: () => [],
  };
  const flags = kind === "view" || kind === "event" ? below(FLAGS + 1) : 0;
  const site = pick([...sites, sites[0], sites[0], NO_SITE]);
  return { site, kind, flags, times: 1 + below(3), values: values[kind]() };
}

function someCondition({ below, pick }: Seeded): Condition {
  const dimension = pick<Dimension>(["path", "ref", "browser", "country", "event"]);
  const test = pick<Condition["test"]>(["is", "not", "begins"]);
  return { dimension, test, value: `${dimension}-${below(4)}` };
}

const LATEST = { encoding: null, ifNoneMatch: "" } as const;

function statsOf(source: CountsSource, site: number, from: Day | "first", to: Day) {
  const query = { site, id: "s", from, to, single: false, series: true, warnings: [] } as const;
  return statsBody(source, { ...query, daily: "offsets" }).then((bytes) =>
    JSON.parse(Buffer.from(bytes).toString()),
  );
}

/** Each question has the answer of the naive count. */
async function assertAgreed(life: Life, drawn: Seeded): Promise<void> {
  const { below, pick } = drawn;
  const { today } = life;
  const site = pick(life.sites);
  const from = today - below(70);
  const hour = below(24);
  const alike = async (ask: (source: CountsSource) => Promise<unknown>, of: CountsOf = "views") => {
    const { blocks, naive } = life.question(of);
    assert.deepEqual(await ask(blocks), await ask(naive));
  };
  const of = pick<CountsOf>(["views", "visitors", "sessions"]);
  await alike((source) => statsOf(source, site, from, today), of);
  await alike((source) => statsOf(source, site, "first", today));
  await alike((source) => statsOf(source, site, today, today), of);
  await alike((source) => viewCounts(source, { site, from, to: today }));
  await alike((source) => hourlyViews(source, { site, from, to: today }));
  const counter = pick<"pv" | "uv" | "sessions" | "bot">(["pv", "uv", "sessions", "bot"]);
  const days = pick<1 | 7 | 30>([1, 7, 30]);
  await alike((source) => liveNumbers(source, { site, counter, days, today, hour }));
  const sites = life.sites.map((key) => ({ key, id: `site-${key}`, live: 0 }));
  await alike((source) => siteActivity(source, { sites, today }));
  await alike(async (source) => {
    const query = { sites, today, hour, warnings: [] };
    const { body } = await overview(source, { query, accepts: LATEST });
    return JSON.parse(Buffer.from(body ?? []).toString());
  });
  const where = Array.from({ length: 1 + below(2) }, () => someCondition(drawn));
  const { blocks, naive } = life.question(of, where);
  const detail = await blocks.detail({ site, from, to: today });
  assert.ok(detail.from <= Math.max(from, today - life.detailDays + 1), "detail is missing");
  assert.equal(detail.sampled, 1);
  if (detail.from <= today) {
    const counted = await statsOf(naive, site, detail.from, today);
    assert.deepEqual(await statsOf(blocks, site, detail.from, today), counted);
    // Days that no filter can judge count nothing, and the others the same.
    const [series = []] = await blocks.counterByDay([site], "pv", from, today);
    const [those = []] = naive.counterByDay([site], "pv", detail.from, today);
    assert.deepEqual(series, [...Array(detail.from - from).fill(0), ...those]);
  }
}

describe("a log and its blocks", () => {
  for (const isRemote of [false, true])
    it(`answer as a naive count does, ${isRemote ? "later" : "at once"}, whatever happens between`, async function () {
      this.timeout(120_000);
      const drawn = seeded(TEST_SEED);
      const { below, pick } = drawn;
      const life = new Life(isRemote);
      try {
        for (let day = 0; day < (isRemote ? 25 : 100); day++) {
          life.pass(DAY_MS - below(4) * HOUR_MS);
          if (below(12) === 0) life.restart(below(2) > 0);
          if (!life.isSure && below(2) > 0) life.isSure = true;
          if (below(20) === 0) life.erase(pick([0, 1, 2]));
          for (let commits = below(6); commits > 0; commits--) {
            life.commit(
              below(2),
              Array.from({ length: 1 + below(12) }, () => someRecord(drawn, life.sites)),
            );
            life.pass(below(HOUR_MS));
            if (below(3) === 0) await life.settle();
            if (below(4) === 0 && !life.isForgetting) await assertAgreed(life, drawn);
          }
          if (below(3) > 0 || life.isForgetting) await life.settleAll();
          if (!life.isForgetting) await assertAgreed(life, drawn);
        }
        assert.ok(isRemote || life.past.size > 0, "nothing went past retention");
      } catch (error) {
        throw new Error(`with TEST_SEED=${TEST_SEED}`, { cause: error });
      }
    });
});
