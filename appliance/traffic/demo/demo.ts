import { DAY_MS, type Day, dayOf, HOUR_MS } from "../../base/calendar.ts";
import { type Dimension, FLAG, type Hit, type HitRecord, READING } from "../../store/log/record.ts";
import { randomFrom } from "./random.ts";
import {
  APP_DEVICES,
  APP_OFFSETS,
  APP_RELEASES,
  APP_SYSTEMS,
  BROWSERS,
  CAMPAIGNS,
  COMMENTS,
  CRAWLERS,
  type DemoSite,
  EVENTS,
  FOUND_BY,
  type HitValues,
  HOURS,
  INTERACTIONS,
  LAST_HERE,
  MISSING_MOST,
  PLACES,
  PLANS,
  PRICES,
  READ_DEPTHS,
  READ_TIMES,
  REF_GROUPS,
  SITES,
  USED_FOR,
  type Weights,
} from "./world.ts";

/**
 * The data behind `--demo`: 400 days of two sites, made up and consistent. The same seed, days and hour always give the
 * same hits. It does not depend on the store.
 */

/** One day of one site: its hits, and its responses to surveys. */
export interface DemoDay {
  readonly site: string;
  /** Days since 1970. */
  readonly day: Day;
  readonly hits: readonly DemoHit[];
  /** validated survey payloads */
  readonly surveys: readonly DemoSurvey[];
}

/** Hits of an hour (`moment`) that are alike. */
type DemoHit = Omit<HitRecord, "site">;

interface DemoSurvey {
  sv: number;
  v?: string;
  os?: string;
  dv?: string;
  f?: string;
  a: Record<string, string | string[]>;
  c?: string;
}

/** Ids of the sites that `demoDays` yields. */
export const DEMO_SITES = SITES.map(({ id }) => id);
export const DEMO_DAYS = 400;

/** The most equal hits in one record. Fewer records make a start quicker. */
const MOST_ALIKE = 40;
/** The share of visits with one page, and of those in a browser that is new on that day. */
const BOUNCES = 0.41;
const NEW_VISITORS = 0.9;
const EVENT_SHARE = 0.09;
/** The part of views whose pages tell how they were read. */
const READ_SHARE = 0.7;
const SUBSCRIBE_SHARE = 0.01;
const CAMPAIGN_SHARE = 0.04;

/**
 * The days up to and including today, the oldest first, both sites of each day.
 * @param now milliseconds since 1970 in the zone of days; today ends at this time
 */
export function* demoDays(now: number, seed = 1): Generator<DemoDay> {
  const today = dayOf(now);
  for (let daysAgo = DEMO_DAYS - 1; daysAgo >= 0; daysAgo--) {
    const elapsed = daysAgo === 0 ? (now % DAY_MS) / HOUR_MS : 24;
    for (const [i, site] of SITES.entries()) {
      yield new DayMaker(
        site,
        today - daysAgo,
        daysAgo,
        elapsed,
        seed * 1000 + daysAgo * 2 + i,
      ).make();
    }
  }
}

/**
 * Visitors of both sites, one view or event after the other, without end.
 * @param now milliseconds since 1970 in the zone of days
 */
export function* demoVisits(
  now: number,
  random: () => number,
): Generator<{ readonly site: string; readonly hit: Hit }, never> {
  for (;;)
    for (const site of SITES) {
      const day = new DayMaker(site, dayOf(now), 0, 24, Math.floor(random() * 2 ** 31)).make();
      const hits = day.hits.filter(({ kind }) => kind === "view" || kind === "event");
      for (const { kind, flags, values } of hits.slice(0, VISITS_IN_A_ROW))
        yield { site: site.id, hit: { kind, flags, values } };
    }
}

/** Pages of one site before those of the other. */
const VISITS_IN_A_ROW = 12;

class DayMaker {
  readonly #site: DemoSite;
  readonly #day: Day;
  readonly #weekday: number;
  readonly #daysAgo: number;
  readonly #elapsed: number;
  readonly #random: () => number;
  /** Numbers for how pages are read. */
  readonly #read: () => number;
  readonly #paths: Weights;
  /** Referrers with the host of the site, which each view has, too. */
  readonly #referrers: Weights<HitValues>;
  readonly #hits: DemoHit[] = [];

