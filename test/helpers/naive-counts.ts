import { DAY_MS, type Day, dowhourOf, HOUR_MS, hourName } from "../../appliance/base/calendar.ts";
import type { Condition } from "../../appliance/base/text/condition.ts";
import { countsOf } from "../../appliance/base/text/dimensions.ts";
import { DETAIL_DIMENSIONS } from "../../appliance/store/blocks/detail.ts";
import type { Counter, SiteKey } from "../../appliance/store/counting.ts";
import type { BlockQuestion } from "../../appliance/store/counts/block-counts.ts";
import type { SiteCounts, SiteDay, SiteDays } from "../../appliance/store/counts/site-counts.ts";
import { FLAG, type HitRecord, READING } from "../../appliance/store/log/record.ts";

const HOURS = 24;

/** A fact is a dimension and a value. */
type Fact = readonly [dimension: string, text: string, n: number];

interface NaiveState {
  /** Counted records, with their hour as the moment. */
  readonly counted: readonly HitRecord[];
  /** Records that wait for the clock. */
  readonly pending: readonly HitRecord[];
  /** Views of days past retention. */
  readonly past: ReadonlyMap<SiteKey, number>;
}

/** Counts one by one, each time anew: so simple that it is right. */
export class NaiveCounts implements SiteCounts {
  readonly #state: NaiveState;
  readonly #question: Pick<BlockQuestion, "of" | "where">;

  constructor(state: NaiveState, question: Pick<BlockQuestion, "of" | "where">) {
    this.#state = state;
    this.#question = question;
  }

