import assert from "node:assert/strict";
import { DAY_MS, type Day } from "../../../appliance/base/calendar.ts";
import type { DayZone } from "../../../appliance/base/day-zone.ts";
import type { ValueRules } from "../../../appliance/base/input/value-rules.ts";
import type { ValueRule } from "../../../appliance/base/text/dimensions.ts";
import type { HitRecord } from "../../../appliance/store/log/record.ts";
import { NO_VALUE_RULES, withRule } from "../../../appliance/store/sites/value-rules.ts";
import { NaiveCounts } from "../../helpers/naive-counts.ts";
import { ruled } from "../../helpers/store-life.ts";

const HOURS = 24;
const NONE: ReadonlyMap<number, number> = new Map();
const ALL_DAYS = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };

/** Counts of each fact, `dimension=value`. */
export type Facts = Map<string, number>;

export interface ModelDay {
  readonly records: HitRecord[];
  readonly facts: Facts;
  /** The running time of its last count, in milliseconds. */
  lastRan: number;
  /** Values may count as OTHER: only sums are known. */
  isFlooded: boolean;
  /** Some of it may have no detail. */
  lacksDetail?: boolean;
}

interface ModelSite {
  readonly days: Map<Day, ModelDay>;
  /** The values that count as others. */
  rules: ValueRules;
  /** Views of days that are past retention. */
  past: number;
  surveys: string[];
  /** The surveys that wait for a clock, with their boot. */
  waitingSurveys: (readonly [boot: string, answer: string])[];
}

/** Hits that wait for a clock; a moment is seconds since that boot. */
interface Waiting {
  readonly boot: string;
  readonly savedZero: number;
  /** The running time at which they came. */
  readonly ran: number;
  readonly isFlooded: boolean;
  readonly records: readonly HitRecord[];
}

/** The expected counts of a store, in maps, by unique names of sites. */
export class Model {
  readonly sites = new Map<string, ModelSite>();
  waiting: Waiting[] = [];

  copy(): Model {
    const copy = new Model();
    for (const [id, site] of this.sites)
      copy.sites.set(id, {
        ...site,
        surveys: [...site.surveys],
        waitingSurveys: [...site.waitingSurveys],
        days: new Map(
          [...site.days].map(([day, one]) => [
            day,
            { ...one, records: [...one.records], facts: new Map(one.facts) },
          ]),
        ),
      });
    copy.waiting = [...this.waiting];
    return copy;
  }

  addSite(id: string): void {
    this.sites.set(id, {
      ...{ days: new Map(), past: 0, surveys: [], waitingSurveys: [] },
      rules: NO_VALUE_RULES,
    });
  }

  /** Makes values of a site one. @returns the outcome of the write */
  merge(id: string, rule: ValueRule): "done" | "cycle" {
    const site = this.sites.get(id) ?? assert.fail(id);
    const rules = withRule(site.rules, rule);
    if (rules === "cycle") return rules;
    site.rules = rules;
    for (const [day, one] of site.days) {
      const records = one.records.map((record) => ruled(record, rules));
      site.days.set(day, { ...one, records, facts: factsOf(records).get(day) ?? new Map() });
    }
    return "done";
  }

  /** Counts what has an hour; `site` of a record is of no meaning. */
  count(id: string, said: readonly HitRecord[], ran: number, isFlooded = false): void {
    const site = this.sites.get(id);
    if (site === undefined) return;
    const records = said.map((record) => ruled(record, site.rules));
    for (const [day, its] of Map.groupBy(records, ({ moment }) => Math.floor(moment / HOURS))) {
      const there = site.days.get(day);
      const one: ModelDay = there ?? { records: [], facts: new Map(), lastRan: ran, isFlooded };
      site.days.set(day, one);
      one.lastRan = Math.max(one.lastRan, ran);
      one.isFlooded ||= isFlooded;
      one.records.push(...its);
      for (const [fact, n] of factsOf(its).get(day) ?? [])
        one.facts.set(fact, (one.facts.get(fact) ?? 0) + n);
    }
  }

  /** Files what waits for a clock and whose time is known by now. */
  file(boot: string, bootedAt: number | null, zone: DayZone, isShort: boolean): void {
    this.waiting = this.waiting.filter((one) => {
      const zero = one.boot === boot ? bootedAt : one.savedZero;
      if (zero === null) return true;
      const dated = one.records.map((record) => ({
        ...record,
        moment: zone.hourAt(zero + 1_000 * record.moment),
      }));
      for (const [site, its] of Map.groupBy(dated, (record) => record.site))
        this.count(String(site), its, one.ran, one.isFlooded || isShort);
      return false;
    });
    for (const site of this.sites.values())
      site.waitingSurveys = site.waitingSurveys.filter(([its, answer]) => {
        if (its === boot && bootedAt === null) return true;
        site.surveys.push(answer);
        return false;
      });
  }

  /** Low space: new values of what was counted since may count as OTHER. */
  loseNames(since: number): void {
    for (const { days } of this.sites.values())
      for (const day of days.values()) day.isFlooded ||= day.lastRan >= since;
  }

  /** Days before this one keep no detail, even should later ones of them be asked for again. */
  loseDetail(from: Day): void {
    for (const { days } of this.sites.values())
      for (const [day, one] of days) one.lacksDetail ||= day < from;
  }

  /** Days went: each must be old enough by the calendar, and by the time run. */
  forget(kept: ReadonlySet<Day>, today: Day, retentionDays: number, ran: number): void {
    for (const site of this.sites.values())
      for (const [day, { facts, lastRan }] of site.days) {
        if (kept.has(day)) continue;
        assert.ok(day <= today - retentionDays, `day ${day} went on day ${today}`);
        assert.ok(ran - lastRan >= retentionDays * DAY_MS, `day ${day} went before its time`);
        site.past += facts.get("pv=_") ?? 0;
        site.days.delete(day);
      }
  }

  erase(id: string): void {
    this.sites.delete(id);
    this.waiting = this.waiting.map((one) => ({
      ...one,
      records: one.records.filter(({ site }) => String(site) !== id),
    }));
  }

  /** Views of all time. */
  total(id: string): number {
    const site = this.sites.get(id);
    const views = [...(site?.days.values() ?? [])].map(({ facts }) => facts.get("pv=_") ?? 0);
    return views.reduce((sum, n) => sum + n, site?.past ?? 0);
  }

  /** Hits that wait for the clock. */
  pending(id: string): number {
    return this.waiting
      .flatMap(({ records }) => records)
      .reduce((sum, { site, times }) => sum + (String(site) === id ? times : 0), 0);
  }
}

function factsOf(records: readonly HitRecord[]): Map<Day, Facts> {
  const state = { counted: records.map((one) => ({ ...one, site: 0 })), pending: [], past: NONE };
  return new NaiveCounts(state, { of: "views", where: [] }).byDay({ site: 0, ...ALL_DAYS });
}
