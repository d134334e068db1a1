import {
  readSelection,
  type Selection,
  writeSelection,
} from "../../appliance/base/input/selection.ts";
import type { CrossField } from "../../appliance/traffic/collector/wire.ts";

/**
 * The view that the page shows: all of it is in the address, so that a link shows the same page.
 */
export interface View extends Selection {
  /** empty until a site is chosen */
  site: string;
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

/** Reads a view from the query of an address. Missing and invalid values become the default. */
export function parseView(query: string): View {
  const params = new URLSearchParams(query);
  const get = (key: string) => params.get(key) ?? "";
  const sv = Number(get("sv"));
  return {
    site: get("site"),
    ...readSelection(params),
    filter: get("filter"),
    layout: get("view") === "bars" ? "bars" : "cards",
    open: get("open").split(",").filter(Boolean),
    front: get("front").split(",").filter(Boolean),
    sv: Number.isSafeInteger(sv) && sv > 0 ? sv : null,
    cross: CROSS_KEYS.find((key) => key === get("cross")) ?? "os",
    question: get("question"),
  };
}

/** The query of a view, without defaults. It never has a token. */
export function formatView(view: View): string {
  const params = new URLSearchParams();
  const set = (key: string, value: string, usual = "") => {
    if (value !== usual) params.set(key, value);
  };
  set("site", view.site);
  writeSelection(params, view);
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