  /** The count of each fact by day, `dimension=value`. */
  byDay({ site, from, to }: SiteDays): Map<Day, Map<string, number>> {
    const byDay = new Map<Day, Map<string, number>>();
    for (const record of this.#state.counted) {
      const day = Math.floor(record.moment / HOURS);
      if (record.site !== site || day < from || day > to) continue;
      const facts = byDay.get(day) ?? new Map<string, number>();
      for (const [dimension, text, n] of factsOf(record, this.#question))
        if (n !== 0) {
          const fact = `${dimension}=${text}`;
          facts.set(fact, (facts.get(fact) ?? 0) + n);
        }
      if (facts.size > 0) byDay.set(day, facts);
    }
    return new Map([...byDay].sort(([a], [b]) => a - b));
  }

  counterByDay(sites: readonly SiteKey[], counter: Counter, from: Day, to: Day): number[][] {
    return sites.map((site) => {
      const byDay = this.byDay({ site, from, to });
      return Array.from({ length: to - from + 1 }, (_, offset) => {
        const facts = byDay.get(from + offset) ?? new Map<string, number>();
        return ["_", "ua", "synthetic"].reduce(
          (sum, value) => sum + (facts.get(`${counter}=${value}`) ?? 0),
          0,
        );
      });
    });
  }

  byHour(days: readonly SiteDay[], dimension: string): number[][] {
    return days.map(({ site, day }) => {
      const facts = this.byDay({ site, from: day, to: day }).get(day);
      return Array.from(
        { length: HOURS },
        (_, hour) => facts?.get(`${dimension}=${hourName(hour)}`) ?? 0,
      );
    });
  }

  firstDay(site: SiteKey): Day | null {
    const days = this.#state.counted
      .filter((record) => record.site === site && !saysNothing(record))
      .map(({ moment }) => Math.floor(moment / HOURS));
    return days.length === 0 ? null : Math.min(...days);
  }

  lastDays(sites: readonly SiteKey[]): (Day | null)[] {
    return sites.map((site) => {
      const days = this.#state.counted
        .filter((record) => record.site === site && record.kind === "view")
        .map(({ moment }) => Math.floor(moment / HOURS));
      return days.length === 0 ? null : Math.max(...days);
    });
  }

  pending(sites: readonly SiteKey[]): number[] {
    return sites.map((site) => timesOf(this.#state.pending.filter((one) => one.site === site)));
  }

  totals(sites: readonly SiteKey[]): number[] {
    return sites.map((site) => {
      const views = this.#state.counted.filter((one) => one.site === site && one.kind === "view");
      return timesOf(views) + (this.#state.past.get(site) ?? 0);
    });
  }
}

function timesOf(records: readonly HitRecord[]): number {
  return records.reduce((sum, { times }) => sum + times, 0);
}

/** Whether a view or an event is what conditions ask for; of several values, one has to be. */
export function fits({ values }: HitRecord, where: readonly Condition[]): boolean {
  return where.every(({ dimension, test, value }) => {
    const texts = values.flatMap(([name, text]) => (name === dimension ? [text] : []));
    if (test === "begins") return texts.some((text) => text.startsWith(value));
    if (test === "has")
      return texts.some((text) => text.toLowerCase().includes(value.toLowerCase()));
    if (test === "not") return !texts.includes(value);
    const alternatives = where.filter((one) => one.dimension === dimension && one.test === "is");
    return alternatives.some((one) => texts.includes(one.value));
  });
}

/** No view can be what conditions ask for. */
function asksFor(where: readonly Condition[], name: RegExp): boolean {
  return where.some(({ dimension, test }) => test !== "not" && name.test(dimension));
}

const EVENT = /^event/;
const READ = /^(time|depth)$/;

function factsOf(
  record: HitRecord,
  { of, where }: Pick<BlockQuestion, "of" | "where">,
): readonly Fact[] {
  const { kind, flags, times, moment, values } = record;
  const isOfEvents = asksFor(where, EVENT);
  const isOfReadings = !isOfEvents && asksFor(where, READ);
  const isReading = kind === "event" && flags === READING;
  const isFiltered = where.length > 0;
  if (isFiltered && ((kind !== "view" && kind !== "event") || !fits(record, where))) return [];
  const has = (flag: number) => (flags & flag ? times : 0);
  const isOfPath = where.some(({ dimension }) => dimension === "path" || dimension === "event");
  const uv = has(isOfPath ? FLAG.pathVisitor : FLAG.visitor);
  const hour = hourName(moment % HOURS);
  const facts: Fact[] = [];
  if (kind === "view") {
    const n = { views: times, visitors: uv, sessions: has(FLAG.session) }[of];
    if (of !== "views" && !isOfEvents && !isOfReadings) facts.push(["pv_hour", hour, times]);
    facts.push(
      ["pv", "_", times],
      ["uv", "_", uv],
      ["uv_hour", hour, uv],
      ["sessions", "_", has(FLAG.session)],
      ["sessions_hour", hour, has(FLAG.session)],
      ["bounce", "_", has(FLAG.bounce)],
      ["engaged", "_", has(FLAG.engaged)],
      ["engaged_hour", hour, has(FLAG.engaged)],
      ["hour", hour, n],
      ["dowhour", dowhourOf(Math.floor(moment / HOURS) * DAY_MS + (moment % HOURS) * HOUR_MS), n],
    );
  }
  if (kind === "ping") facts.push(["app", "_", times], ["app_hour", hour, times]);
  if (kind === "crawler") facts.push(["bot", "ua", times], ["bot_hour", hour, times]);
  if (kind === "synthetic") facts.push(["bot", "synthetic", times], ["bot_hour", hour, times]);
  for (const [name, text] of values) {
    const isAsked = isReading ? isOfReadings : isOfEvents;
    if (kind === "event" && !EVENT.test(name) && !READ.test(name) && !isAsked) continue;
    if (name === "event_value") {
      const event = values.find(([name]) => name === "event")?.[1] ?? "";
      facts.push([name, event, Number(text) * times]);
      continue;
    }
    if (isFiltered && !DETAIL_DIMENSIONS.includes(name)) continue;
    const visitors = has(isOfPath || name === "path" ? FLAG.pathVisitor : FLAG.visitor);
    const counted = isOfEvents || isOfReadings ? "views" : countsOf(name, of);
    facts.push([name, text, { views: times, visitors, sessions: has(FLAG.session) }[counted]]);
  }
  return facts;
}

/** The touch of a page that is left out counts nothing. */
function saysNothing({ kind, values }: HitRecord): boolean {
  return kind === "interaction" && values.length === 0;
}
