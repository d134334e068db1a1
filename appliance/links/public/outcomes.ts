import { HOUR_MS } from "../../base/calendar.ts";
import type { DnsAnswer } from "./dns/answer.ts";
import { failedAgain, ORDERS_WINDOW_MS, recent, VALIDATIONS_WINDOW_MS, WEEK_MS } from "./limits.ts";
import { isServing, type PublicTaskFacts } from "./machine.ts";
import { countedBy, type PublicRecord, settled } from "./record.ts";
import { withWindow } from "./renewal.ts";
import type { PortAnswer } from "./router/mapping.ts";
import {
  type CaFailure,
  type CaFailureKind,
  FROM_OUTSIDE,
  type PublicOutcome,
  type PublicTask,
} from "./tasks.ts";

type Address = Omit<NonNullable<PublicRecord["address"]>, "at">;

/**
 * Failures after which there may be a certificate all the same, and the CA may have counted the
 * try.
 */
const IN_DOUBT: readonly CaFailureKind[] = ["unreachable", "bad-answer", "server"];

/** The time at which a task ended, and a random number from 0 to 1. */
interface EndedTaskFacts extends PublicTaskFacts {
  readonly random: number;
}

/** The most remembered orders, those of other names included. It is enough for an owner who changes names all day. */
const MOST_ORDERS = 60;
const LONGEST_DETAIL = 300;

/** Whether a task has effects outside of this box. Such a task is recorded before it runs. */
export const isCounted = ({ kind }: PublicTask): boolean =>
  ["open-port", "tell-dns", "test", "order"].includes(kind);

/**
 * A mapping that a router may have granted without our knowing: of the kind that does not end by
 * itself.
 */
const PERHAPS = { by: "igd", externalPort: 443, lifetimeS: 0, isGranted: false } as const;

/**
 * The record before a task that counts: as if the box lost its power in the middle of it, and
 * its end were never known.
 */
export function beforeTask(
  kept: PublicRecord,
  task: PublicTask,
  facts: PublicTaskFacts,
): PublicRecord {
  const record = settled(kept, facts.settings, facts.now);
  const { now, settings } = facts;
  const validations = [...recent(record.validations, VALIDATIONS_WINDOW_MS, now), now];
  switch (task.kind) {
    case "open-port":
      return {
        ...record,
        mapping: record.mapping ?? { ...PERHAPS, internalPort: facts.port, at: now },
      };
    case "tell-dns": {
      const { failure = null } = record.dns ?? {};
      const beforeAt = record.toldAt;
      const dns = { at: now, v4: task.v4, result: "asked", why: "", failure, beforeAt } as const;
      return { ...record, dns, toldAt: now, lookUp: null };
    }
    case "test": {
      const tests = [...recent(record.tests, HOUR_MS, now), now];
      return { ...record, tests, ...(settings.directory !== "" && { validations }) };
    }
    case "order": {
      const orders = record.orders
        .filter(({ at }) => at > now - ORDERS_WINDOW_MS)
        .slice(-MOST_ORDERS);
      const order = { at: now, about: countedBy(settings) };
      return { ...record, validations, orders: [...orders, order] };
    }
    default:
      return record;
  }
}

export function afterTask(
  kept: PublicRecord,
  task: PublicTask,
  outcome: PublicOutcome,
  facts: EndedTaskFacts,
): PublicRecord {
  const record = settled(kept, facts.settings, facts.now);
  const { now } = facts;
  switch (outcome.kind) {
    case "closed":
      return closed(record, outcome.isGone, now);
    case "address":
      return atAddress(record, { ...outcome.address, isSeen: false }, now);
    case "told":
      return told(record, outcome.answer, facts);
    case "looked-up": {
      const tries = (record.lookUp?.tries ?? 0) + 1;
      return { ...record, lookUp: { at: now, tries, result: outcome.result } };
    }
    case "port": {
      const { answer, address } = outcome;
      const found = address && { ...address, isSeen: false };
      return asked(found ? atAddress(record, found, now) : record, task, answer, now);
    }
    case "window":
    case "no-window":
      return facts.served === undefined
        ? record
        : withWindow(record, facts.served, outcome.kind === "window" ? outcome : undefined, facts);
    case "passed":
      return passed(record, outcome.by443, facts);
    case "issued":
      return issued(record, now);
    case "ca":
      return failed(record, task, outcome, facts);
    case "stopped":
      return record;
  }
}

/**
 * The record after closing the port. A mapping that could not be removed ends after its life; a permanent one is forgotten
 * after a week, since its router seems to be gone.
 */
function closed(record: PublicRecord, isGone: boolean, now: number): PublicRecord {
  const { mapping } = record;
  const lifeMs = (mapping?.lifetimeS ?? 0) * 1_000 || WEEK_MS;
  const isOver = mapping !== null && mapping.at + lifeMs <= now;
  return isGone || isOver
    ? { ...record, mapping: null, port: null }
    : { ...record, port: { at: now, answer: "failed" } };
}

