import { OTHER } from "../../../appliance/base/names.ts";
import { MERGEABLE } from "../../../appliance/base/text/dimensions.ts";
import type { Goal } from "../../../appliance/base/text/goals.ts";
import { draftUrl, goalOf } from "../../shared/draft.ts";

/** The lists whose values goals are made of. */
const KINDS: ReadonlyMap<string, Goal["kind"]> = new Map([
  ["path", "page"],
  ["entry", "page"],
  ["event", "event"],
]);

/** Gives the address in the Web UI where a value of a list is made one with another; null where there is none. */
export function mergeUrlOf(webUi: string | null, site: string, list: string) {
  const of = MERGEABLE.find((name) => name === (list === "entry" ? "path" : list));
  if (webUi === null || of === undefined) return null;
  return (value: string): string | null =>
    value === OTHER ? null : draftUrl(webUi, site, { kind: "value", of, value });
}

/** Gives the address in the Web UI where a value of a list becomes a goal; null where there is none. */
export function goalUrlOf(webUi: string | null, site: string, list: string) {
  const kind = KINDS.get(list);
  if (webUi === null || kind === undefined) return null;
  return (value: string): string | null => {
    const draft = value === OTHER ? null : goalOf(kind, value);
    return draft && draftUrl(webUi, site, draft);
  };
}
