import { parseDay } from "../../appliance/base/calendar.ts";
import {
  readSelection,
  SAVED_VIEW_LIMITS,
  selectionQuery,
} from "../../appliance/base/input/selection.ts";
import {
  type Condition,
  conditionText,
  MAX_CONDITIONS,
  readCondition,
} from "../../appliance/base/text/condition.ts";
import { MERGEABLE, type ValueRule } from "../../appliance/base/text/dimensions.ts";
import { GOAL_KINDS, type Goal } from "../../appliance/base/text/goals.ts";

/**
 * The content of a form on a site's page in the Web UI, as a link of the dashboard fills it in. It does nothing before the
 * owner presses the button there.
 */
export type Draft =
  | { kind: "share"; where: readonly Condition[] }
  /** on a day like `2026-01-31` */
  | { kind: "mark"; day: string }
  | { kind: "goal"; of: Goal["kind"]; value: string }
  /** a value that is to be made one with another */
  | { kind: "value"; of: ValueRule["dimension"]; value: string }
  /** as `selectionQuery` writes it */
  | { kind: "view"; query: string };

/** The draft of one kind. */
export type DraftOf<Kind extends Draft["kind"]> = Extract<Draft, { kind: Kind }>;

/** The address of a site's page with a draft. @param webUi without a slash at the end */
export function draftUrl(webUi: string, site: string, draft: Draft): string {
  const params = new URLSearchParams({ tab: "sites", site });
  for (const text of textsOf(draft)) params.append(draft.kind, text);
  return `${webUi}/?${params}`;
}

function textsOf(draft: Draft): string[] {
  if (draft.kind === "mark") return [draft.day];
  if (draft.kind === "view") return [draft.query];
  if (draft.kind === "goal" || draft.kind === "value") return [`${draft.of}:${draft.value}`];
  return draft.where.length === 0 ? [""] : draft.where.map(conditionText);
}

/** Reads a draft from the query of an address, which anybody may have made; null where there is none, or any part of it is wrong. */
export function readDraft(params: URLSearchParams): Draft | null {
  if (params.has("share")) return shareOf(params.getAll("share").filter(Boolean));
  const view = params.get("view");
  if (view !== null) return viewOf(view);
  const day = params.get("mark");
  if (day !== null) return parseDay(day) === undefined ? null : { kind: "mark", day };
  const [named, one = ""] = partsOf(params.get("value"));
  const dimension = MERGEABLE.find((name) => name === named);
  if (dimension !== undefined)
    return isStored(one) ? { kind: "value", of: dimension, value: one } : null;
  const [kind, value = ""] = partsOf(params.get("goal"));
  const of = GOAL_KINDS.find((name) => name === kind);
  return of === undefined ? null : goalOf(of, value);
}

/** The name and the value of `name:value`. */
const partsOf = (text: string | null): readonly string[] =>
  /^([a-z_]+):(.+)$/.exec(text ?? "")?.slice(1) ?? [];

/** The goal of an event or a page; null for a value that can be none. */
export function goalOf(of: Goal["kind"], value: string): DraftOf<"goal"> | null {
  // A star at the end takes in others.
  const isNamed = !value.endsWith("*") && (of === "event" || value.startsWith("/"));
  return isNamed && isStored(value) ? { kind: "goal", of, value } : null;
}

/** A link without one of its filters would show more than was meant, so all of them are right or there is none. */
function shareOf(texts: readonly string[]): Draft | null {
  const where = texts.flatMap((text) => readCondition(text) ?? []);
  return texts.length <= MAX_CONDITIONS &&
    where.length === texts.length &&
    where.every(({ value }) => isStored(value))
    ? { kind: "share", where }
    : null;
}

/** A view in any other form is none of the dashboard's, and may lack one of its filters. */
function viewOf(query: string): Draft | null {
  if (query.length > SAVED_VIEW_LIMITS.query) return null;
  const selection = readSelection(new URLSearchParams(query));
  const isWhole =
    selectionQuery(selection) === query && selection.where.every(({ value }) => isStored(value));
  return isWhole ? { kind: "view", query } : null;
}

/** The characters of the longest value that is stored. */
const MAX_CHARACTERS = 128;

/** Whether a value is like those that the dashboard has. */
const isStored = (value: string): boolean =>
  [...value].length <= MAX_CHARACTERS && !/[\p{Cc}\p{Surrogate}]/u.test(value);
