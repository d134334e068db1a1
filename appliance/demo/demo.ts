import { DAY_MS, dayOf, HOUR_MS } from "../base/calendar.ts";
import { randomFrom } from "../base/random.ts";
import {
  APP_DEVICES,
  APP_OFFSETS,
  APP_RELEASES,
  APP_SYSTEM_VERSIONS,
  APP_SYSTEMS,
  BROWSERS,
  CAMPAIGNS,
  COMMENTS,
  COUNTRIES,
  CRAWLERS,
  DEVICES,
  type DemoSite,
  EVENTS,
  FOUND_BY,
  HOURS,
  INTERACTIONS,
  LANGUAGES,
  MISSING_MOST,
  REF_GROUPS,
  SITES,
  SYSTEMS,
  TARGETS,
  USED_FOR,
  VIEWPORTS,
  type Weights,
  ZONES,
} from "./world.ts";

/**
 * The data behind `--demo`: 400 days of two sites, made up but of one piece. The same seed, days
 * and hour always give the same counts. Nothing here knows where they are kept.
 */

/** One day of one site: what the collector would have counted and the surveys it would have stored. */
export interface DemoDay {
  site: string;
  /** `YYYY-MM-DD` */
  day: string;
  /** dimension → value → count; a counter is a dimension whose only value is `_` */
  counts: Record<string, Record<string, number>>;
  /** validated survey payloads */
  surveys: DemoSurvey[];
}

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