/** The record at another address, where earlier findings are void. */
function atAddress(record: PublicRecord, found: Address, now: number): PublicRecord {
  const { address: last } = record;
  const address = { ...found, at: now };
  if (last === null) return { ...record, address };
  // A missing answer about the address is no change of it.
  if (found.v4 === null && found.standing === "unknown")
    return { ...record, address: { ...last, at: now } };
  const isSame = last.v4 === found.v4 && last.standing === found.standing;
  return { ...record, address, ...(!isSame && { lookUp: null, trouble: null }) };
}

/** Takes the address that the provider has seen, where the router reports none. */
function told(
  record: PublicRecord,
  answer: DnsAnswer,
  { now, random }: EndedTaskFacts,
): PublicRecord {
  const { dns } = record;
  if (dns === null) return record;
  if (answer.kind === "done") {
    const done = { ...record, dns: { ...dns, result: "done" as const, failure: null } };
    const seen = answer.seen?.v4;
    return dns.v4 === null && seen !== undefined
      ? atAddress(done, { v4: seen, standing: "unknown", isSeen: true }, now)
      : done;
  }
  const why = answer.why.slice(0, LONGEST_DETAIL);
  if (answer.kind === "later") {
    const failure = failedAgain(dns.failure, { now, random, retryAfterMs: answer.afterMs });
    return { ...record, dns: { ...dns, result: "later", why, failure } };
  }
  // A change of the settings ends the wait.
  return {
    ...record,
    toldAt: dns.beforeAt,
    dns: { ...dns, result: "refused", why, failure: null },
  };
}

/**
 * A router that does not answer, or refuses for a moment, may still lead the port here: it is to be
 * taken back. Where it leads to another device, it is that one's.
 */
function asked(
  record: PublicRecord,
  task: PublicTask,
  answer: PortAnswer,
  now: number,
): PublicRecord {
  const mayBeOpen = task.kind === "open-port" && task.mayBeOpen && answer.kind !== "conflict";
  const granted = answer.kind === "open" && { ...answer.mapping, at: now, isGranted: true };
  const mapping = granted || (mayBeOpen ? record.mapping : null);
  const said = answer.kind === "refused" ? answer.why : answer.kind;
  const { answer: before, since = 0, tries = 0 } = record.port ?? {};
  // A refusal by a router that has never opened a port says nothing about a rule of the owner's.
  const isOther = said !== before && (granted !== false || record.mapping?.isGranted === true);
  const port = {
    at: now,
    answer: said,
    since: isOther ? now : since,
    tries: granted === false ? tries + 1 : 0,
  };
  return { ...record, port, mapping };
}

const withoutLast = (times: readonly number[]) => times.slice(0, -1);

function passed(record: PublicRecord, by443: boolean, facts: EndedTaskFacts): PublicRecord {
  const { trouble, validations } = record;
  const { now, settings } = facts;
  const open = {
    ...record,
    outside: { at: now, isOpen: true, by443 },
    ...(settings.directory !== "" && { validations: withoutLast(validations) }),
  };
  if (trouble === null || !FROM_OUTSIDE.includes(trouble.kind)) return open;
  // The number of failures is reset only once there is a certificate.
  return { ...open, trouble: isServing(facts) ? null : { ...trouble, waitMs: 0 } };
}

function issued(record: PublicRecord, now: number): PublicRecord {
  const outside = { at: now, isOpen: true, by443: record.outside?.by443 ?? true };
  const validations = withoutLast(record.validations);
  return { ...record, outside, validations, trouble: null, limit: null, renewal: null };
}

function failed(
  record: PublicRecord,
  task: PublicTask,
  { failure: kind, detail, retryAfterMs, byV6 = false }: CaFailure,
  { now, random, settings }: EndedTaskFacts,
): PublicRecord {
  const isShut = FROM_OUTSIDE.includes(kind);
  const again = failedAgain(record.trouble, { now, random, retryAfterMs });
  const trouble = { ...again, kind, detail: detail.slice(0, LONGEST_DETAIL), byV6 };
  const validates = isShut || kind === "caa";
  const isCountedHere = task.kind === "order" || settings.directory !== "";
  const before = withoutLast(record.validations);
  return {
    ...record,
    trouble,
    outside: isShut ? { at: now, isOpen: false, by443: false } : record.outside,
    // The CA counts it from when it failed, which is later than when it was begun.
    ...(isCountedHere && {
      validations: validates || IN_DOUBT.includes(kind) ? [...before, now] : before,
    }),
    ...(task.kind === "order" &&
      !IN_DOUBT.includes(kind) && { orders: record.orders.slice(0, -1) }),
    ...(kind === "limit" && {
      limit: { at: now, waitMs: again.waitMs, about: countedBy(settings) },
    }),
  };
}
