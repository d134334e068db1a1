import assert from "node:assert/strict";
import { DAY_MS, type Day, HOUR_MS } from "../../appliance/base/calendar.ts";
import type { ValueRules } from "../../appliance/base/input/value-rules.ts";
import type { Condition } from "../../appliance/base/text/condition.ts";
import type { CountsOf, ValueRule } from "../../appliance/base/text/dimensions.ts";
import type { SiteKey } from "../../appliance/store/counting.ts";
import { BlockCounts } from "../../appliance/store/counts/block-counts.ts";
import { BatchEncoder } from "../../appliance/store/log/batch.ts";
import {
  FLAGS,
  type HitRecord,
  KINDS,
  READING,
  type Undated,
} from "../../appliance/store/log/record.ts";
import { LogTail } from "../../appliance/store/log/tail.ts";
import { detailFrom } from "../../appliance/store/settling/folding.ts";
import { nextSettlement, type SettlingTime } from "../../appliance/store/settling/settling.ts";
import { withRule } from "../../appliance/store/sites/value-rules.ts";
import type { Settlement } from "../../appliance/store/snapshot.ts";
import { MemoryEngine } from "./memory-engine.ts";
import { NaiveCounts } from "./naive-counts.ts";
import type { seeded } from "./seeded.ts";

const FIRST_DAY = 20_490;
/** An owner's zone with a half hour in it. */
const ZONE_MS = 5.5 * HOUR_MS;
const zoneHour = (epochMs: number) => Math.floor((epochMs + ZONE_MS) / HOUR_MS);
/** The number of no site. */
const NO_SITE = 0;

interface Row {
  readonly node: number;
  readonly n: number;
  readonly records: readonly HitRecord[];
  readonly undated: Undated | undefined;
}

/** An engine and what was sent to it, counted one by one beside it. */
export class Life {
  readonly engine = new MemoryEngine();
  readonly tail = new LogTail();
  boot = "boot-1";
  isSure = true;
  retentionDays = 40;
  detailDays = 12;
  lowSpace = false;
  maxDetailBytes = Number.POSITIVE_INFINITY;
  /** Epoch milliseconds. */
  now = FIRST_DAY * DAY_MS;
  bootedAt = this.now;
  readonly past = new Map<number, number>();
  counted: HitRecord[] = [];
  /** Days that went past retention. */
  forgotten = 0;
  /** The existing sites; an erased one makes room for another. */
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
      boot,
      bootedAt,
      zoneHour,
      today,
      retentionDays,
      detailDays,
      lowSpace,
      runMs,
      marks,
      maxDetailBytes,
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
    // Collectors follow the rules at once, all but those that have not heard of them.
    const hits = records.map((record) => this.#ruled({ ...record, moment }));
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

  /** Makes two values of a site one. The caller settles all then. @returns false where it would make a cycle */
  merge(site: SiteKey, rule: ValueRule): boolean {
    const rules = withRule(this.engine.rulesOf(site), rule);
    if (rules === "cycle") return false;
    this.engine.rule(site, rules);
    this.counted = this.counted.map((record) =>
      record.site === site ? ruled(record, rules) : record,
    );
    return true;
  }

  /** A record as it counts by the rules of its site. */
  #ruled<R extends Pick<HitRecord, "site" | "values">>(record: R): R {
    return ruled(record, this.engine.rulesOf(record.site));
  }

  restart(isSure: boolean): void {
    this.boot = `boot-${this.now}`;
    this.bootedAt = this.now;
    this.isSure = isSure;
  }

  /** Erases a site; what was prepared before is of another generation then. */
  async erase(place: 0 | 1 | 2): Promise<void> {
    const prepared = await nextSettlement(this.engine.snapshot(), this.time);
    const site = this.sites[place];
    this.sites[place] = Math.max(...this.sites) + 1;
    this.engine.erase(site);
    this.engine.sites.add(this.sites[place]);
    assert.ok(prepared === null || !this.engine.settle(prepared));
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
    const there = records.filter(({ site }) => this.engine.sites.has(site));
    this.counted.push(...there.map((record) => this.#ruled(record)));
  }

  #forget(day: Day): void {
    this.forgotten++;
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
    const blocks = new BlockCounts(this.engine.snapshot(), this.tail);
    const pending = this.#rows
      .flatMap(({ records }) => records)
      .filter(({ site }) => this.engine.sites.has(site));
    const naive = new NaiveCounts(
      { counted: this.counted, pending, past: this.past },
      { of, where },
    );
    return { blocks, naive, asked: { of, where, detailFrom: detailFrom(this.time) } };
  }
}

/** A record as it counts by rules, looked up one by one. */
export function ruled<R extends Pick<HitRecord, "values">>(record: R, { rules }: ValueRules): R {
  const toOf = (name: string, text: string) =>
    rules.find(({ dimension, from }) => dimension === name && from === text)?.to;
  return {
    ...record,
    values: record.values.map(([name, text]) => [name, toOf(name, text) ?? text] as const),
  };
}

export type Seeded = ReturnType<typeof seeded>;

/** A record of any kind. */
export function someRecord(
  { below, pick }: Seeded,
  sites: Life["sites"],
): Omit<HitRecord, "moment"> {
  const kind = pick<HitRecord["kind"]>(["view", "view", "view", "view", ...KINDS]);
  const isReading = kind === "event" && below(2) > 0;
  const some = (name: string, n: number) => `${name}-${below(n)}`;
  const visit = (): HitRecord["values"] => [
    ["path", some("path", 12)],
    ["ref", some("ref", 5)],
    ["browser", some("browser", 3)],
    ...(below(2) > 0 ? ([["country", some("country", 3)]] as const) : []),
  ];
  const values: Readonly<Record<HitRecord["kind"], () => HitRecord["values"]>> = {
    view: visit,
    event: () =>
      isReading
        ? [["time", some("time", 3)], ["depth", some("depth", 3)], ...visit()]
        : [
            ["event", some("event", 3)],
            ["event_target", some("target", 4)],
            ...(below(2) > 0 ? ([["event_prop", some("a", 3)]] as const) : []),
            ...(below(2) > 0 ? ([["event_prop", some("b", 3)]] as const) : []),
            ...(below(2) > 0 ? ([["event_value", `${below(2_000) - 999 || 5}`]] as const) : []),
            ...visit(),
          ],
    // The touch of a page that is left out says nothing.
    interaction: () =>
      pick<HitRecord["values"]>([[["hi", some("hi", 3)]], [["left_out", some("reason", 3)]], []]),
    ping: () => [
      ["app_os", some("os", 2)],
      ["app_device", some("device", 2)],
      ["app_device", "another"],
    ],
    crawler: () => [["bot_kind", some("bot", 2)]],
    synthetic: () => [],
  };
  const flags = kind === "view" ? below(FLAGS + 1) : isReading ? READING : 0;
  const site = pick([...sites, sites[0], sites[0], NO_SITE]);
  return { site, kind, flags, times: 1 + below(3), values: values[kind]() };
}

/** Two values that are one. Some that are there no more come back where a later rule turns around. */
export function someRule({ below, pick }: Seeded): ValueRule {
  const dimension = pick<ValueRule["dimension"]>(["path", "ref", "event"]);
  const [from, to] = [below(5), below(5)];
  return { dimension, from: `${dimension}-${from}`, to: `${dimension}-${to === from ? 5 : to}` };
}
