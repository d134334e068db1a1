import { formatDay, parseDay } from "../../appliance/base/calendar.ts";
import { type Condition, conditionText } from "../../appliance/base/text/condition.ts";
import type { CrossField } from "../../appliance/traffic/collector/wire.ts";
import { parseWhere } from "./filters/where.ts";
import { type Choice, COMPARES, type Compare, isPeriod } from "./period/period.ts";
import { METRICS, type Metric } from "./traffic/figures.ts";
import { UNITS, type Unit } from "./traffic/trend-model.ts";

/**
 * The view that the page shows: all of it is in the address, so that a link shows the same page.
 */
export interface View {
  /** empty until a site is chosen */
  site: string;
  /** the only source that is shown, by its number or name; empty for all of them */
  source: string;
  tab: "traffic" | "surveys";
  choice: Choice;
  compare: Compare;
  /** the chosen metric; null for the default */
  metric: Metric | null;
  /** the length of time that a point of the chart stands for; null for the usual one */
  unit: Unit | null;
  /** the conditions, in the order of choice */
  where: Condition[];
  filter: string;
  layout: "cards" | "bars";
  /** dimensions that show all of their values */
  open: string[];
  /** dimensions with a chosen tab, where that is not the first of its card */
  front: string[];
  /** survey version; null for the newest that was answered */
  sv: number | null;
  cross: CrossField;
  /** the question of the cross-table; empty for the first one */
  question: string;
}

export const CROSS_KEYS: readonly CrossField[] = ["os", "dv", "v", "f"];

const DEFAULT_PERIOD = "30d";

/** Reads a view from the query of an address. Missing and invalid values become the default. */
export function parseView(query: string): View {
  const params = new URLSearchParams(query);
  const get = (key: string) => params.get(key) ?? "";
  const sv = Number(get("sv"));
  return {
    site: get("site"),
    source: get("source"),
    tab: get("tab") === "surveys" ? "surveys" : "traffic",
    choice: parseChoice(get("period"), get("from"), get("to")),
    compare: COMPARES.find((compare) => compare === get("compare")) ?? "prior",
    metric: METRICS.find((metric) => metric === get("metric")) ?? null,
    unit: UNITS.find((unit) => unit === get("by")) ?? null,
    where: parseWhere(params.getAll("where")),
    filter: get("filter"),
    layout: get("view") === "bars" ? "bars" : "cards",
    open: get("open").split(",").filter(Boolean),
    front: get("front").split(",").filter(Boolean),
    sv: Number.isSafeInteger(sv) && sv > 0 ? sv : null,
    cross: CROSS_KEYS.find((key) => key === get("cross")) ?? "os",
    question: get("question"),
  };
}

function parseChoice(period: string, fromText: string, toText: string): Choice {
  const from = parseDay(fromText);
  const to = parseDay(toText);
  if (from !== undefined && to !== undefined)
    return { period: "custom", from: Math.min(from, to), to: Math.max(from, to) };
  const known = isPeriod(period) ? period : DEFAULT_PERIOD;
  return { period: known, end: known === "all" ? null : (to ?? null) };
}

/** The query of a view, without defaults. It never has a token. */
export function formatView(view: View): string {
  const params = new URLSearchParams();
  const set = (key: string, value: string, usual = "") => {
    if (value !== usual) params.set(key, value);
  };
  const { choice } = view;
  set("site", view.site);
  set("source", view.source);
  set("tab", view.tab, "traffic");
  if (choice.period === "custom") {
    set("from", formatDay(choice.from));
    set("to", formatDay(choice.to));
  } else {
    set("period", choice.period, DEFAULT_PERIOD);
    if (choice.end !== null) set("to", formatDay(choice.end));
  }
  set("compare", view.compare, "prior");
  set("metric", view.metric ?? "");
  set("by", view.unit ?? "");
  for (const one of view.where) params.append("where", conditionText(one));
  set("filter", view.filter);
  set("view", view.layout, "cards");
  set("open", view.open.join(","));
  set("front", view.front.join(","));
  set("sv", view.sv === null ? "" : String(view.sv));
  set("cross", view.cross, "os");
  set("question", view.question);
  const text = params.toString();
  return text === "" ? "" : `?${text}`;
}
