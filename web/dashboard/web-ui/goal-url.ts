import { OTHER } from "../../../appliance/base/names.ts";
import type { Goal } from "../../../appliance/base/text/goals.ts";
import { draftUrl, goalOf } from "../../shared/draft.ts";

/** The lists whose values goals are made of. */
const KINDS: ReadonlyMap<string, Goal["kind"]> = new Map([
  ["path", "page"],
  ["entry", "page"],
  ["event", "event"],
]);

/** Gives the address in the Web UI where a value of a list becomes a goal; null where there is none. */
export function goalUrlOf(webUi: string | null, site: string, list: string) {
  const kind = KINDS.get(list);
  if (webUi === null || kind === undefined) return null;
  return (value: string): string | null => {
    const draft = value === OTHER ? null : goalOf(kind, value);
    return draft && draftUrl(webUi, site, draft);
  };
}