/**
 * The days up to and including today, oldest first, both sites of each day.
 * @param now milliseconds since 1970 of the clock by which days are counted; of today only what has
 * passed of it is counted
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

class DayMaker {
  readonly #site: DemoSite;
  readonly #date: Date;
  readonly #daysAgo: number;
  readonly #elapsed: number;
  readonly #random: () => number;
  readonly #counts: DemoDay["counts"] = {};

  constructor(site: DemoSite, day: number, daysAgo: number, elapsed: number, seed: number) {
    this.#site = site;
    this.#date = new Date(day * DAY_MS);
    this.#daysAgo = daysAgo;
    this.#elapsed = elapsed;
    this.#random = randomFrom(seed);
  }

  make(): DemoDay {
    const views = this.#countHours(this.#expectedViews());
    this.#countVisits(views);
    this.#countWhatWasSeen(views);
    this.#countBots();
    this.#countApp();
    return {
      site: this.#site.id,
      day: this.#date.toISOString().slice(0, 10),
      counts: this.#counts,
      surveys: this.#site.pings > 0 ? this.#surveys() : [],
    };
  }

  #spike() {
    for (const [ago, times, ref, path] of this.#site.spikes) {
      const after = ago - this.#daysAgo;
      if (after >= 0 && after < 6) return { extra: (times - 1) * 0.42 ** after, ref, path };
    }
    return null;
  }

  #expectedViews(): number {
    const { views, growth, weekend } = this.#site;
    const age = this.#daysAgo / DEMO_DAYS;
    const weekday = this.#date.getUTCDay();
    const season = 1 + 0.08 * Math.sin((this.#daysAgo / 365) * 2 * Math.PI);
    const chance = 0.88 + 0.24 * this.#random();
    const rest = weekday === 0 || weekday === 6 ? weekend : 1;
    return views * growth ** -age * rest * season * chance * (1 + (this.#spike()?.extra ?? 0));
  }

  /** Files the day's views under its hours, of a day that is not over only those that were. */
  #countHours(expected: number): number {
    const weekday = this.#date.getUTCDay();
    const late = weekday === 0 || weekday === 6 ? 2 : 0;
    const all = HOURS.reduce((sum, weight) => sum + weight, 0);
    let views = 0;
    for (let hour = 0; hour < this.#elapsed; hour++) {
      const weight = HOURS[(hour - late + 24) % 24] ?? 0;
      const over = Math.min(1, this.#elapsed - hour);
      const n = Math.round((expected * weight * over * (0.8 + 0.4 * this.#random())) / all);
      const text = String(hour).padStart(2, "0");
      this.#add("hour", text, n);
      this.#add("dowhour", `${weekday}-${text}`, n);
      views += n;
    }
    this.#add("pv", "_", views);
    return views;
  }

  #countVisits(views: number): void {
    const visitors = Math.round(
      views / (this.#site.viewsPerVisit * (0.92 + 0.16 * this.#random())),
    );
    const sessions = Math.round(visitors * (1.08 + 0.06 * this.#random()));
    this.#add("uv", "_", visitors);
    this.#add("sessions", "_", sessions);
    this.#spreadHours("uv", visitors);
    this.#spreadHours("sessions", sessions);
    const left = Math.round(sessions * (0.36 + 0.1 * this.#random()));
    this.#add("engaged", "_", sessions - left);
    this.#spreadHours("engaged", sessions - left);
    // Told by the browser's next session, so the newest days know of fewer.
    const known = Math.min(1, 0.45 + this.#daysAgo * 0.08);
    this.#add("bounce", "_", Math.round(left * known));
  }

  #countWhatWasSeen(views: number): void {
    const { id, host, paths, referrers } = this.#site;
    const spike = this.#spike();
    const more = (list: Weights, value?: string): Weights =>
      spike && value ? [...list.filter(([v]) => v !== value), [value, 90 * spike.extra]] : list;
    this.#spread("path", views, more(paths, spike?.path));
    this.#spread("ref", views, more(referrers, spike?.ref));
    for (const [ref, n] of Object.entries(this.#counts.ref ?? {})) {
      this.#add("ref_group", REF_GROUPS[ref] ?? "referral", n);
    }
    this.#add("host", host, views);
    this.#spread("country", views, COUNTRIES);
    this.#spread("lang", views, LANGUAGES);
    this.#spread("tz", views, ZONES);
    this.#spread("browser", views, BROWSERS);
    this.#spread("os", views, SYSTEMS);
    this.#spread("device", views, DEVICES);
    this.#spread("viewport", views, VIEWPORTS);
    this.#spread("hi", Math.round(views * (0.68 + 0.06 * this.#random())), INTERACTIONS);
    const events = Math.round(views * 0.09);
    this.#spread("event", events, EVENTS);
    this.#spread("event_target", events, TARGETS[id] ?? []);
    this.#countCampaigns(Math.round(views * 0.04));
  }

  #countCampaigns(views: number): void {
    const parts: Record<string, number> = {};
    this.#spreadInto(parts, views, CAMPAIGNS);
    for (const [campaign, n] of Object.entries(parts)) {
      const [source = "", medium = "", name = ""] = campaign.split("|");
      this.#add("utm_source", source, n);
      this.#add("utm_medium", medium, n);
      this.#add("utm_campaign", name, n);
    }
  }

  #countBots(): void {
    const over = this.#elapsed / 24;
    const hits = Math.round(this.#site.views * (0.16 + 0.14 * this.#random()) * over);
    this.#add("bot", "ua", hits);
    const synthetic = Math.round(hits * 0.04);
    this.#add("bot", "synthetic", synthetic);
    this.#spreadHours("bot", hits + synthetic);
    this.#spread("bot_kind", hits, CRAWLERS);
  }

  #countApp(): void {
    const over = (this.#elapsed / 24) * (0.94 + 0.12 * this.#random());
    const pings = Math.round(this.#site.pings * 3 ** (-this.#daysAgo / DEMO_DAYS) * over);
    if (pings === 0) return;
    this.#add("app", "_", pings);
    this.#spreadHours("app", pings);
    this.#spread("app_os", pings, APP_SYSTEMS);
    this.#spread("app_os_version", pings, APP_SYSTEM_VERSIONS);
    this.#spread("app_tz_offset", pings, APP_OFFSETS);
    this.#spread("app_version", pings, this.#releases());
    this.#spread("app_device", Math.round(pings * 1.2), APP_DEVICES);
  }

  /** A release is taken up over some weeks and takes its share from the ones before it. */
  #releases(): Weights {
    return APP_RELEASES.filter(([ago]) => ago >= this.#daysAgo).map(([ago, version], i) => [
      version,
      3 ** i * Math.min(1, (ago - this.#daysAgo + 1) / 21),
    ]);
  }

  #surveys(): DemoSurvey[] {
    const random = this.#random;
    if (random() > 0.4 || this.#elapsed < 24) return [];
    const pick = (list: Weights) => pickOne(list, random());
    const score = Math.min(10, Math.floor(random() * 4 + random() * 4 + 4.5));
    const devices = new Set([pick(APP_DEVICES)]);
    if (random() < 0.25) devices.add("plus");
    const survey: DemoSurvey = {
      sv: 1,
      v: pick(this.#releases()),
      os: pick(APP_SYSTEMS),
      dv: [...devices].join(","),
      a: { nps: String(score), "found-by": pick(FOUND_BY), "missing-most": pick(MISSING_MOST) },
    };
    const uses = USED_FOR.filter(() => random() < 0.45);
    if (uses.length > 0) survey.a["used-for"] = uses;
    if (random() < 0.3) survey.f = "short";
    if (random() < 0.35) survey.c = COMMENTS[Math.floor(random() * COMMENTS.length)] ?? "";
    return [survey];
  }

  /** Spreads a counter over the hours that were as the views were; the parts add up to it. */
  #spreadHours(counter: string, total: number): void {
    this.#spread(`${counter}_hour`, total, Object.entries(this.#counts.hour ?? {}));
  }

  #add(dimension: string, value: string, n: number): void {
    if (n <= 0) return;
    this.#counts[dimension] ??= {};
    const table = this.#counts[dimension];
    table[value] = (table[value] ?? 0) + n;
  }

  #spread(dimension: string, total: number, weights: Weights): void {
    this.#counts[dimension] ??= {};
    this.#spreadInto(this.#counts[dimension], total, weights);
  }

  /** Splits a total by weights with some chance in it; the parts always add up to the total. */
  #spreadInto(into: Record<string, number>, total: number, weights: Weights): void {
    const drawn = weights.map(([, weight]) => weight * (0.75 + 0.5 * this.#random()));
    let open = drawn.reduce((sum, weight) => sum + weight, 0);
    let left = total;
    weights.forEach(([value], i) => {
      const weight = drawn[i] ?? 0;
      const n = open > 0 ? Math.min(left, Math.floor((left * weight) / open + this.#random())) : 0;
      open -= weight;
      left -= n;
      if (n > 0) into[value] = (into[value] ?? 0) + n;
    });
    const first = weights[0]?.[0];
    if (left > 0 && first !== undefined) into[first] = (into[first] ?? 0) + left;
  }
}

function pickOne(weights: Weights, chance: number): string {
  let left = chance * weights.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [value, weight] of weights) {
    left -= weight;
    if (left < 0) return value;
  }
  return weights.at(-1)?.[0] ?? "";
}
