import { type Day, formatDay, parseDay } from "../calendar.ts";
import { type Condition, conditionText, readConditions } from "../text/condition.ts";

/** The part of a dashboard that can be kept under a name: a period of a site, its filters, a figure. */
export interface Selection {
  /** the only source that is shown, by its number or name; empty for all of them */
  source: string;
  tab: "traffic" | "surveys";
  choice: Choice;
  compare: (typeof COMPARES)[number];
  /** the chosen figure; null for the default */
  metric: (typeof METRICS)[number] | null;
  /** the length of time that a point of the chart stands for; null for the usual one */
  unit: (typeof UNITS)[number] | null;
  /** the conditions, in the order of choice */
  where: Condition[];
}

/** The kinds of period; those with a length in days end on any day, `all` is the whole history, `24h` the hours up to now. */
export const PERIOD_LENGTHS = {
  "24h": 2,
  day: 1,
  "7d": 7,
  "14d": 14,
  "30d": 30,
  "90d": 90,
  "365d": 365,
  month: null,
  year: null,
  all: null,
} as const;

type PeriodId = keyof typeof PERIOD_LENGTHS;

/**
 * The chosen period: one that ends today, one that ends on a given day (a month or a year: that contains the day), or any
 * range of days.
 */
export type Choice =
  | { period: PeriodId; end: Day | null }
  | { period: "custom"; from: Day; to: Day };

/**
 * The bases that figures are compared with: the days just before, the same weekdays a year earlier,
 * nothing.
 */
const COMPARES = ["prior", "year", "off"] as const;

/** The figures that a tile can show and the chart can draw. */
export const METRICS = [
  "pv",
  "uv",
  "sessions",
  "viewsPerVisit",
  "bounceRate",
  "engagementRate",
  "returning",
  "interaction",
  "time",
  "app",
  "events",
] as const;

/** The length of time that one place on the x axis stands for. */
export const UNITS = ["hour", "day", "week", "month"] as const;

const DEFAULT_PERIOD = "30d";

const isPeriod = (text: string): text is PeriodId => Object.hasOwn(PERIOD_LENGTHS, text);

/** Whether a period has no other beside it. */
export const isFixed = ({ period }: Pick<Choice, "period">): boolean =>
  period === "all" || period === "24h";

/** Reads a selection from the query of an address. Missing and invalid values become the default. */
export function readSelection(params: URLSearchParams): Selection {
  const get = (key: string) => params.get(key) ?? "";
  return {
    source: get("source"),
    tab: get("tab") === "surveys" ? "surveys" : "traffic",
    choice: readChoice(get("period"), get("from"), get("to")),
    compare: COMPARES.find((compare) => compare === get("compare")) ?? "prior",
    metric: METRICS.find((metric) => metric === get("metric")) ?? null,
    unit: UNITS.find((unit) => unit === get("by")) ?? null,
    where: readConditions(params.getAll("where")),
  };
}

function readChoice(period: string, fromText: string, toText: string): Choice {
  const from = parseDay(fromText);
  const to = parseDay(toText);
  if (from !== undefined && to !== undefined)
    return { period: "custom", from: Math.min(from, to), to: Math.max(from, to) };
  const choice = { period: isPeriod(period) ? period : DEFAULT_PERIOD, end: null };
  return isFixed(choice) ? choice : { ...choice, end: to ?? null };
}

/** Adds a selection to a query, without defaults. */
export function writeSelection(params: URLSearchParams, selection: Selection): void {
  const set = (key: string, value: string, usual = "") => {
    if (value !== usual) params.set(key, value);
  };
  const { choice } = selection;
  set("source", selection.source);
  set("tab", selection.tab, "traffic");
  if (choice.period === "custom") {
    set("from", formatDay(choice.from));
    set("to", formatDay(choice.to));
  } else {
    set("period", choice.period, DEFAULT_PERIOD);
    if (choice.end !== null) set("to", formatDay(choice.end));
  }
  set("compare", selection.compare, "prior");
  set("metric", selection.metric ?? "");
  set("by", selection.unit ?? "");
  for (const one of selection.where) params.append("where", conditionText(one));
}

/** A selection of a site that has a name. */
export interface SavedView {
  readonly name: string;
  /** As `selectionQuery` writes it. */
  readonly query: string;
}

export interface SavedViews {
  readonly views: readonly SavedView[];
}

/** Saved views of a site, and characters of their names and queries. */
export const SAVED_VIEW_LIMITS = { views: 20, name: 40, query: 2_000 } as const;

/** The query of a selection alone, the same for the same one: its conditions are in the order of letters. */
export function selectionQuery(selection: Selection): string {
  const params = new URLSearchParams();
  writeSelection(params, selection);
  const where = params.getAll("where").sort();
  params.delete("where");
  for (const text of where) params.append("where", text);
  return params.toString();
}