  constructor(site: DemoSite, day: Day, daysAgo: number, elapsed: number, seed: number) {
    this.#site = site;
    this.#day = day;
    this.#weekday = new Date(day * DAY_MS).getUTCDay();
    this.#daysAgo = daysAgo;
    this.#elapsed = elapsed;
    this.#random = randomFrom(seed);
    this.#read = randomFrom(seed + 1);
    const spike = this.#spike();
    const more = (list: Weights, value: string | undefined): Weights =>
      spike && value !== undefined
        ? [...list.filter(([v]) => v !== value), [value, 90 * spike.extra]]
        : list;
    this.#paths = more(site.paths, spike?.path);
    this.#referrers = more(site.referrers, spike?.ref).map(([ref, weight]) => [
      [
        ["host", site.host],
        ["ref", ref],
        ["ref_group", REF_GROUPS[ref] ?? "referral"],
        ["source", ref],
      ],
      weight,
    ]);
  }

  make(): DemoDay {
    const { id, views, pings } = this.#site;
    const viewsByHour = this.#viewsByHour(this.#expectedViews());
    const releases = this.#releases();
    const surveys = pings > 0 ? this.#surveys(releases) : [];
    const ofDay = viewsByHour.reduce((sum, n) => sum + n, 0) || 1;
    const over = this.#elapsed / 24;
    const crawlers = views * (0.16 + 0.14 * this.#random()) * over;
    const ofApp = pings * 3 ** (-this.#daysAgo / DEMO_DAYS) * over * (0.94 + 0.12 * this.#random());
    for (const [hour, n] of viewsByHour.entries()) this.#visit(24 * this.#day + hour, n);
    this.#ping(this.#round(ofApp), releases);
    this.#spread("interaction", ofDay * (0.68 + 0.06 * this.#random()), "hi", INTERACTIONS);
    this.#spread("crawler", crawlers, "bot_kind", CRAWLERS);
    this.#add({
      kind: "synthetic",
      flags: 0,
      values: [],
      moment: this.#anyHour(),
      times: this.#round(crawlers * 0.04),
    });
    return {
      site: id,
      day: this.#day,
      hits: this.#hits,
      surveys,
    };
  }

  #spike() {
    for (const [ago, times, ref, path] of this.#site.spikes) {
      const after = ago - this.#daysAgo;
      if (after >= 0 && after < 6) return { extra: (times - 1) * 0.42 ** after, ref, path };
    }
    return null;
  }

  get #isWeekend(): boolean {
    return this.#weekday === 0 || this.#weekday === 6;
  }

  #expectedViews(): number {
    const { views, growth, weekend } = this.#site;
    const age = this.#daysAgo / DEMO_DAYS;
    const season = 1 + 0.08 * Math.sin((this.#daysAgo / 365) * 2 * Math.PI);
    const chance = 0.88 + 0.24 * this.#random();
    const rest = this.#isWeekend ? weekend : 1;
    return views * growth ** -age * rest * season * chance * (1 + (this.#spike()?.extra ?? 0));
  }

  /** Draws the views of each hour; an unfinished day has its past hours only. */
  #viewsByHour(expected: number): number[] {
    const late = this.#isWeekend ? 2 : 0;
    const all = HOURS.reduce((sum, weight) => sum + weight, 0);
    const hours: number[] = [];
    for (let hour = 0; hour < this.#elapsed; hour++) {
      const weight = HOURS[(hour - late + 24) % 24] ?? 0;
      const over = Math.min(1, this.#elapsed - hour);
      hours.push(Math.round((expected * weight * over * (0.8 + 0.4 * this.#random())) / all));
    }
    return hours;
  }

  /** The views of an hour, visit by visit. */
  #visit(moment: number, views: number): void {
    for (let left = views; left > 0; ) {
      const pages = Math.min(left, this.#pages());
      const times = Math.min(Math.floor(left / pages), this.#alike());
      left -= pages * times;
      const context = this.#context();
      const isNew = this.#random() < NEW_VISITORS;
      const seen = new Set<string>();
      for (let page = 0; page < pages; page++) {
        const path = this.#pick(this.#paths);
        let flags = 0;
        if (page === 0) flags |= FLAG.session | (isNew ? FLAG.visitor : 0);
        if (page === 0 && this.#random() < BOUNCES) flags |= FLAG.bounce;
        if (page === 1) flags |= FLAG.engaged;
        if (isNew && !seen.has(path)) flags |= FLAG.pathVisitor;
        seen.add(path);
        // A later page is opened from within the site.
        const from = page === 0 ? [] : this.#fromInside;
        const values: HitValues = [
          ["path", path],
          ...context.filter(([name]) => from.every(([other]) => other !== name)),
          ...from,
        ];
        const again: HitValues = page === 0 && isNew ? [["again", this.#pick(LAST_HERE)]] : [];
        this.#add({ moment, kind: "view", flags, times, values: [...values, ...again] });
        if (this.#read() < READ_SHARE) {
          const read: HitValues = [
            ["time", this.#pick(READ_TIMES, this.#read)],
            ["depth", this.#pick(READ_DEPTHS, this.#read)],
          ];
          this.#add({ moment, kind: "event", flags: READING, times, values: [...values, ...read] });
        }
        if (this.#read() < SUBSCRIBE_SHARE) {
          const plan = this.#pick(PLANS, this.#read);
          const event: HitValues = [
            ["event", "subscribe"],
            ["event_prop", `plan=${plan}`],
            ["event_value", PRICES[plan] ?? "0"],
          ];
          this.#add({ moment, kind: "event", flags: 0, times: 1, values: [...values, ...event] });
        }
        if (this.#random() >= EVENT_SHARE) continue;
        const event: HitValues = [
          ...values,
          ["event", this.#pick(EVENTS)],
          ["event_target", this.#pick(this.#site.targets)],
        ];
        this.#add({ moment, kind: "event", flags: 0, times, values: event });
      }
    }
  }

  get #fromInside(): HitValues {
    return [
      ["ref", new URL(this.#site.host).host],
      ["ref_group", "internal"],
    ];
  }

  #alike(): number {
    return 1 + Math.floor(this.#random() * MOST_ALIKE);
  }

  #pages(): number {
    if (this.#random() < BOUNCES) return 1;
    const more = (this.#site.viewsPerVisit - BOUNCES) / (1 - BOUNCES) - 2;
    // A geometric distribution with that average.
    let pages = 2;
    while (this.#random() < more / (more + 1)) pages++;
    return pages;
  }

  /** Values that each view of a visit has. */
  #context(): HitValues {
    return [
      ...this.#pick(this.#referrers),
      ...this.#pick(PLACES),
      ...this.#pick(BROWSERS),
      ...(this.#random() < CAMPAIGN_SHARE ? this.#pick(CAMPAIGNS) : []),
    ];
  }

  #ping(pings: number, releases: Weights): void {
    for (let left = pings; left > 0; ) {
      const times = Math.min(left, this.#alike());
      left -= times;
      const values: HitValues = [
        ...this.#pick(APP_SYSTEMS),
        ["app_tz_offset", this.#pick(APP_OFFSETS)],
        ["app_version", this.#pick(releases)],
        ...this.#devices(0.2).map((device) => ["app_device", device] as const),
      ];
      this.#add({ moment: this.#anyHour(), kind: "ping", flags: 0, times, values });
    }
  }

  /** Draws one device, or at this chance two. */
  #devices(chance: number): string[] {
    const devices = new Set([this.#pick(APP_DEVICES)]);
    if (this.#random() < chance) devices.add("plus");
    return [...devices];
  }

  /** A release is taken up over some weeks and takes its share from the ones before it. */
  #releases(): Weights {
    return APP_RELEASES.filter(([ago]) => ago >= this.#daysAgo).map(([ago, version], i) => [
      version,
      3 ** i * Math.min(1, (ago - this.#daysAgo + 1) / 21),
    ]);
  }

  #surveys(releases: Weights): DemoSurvey[] {
    const random = this.#random;
    if (random() > 0.4 || this.#elapsed < 24) return [];
    const score = Math.min(10, Math.floor(random() * 4 + random() * 4 + 4.5));
    const survey: DemoSurvey = {
      sv: 1,
      v: this.#pick(releases),
      os: this.#pick(APP_SYSTEMS)[0]?.[1] ?? "",
      dv: this.#devices(0.25).join(","),
      a: {
        nps: String(score),
        "found-by": this.#pick(FOUND_BY),
        "missing-most": this.#pick(MISSING_MOST),
      },
    };
    const uses = USED_FOR.filter(() => random() < 0.45);
    if (uses.length > 0) survey.a["used-for"] = uses;
    if (random() < 0.3) survey.f = "short";
    if (random() < 0.35) survey.c = COMMENTS[Math.floor(random() * COMMENTS.length)] ?? "";
    return [survey];
  }

  /** Splits a number of hits by weights, partly at random. All hits of a value come in one hour. */
  #spread(kind: DemoHit["kind"], n: number, dimension: Dimension, list: Weights): void {
    for (const [value, weight] of list) {
      const times = this.#round(((n * weight) / sumOf(list)) * (0.75 + 0.5 * this.#random()));
      this.#add({ moment: this.#anyHour(), kind, flags: 0, times, values: [[dimension, value]] });
    }
  }

  /** A random hour up to now. */
  #anyHour(): number {
    return 24 * this.#day + Math.floor(this.#random() * this.#elapsed);
  }

  #add(hit: DemoHit): void {
    if (hit.times > 0) this.#hits.push(hit);
  }

  /** Rounds up or down at random, with `n` as the average. */
  #round(n: number): number {
    return Math.floor(n + this.#random());
  }

  #pick<T>(weights: Weights<T>, random = this.#random): T {
    let left = random() * sumOf(weights);
    let at = -1;
    while (left >= 0 && at < weights.length - 1) left -= weights[++at]?.[1] ?? 0;
    const [what] = weights[at] as Weights<T>[number];
    return what;
  }
}

/** The sum of each list's weights: many values are drawn from each. */
const sums = new WeakMap<Weights<unknown>, number>();

function sumOf(weights: Weights<unknown>): number {
  let sum = sums.get(weights);
  if (sum === undefined) {
    sum = weights.reduce((all, [, weight]) => all + weight, 0);
    sums.set(weights, sum);
  }
  return sum;
}
