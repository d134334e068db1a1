import { DAY_MS } from "../../base/calendar.ts";
import type { UpdateTask } from "./next-task.ts";
import type { SignedFiles, UpdateRecord } from "./record.ts";
import { newWish, nextCheck, nextTry, nightFor, type WishTimes } from "./schedule.ts";

export type CheckOutcome =
  /** `found`: the release that it offers, where that is for this box; `problem`: why it is not. */
  | {
      readonly kind: "checked";
      readonly found: SignedFiles | null;
      readonly problem: string | null;
    }
  /** `problem` is undefined for a failure that is not shown. */
  | { readonly kind: "not-checked"; readonly problem: string | undefined };

export interface Unfinished {
  readonly kind: "unfinished";
  readonly problem: string;
  /** Bytes. */
  readonly came: number;
  /** Whether another try would be useless. */
  readonly isFinal: boolean;
  /** The outcome of a check of the host, made to find the reason. */
  readonly checked?: CheckOutcome;
}

export type UpdateTaskOutcome =
  | CheckOutcome
  | Unfinished
  /** A release is whole. */
  | { readonly kind: "fetched" }
  /** Releases that are not newer than the running one are removed; `isFoundGone`: the offer of the host was one of them. */
  | { readonly kind: "cleaned"; readonly isFoundGone: boolean }
  /** Outcomes without details. */
  | { readonly kind: "done" | "failed" | "stopped" };

/** The pause before a cancelled or failed wish starts again by itself. */
const REST_OF_WISH_MS = DAY_MS;
/** A host that sends this much, and then breaks off, will be done in the end. */
const ENOUGH_BYTES = 1_048_576;

/** The record before a task, so that requests to root are known even after a power cut. */
export function beforeUpdateTask(
  record: UpdateRecord,
  task: UpdateTask,
  boot: string,
): UpdateRecord {
  const { wish } = record;
  if (task.kind !== "request" || wish === null) return record;
  return { ...record, wish: { ...wish, requested: { request: task.request, boot } } };
}

export function afterUpdateTask(
  record: UpdateRecord,
  task: UpdateTask,
  outcome: UpdateTaskOutcome,
  facts: WishTimes,
): UpdateRecord {
  switch (outcome.kind) {
    case "checked":
    case "not-checked":
      return afterCheck(record, outcome, facts);
    case "unfinished":
      return afterFetch(record, outcome, facts);
    case "fetched":
      return { ...record, uploaded: null, problem: null };
    case "cleaned":
      return outcome.isFoundGone ? { ...record, found: null } : record;
    case "done":
      return afterDecision(record, task, facts);
    default:
      return record;
  }
}

/** Removes a wish, with a pause, since an automatic update would start again at once. */
export function withoutWish(
  problem: string | null,
  now: number,
): Pick<UpdateRecord, "wish" | "autoAfter" | "problem"> {
  return { wish: null, autoAfter: now + REST_OF_WISH_MS, problem };
}

function afterCheck(
  record: UpdateRecord,
  outcome: CheckOutcome,
  { clock, random }: WishTimes,
): UpdateRecord {
  const now = clock.now();
  if (outcome.kind === "checked") {
    const { found, problem } = outcome;
    const nextCheckAt = nextCheck(now, "next", random());
    return { ...record, found, problem, checkedAt: now, nextCheckAt };
  }
  const { problem = record.problem } = outcome;
  return { ...record, problem, nextCheckAt: nextCheck(now, "again", random()) };
}

function afterFetch(
  kept: UpdateRecord,
  { problem, came, isFinal, checked }: Unfinished,
  facts: WishTimes,
): UpdateRecord {
  const record = checked === undefined ? kept : afterCheck(kept, checked, facts);
  const { wish } = record;
  if (wish === null) return record;
  const now = facts.clock.now();
  const failures = came >= ENOUGH_BYTES ? 1 : wish.failures + 1;
  const retryAt = isFinal ? undefined : nextTry(now, failures, wish.when);
  if (retryAt === undefined) return { ...record, ...withoutWish(problem, now) };
  return { ...record, wish: { ...wish, failures, retryAt }, problem };
}

function afterDecision(record: UpdateRecord, task: UpdateTask, facts: WishTimes): UpdateRecord {
  const { wish } = record;
  const now = facts.clock.now();
  switch (task.kind) {
    case "plan-check":
      return { ...record, nextCheckAt: nextCheck(task.from, "first", facts.random()) };
    case "wish": {
      const { release, before } = task;
      const what = { release, when: "tonight", isByItself: true, before } as const;
      return { ...record, wish: newWish(what, facts) };
    }
    case "tonight":
      return wish === null
        ? record
        : { ...record, wish: { ...wish, restartsAt: nightFor(wish, facts) } };
    case "end":
      // The owner may have another wish by now.
      return wish === task.wish ? { ...record, ...withoutWish(task.problem, now) } : record;
    default:
      return record;
  }
}
