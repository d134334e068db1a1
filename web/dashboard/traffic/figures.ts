import { NO_FIGURE, percent, ratio, whole } from "../../shared/format.ts";
import { type DayRange, type History, seriesOf, sumByDay } from "../history.ts";

/** What a tile can show and the trend chart can draw. */
export const METRICS = [
  "pv",
  "uv",
  "sessions",
  "viewsPerVisit",
  "bounceRate",
  "engagementRate",
  "interaction",
  "app",
] as const;
export type Metric = (typeof METRICS)[number];

interface MetricFacts {
  name: string;
  help: string;
  unit: "count" | "ratio" | "rate";
  /** a smaller number is the better one */
  lessIsBetter?: true;
}

export const METRIC_FACTS: Record<Metric, MetricFacts> = {
  pv: { name: "Pageviews", unit: "count", help: "Pages opened by people. Bots are never in it." },
  uv: {
    name: "Visitors",
    unit: "count",
    help: "Browsers seen, once a UTC day each: someone who comes on three days counts three times.",
  },
  sessions: {
    name: "Sessions",
    unit: "count",
    help: "Visits. A new one begins after 30 minutes without a view.",
  },
  viewsPerVisit: {
    name: "Views per visit",
    unit: "ratio",
    help: "Pageviews divided by visitors.",
  },
  bounceRate: {
    name: "Bounce rate",
    unit: "rate",
    lessIsBetter: true,
    help: "Sessions with a single view. Known only when the visitor comes back, so the newest days read low.",
  },
  engagementRate: {
    name: "Engagement rate",
    unit: "rate",
    help: "Sessions that were no bounce: 100% minus the bounce rate.",
  },
  interaction: {
    name: "Human interaction",
    unit: "rate",
    help: "Views in which somebody clicked, tapped, scrolled or typed.",
  },
  app: {
    name: "App pings",
    unit: "count",
    help: "Desktop apps that reported in. An app sends at most one a UTC day.",
  },
};

/** The sums the figures are made of. */
export interface Sums {
  pv: number;
  uv: number;
  sessions: number;
  bounce: number;
  hi: number;
  app: number;
}

const share = (part: number, base: number): number | null => (base > 0 ? part / base : null);

/** A figure from its sums; null where it has no base. */
export function figure(metric: Metric, sums: Sums): number | null {
  switch (metric) {
    case "viewsPerVisit":
      return share(sums.pv, sums.uv);
    case "bounceRate":
      return share(sums.bounce, sums.sessions);
    case "engagementRate": {
      const bounced = share(sums.bounce, sums.sessions);
      return bounced === null ? null : 1 - bounced;
    }
    case "interaction":
      return share(sums.hi, sums.pv);
    default:
      return sums[metric];
  }
}

/** The sums of each day of a range. */
export function sumsByDay(history: History, range: DayRange): Sums[] {
  const columns = {
    pv: seriesOf(history, "pv", range),
    uv: seriesOf(history, "uv", range),
    sessions: seriesOf(history, "sessions", range),
    app: seriesOf(history, "app", range),
    bounce: sumByDay(history, "bounce", range),
    hi: sumByDay(history, "hi", range),
  };
  return Array.from(columns.pv, (pv, i) => ({
    pv,
    uv: columns.uv[i] ?? 0,
    sessions: columns.sessions[i] ?? 0,
    app: columns.app[i] ?? 0,
    bounce: columns.bounce[i] ?? 0,
    hi: columns.hi[i] ?? 0,
  }));
}

export function addUp(days: Sums[]): Sums {
  const sums: Sums = { pv: 0, uv: 0, sessions: 0, bounce: 0, hi: 0, app: 0 };
  for (const day of days) {
    for (const key of Object.keys(sums) as (keyof Sums)[]) sums[key] += day[key];
  }
  return sums;
}

/** A figure as text: `1,234`, `1.83`, `42%`, or `–` without a base. */
export function figureText(metric: Metric, value: number | null): string {
  if (value === null) return NO_FIGURE;
  const { unit } = METRIC_FACTS[metric];
  return unit === "count" ? whole(value) : unit === "ratio" ? ratio(value) : percent(value);
}

interface Delta {
  /** `+12%`, `−3.1 pts`, `±0%`, or `–` where there is nothing to compare with */
  text: string;
  verdict: "good" | "bad" | "same" | "none";
}

const TENTH = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
const ONE = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

/** How a figure moved: rates in percentage points, everything else in percent of what it was. */
export function delta(metric: Metric, now: number | null, before: number | null): Delta {
  const facts = METRIC_FACTS[metric];
  if (now === null || before === null) return { text: NO_FIGURE, verdict: "none" };
  const isRate = facts.unit === "rate";
  if (!isRate && before === 0) return { text: NO_FIGURE, verdict: "none" };
  const change = isRate ? (now - before) * 100 : ((now - before) / before) * 100;
  const size = Math.abs(change);
  const text = isRate || size < 10 ? TENTH.format(size) : ONE.format(size);
  const unit = isRate ? " pts" : "%";
  if (text === "0") return { text: `±0${unit}`, verdict: "same" };
  const better = change > 0 !== (facts.lessIsBetter ?? false);
  return { text: `${change > 0 ? "+" : "−"}${text}${unit}`, verdict: better ? "good" : "bad" };
}
