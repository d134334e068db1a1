import { isIP } from "node:net";
import { DAY_MS, HOUR_MS } from "../../base/calendar.ts";
import type { Decision } from "../../base/tasks/task-runner.ts";
import {
  againAt,
  DNS_EVERY_MS,
  DNS_MOVED_MS,
  nextFreeAt,
  ORDERS_A_WEEK,
  ORDERS_A_WEEK_ELSEWHERE,
  ORDERS_WINDOW_MS,
  TESTS_AN_HOUR,
  VALIDATIONS_AN_HOUR,
  VALIDATIONS_WINDOW_MS,
} from "./limits.ts";
import { countedBy, type PublicRecord, settled } from "./record.ts";
import { askWindowAt, renewalDue, type Served, warnsAt } from "./renewal.ts";
import { renewAfter } from "./router/mapping.ts";
import type { PublicSettings } from "./settings.ts";
import { FROM_OUTSIDE, OF_THE_CA, type PublicTask } from "./tasks.ts";
import type { PublicStep } from "./view.ts";

/** The facts beside the record; times are epoch milliseconds. */
export interface PublicTaskFacts {
  readonly settings: PublicSettings;
  readonly now: number;
  readonly isSure: boolean;
  /** The certificate on the disk, even an expired one. */
  readonly served: Served | undefined;
  /** A tunnel leads the traffic here from outside: neither router nor home's address matter. */
  readonly isTunnelled: boolean;
  /** The port of this box for TLS; 0: none. */
  readonly port: number;
  /** The time of the last visitor from outside since the start; undefined without one. */
  readonly reachedAt: number | undefined;
  readonly wantsTest: boolean;
}

const MINUTE_MS = 60_000;
const LOOK_MS = 10 * MINUTE_MS;
/** The router is asked again this often, even before the end of a mapping, since it may have restarted. */
const PORT_MS = 10 * MINUTE_MS;
/** The first pause after a refusal of the router, which may be starting; it doubles each time. */
const PORT_AGAIN_MS = 15_000;
/** The time for which the finding of a test is valid before an order. */
const TESTED_MS = HOUR_MS;
/** Tries of name servers that do not answer, after which the CA is asked: it needs them, too. */
const LOOK_UP_TRIES = 3;
/** Look-ups after an update, before a name is reported to point elsewhere. */
export const PATIENT_TRIES = 10;
/** A renewal waits for other conditions for so long at most, since the certificate expires some day. */
const SOFT_MS = 6 * HOUR_MS;

/** A task that may be done now, when it may, or undefined where there is none of its kind. */
type Next = PublicTask | number | undefined;

/** Decides the next task by the record and the facts. It is pure. */
export function nextPublicTask(
  kept: PublicRecord,
  facts: PublicTaskFacts,
): Decision<PublicRecord, PublicTask> {
  const record = settled(kept, facts.settings, facts.now);
  const nexts = isWanted(facts)
    ? [
        closing(record, facts),
        addressing(record, facts),
        telling(record, facts),
        opening(record, facts),
        lookingUp(record, facts),
        windowing(record, facts),
        ...issuing(record, facts),
      ]
    : [closing(record, facts)];
  const task = nexts.find((next) => typeof next === "object");
  const times = nexts.filter((next) => typeof next === "number");
  // The state that is shown changes by the time alone.
  if (facts.served !== undefined) times.push(facts.served.notAfter, warnsAt(facts.served));
  const ahead = times.filter((at) => at > facts.now);
  return { record, task, ...(ahead.length > 0 && { wakeAt: Math.min(...ahead) }) };
}

/**
 * The time of the next try; undefined where it runs now, or waits for the owner.
 */
export function nextTryAt(
  step: PublicStep,
  record: PublicRecord,
  facts: PublicTaskFacts,
): number | undefined {
  if (!isWanted(facts)) return undefined;
  const nexts = triesOf(step, record, facts);
  const times = nexts.filter((next) => typeof next === "number");
  if (times.length === 0 || nexts.some((next) => typeof next === "object")) return undefined;
  return Math.min(...times);
}

function triesOf(step: PublicStep, record: PublicRecord, facts: PublicTaskFacts): Next[] {
  const { dns } = record;
  switch (step) {
    case "name":
      return [];
    case "address": {
      if (isHindered(record)) return [addressing(record, facts), opening(record, facts)];
      if (dns?.result === "refused") return [];
      const tell = telling(record, facts);
      // Name servers have no news before the update.
      return tell !== undefined && dns?.result !== "done"
        ? [tell]
        : [tell, lookingUp(record, facts)];
    }
    case "port":
      return [opening(record, facts), ...issuing(record, facts)];
    default:
      return issuing(record, facts);
  }
}

/** Whether the public address is on, with a name, consent to the terms, and a sure clock. */
function isWanted({ settings: { enabled, name, agreed }, isSure, port }: PublicTaskFacts): boolean {
  return enabled && name !== "" && agreed && port !== 0 && isSure;
}

export const opensPort = ({
  settings: { enabled, openPort, name, agreed },
  isTunnelled,
}: PublicTaskFacts) => enabled && agreed && name !== "" && openPort && !isTunnelled;

/** Whether the name has to point at the home's own address. */
export const isAtHome = ({ settings: { openPort, ddns }, isTunnelled }: PublicTaskFacts): boolean =>
  !isTunnelled && (openPort || ddns !== "");

function closing({ mapping, port }: PublicRecord, facts: PublicTaskFacts): Next {
  if (mapping === null || opensPort(facts)) return undefined;
  // The router has not opened the port on the last request.
  const triedAt = port?.answer === "failed" ? port.at + PORT_MS : 0;
  return due(triedAt, facts.now, { kind: "close-port", mapping });
}

function addressing({ address, mapping, port }: PublicRecord, facts: PublicTaskFacts): Next {
  const { now } = facts;
  if (!isAtHome(facts)) return undefined;
  // A router that leads the port here says its address with it, each time.
  if (opensPort(facts) && port?.answer === "open" && mapping?.address !== undefined)
    return undefined;
  return due(address === null ? 0 : address.at + LOOK_MS, now, { kind: "find-address" });
}

/** Whether the home has no address that can be reached from outside. */
export const isHindered = ({ address }: PublicRecord): boolean =>
  ["cgnat", "double-nat", "ds-lite"].includes(address?.standing ?? "");

function telling(record: PublicRecord, facts: PublicTaskFacts): Next {
  const { address, dns, outside } = record;
  const { settings, now } = facts;
  if (settings.ddns === "" || facts.isTunnelled || isIP(settings.name) !== 0) return undefined;
  if (address === null || isHindered(record) || dns?.result === "refused") return undefined;
  const v4 = address.isSeen ? null : address.v4;
  const task = { kind: "tell-dns", v4 } as const;
  const isMoved = dns?.result === "done" && v4 !== null && dns.v4 !== v4;
  // A second change within a short time waits, so that an unstable line does not get the name blocked.
  const isFirst = isMoved && dns.at - dns.beforeAt >= DNS_EVERY_MS;
  const soonest = record.toldAt + (isFirst ? DNS_MOVED_MS : DNS_EVERY_MS);
  if (dns === null) return due(soonest, now, task);
  if (dns.failure !== null) return due(Math.max(soonest, againAt(dns.failure)), now, task);
  if (dns.result === "asked" || dns.v4 !== v4) return due(soonest, now, task);
  if (v4 !== null) return undefined;
  // The provider took the address that it saw, and does not say when there is another.
  const isShut = outside?.isOpen === false && outside.at > dns.at;
  return due(isShut ? soonest : dns.at + DAY_MS, now, task);
}

function opening(record: PublicRecord, facts: PublicTaskFacts): Next {
  const { port, mapping, address } = record;
  if (!opensPort(facts)) return undefined;
  if (isHindered(record) && mapping === null) return undefined;
  if (address === null && port === null) return undefined;
  return due(port === null ? 0 : port.at + askAgainAfter(port, mapping), facts.now, {
    kind: "open-port",
    before: mapping?.isGranted ? mapping : null,
    mayBeOpen: mapping !== null,
  });
}

function askAgainAfter(
  { answer, tries = 0 }: NonNullable<PublicRecord["port"]>,
  mapping: PublicRecord["mapping"],
): number {
  if (answer !== "open") return Math.min(PORT_AGAIN_MS * 2 ** Math.max(tries - 1, 0), PORT_MS);
  return mapping === null ? PORT_MS : renewAfter(mapping);
}

/** The address that the name is to have; null where it is unknown or not the home's. */
function expected({ address }: PublicRecord, facts: PublicTaskFacts): string | null {
  return isAtHome(facts) ? (address?.v4 ?? null) : null;
}

function lookingUp(record: PublicRecord, facts: PublicTaskFacts): Next {
  const { lookUp, dns } = record;
  if (isIP(facts.settings.name) !== 0 || isHindered(record)) return undefined;
  if (isAtHome(facts) && record.address === null) return undefined;
  if (lookUp?.result === "right") return undefined;
  if (isNamed(record, facts) && lookUp !== null) return undefined;
  const tries = lookUp?.tries ?? 0;
  const afterMs = tries < LOOK_UP_TRIES ? 20_000 : tries < PATIENT_TRIES ? MINUTE_MS : LOOK_MS;
  const from = Math.max(lookUp?.at ?? 0, dns?.at ?? 0);
  // The first look-up waits, too, since name servers cache a missing name.
  return due(from === 0 ? 0 : from + afterMs, facts.now, {
    kind: "look-up",
    expects: expected(record, facts),
  });
}

/** Whether the name points here, as far as it is known. */
export function isNamed(record: PublicRecord, facts: PublicTaskFacts): boolean {
  const { lookUp, address } = record;
  const { name } = facts.settings;
  if (isIP(name) !== 0)
    return !isAtHome(facts) || address?.v4 === null || isIP(name) === 6 || address?.v4 === name;
  if (lookUp === null) return false;
  return (
    lookUp.result === "right" || (lookUp.result === "unknown" && lookUp.tries >= LOOK_UP_TRIES)
  );
}

function windowing(record: PublicRecord, facts: PublicTaskFacts): Next {
  const { served, now } = facts;
  if (!isServing(facts) || served === undefined || renewalDue(record, served) <= now)
    return undefined;
  return due(askWindowAt(record, served), now, { kind: "ask-renewal" });
}

/** Whether there is a certificate for the name that visitors' browsers take. */
export function isServing({
  served,
  now,
  isSure,
}: Pick<PublicTaskFacts, "served" | "now" | "isSure">): boolean {
  return served?.fits === true && (!isSure || now < served.notAfter);
}

/** The end of a mapping that the router does not renew any more; undefined without one. */
function lapsesAt({ port, mapping }: PublicRecord): number | undefined {
  if (mapping?.isGranted !== true || mapping.lifetimeS === 0) return undefined;
  return port?.answer === "open" ? undefined : mapping.at + mapping.lifetimeS * 1_000;
}

/** The time of the last change of the router, before which no visit proves that the port is open. */
function doubtedSince(record: PublicRecord, facts: PublicTaskFacts): number {
  if (!opensPort(facts)) return 0;
  const { since = 0 } = record.port ?? {};
  const lapsed = lapsesAt(record) ?? 0;
  return lapsed <= facts.now ? Math.max(since, lapsed) : since;
}

/** Whether the router has changed the port since the last visitor from outside. */
export function isInDoubt(record: PublicRecord, facts: PublicTaskFacts): boolean {
  return doubtedSince(record, facts) > Math.max(record.outside?.at ?? 0, facts.reachedAt ?? 0);
}

/** Whether all is there that an order wants. */
function isReady(record: PublicRecord, facts: PublicTaskFacts): boolean {
  const { address, port } = record;
  if (isAtHome(facts) && (address === null || isHindered(record))) return false;
  return isNamed(record, facts) && (!opensPort(facts) || port !== null);
}

function issuing(record: PublicRecord, facts: PublicTaskFacts): Next[] {
  const { now, served, wantsTest } = facts;
  const test = testing(record, facts);
  if (wantsTest && typeof test === "object") return [test];
  const free = freeAt(record, facts);
  if (isServing(facts) && served !== undefined) {
    const dueAt = renewalDue(record, served);
    if (dueAt > now) return [dueAt, ...checking(record, facts, free)];
    if (!isReady(record, facts) && now < dueAt + SOFT_MS) return [dueAt + SOFT_MS];
  } else if (!isReady(record, facts)) return [];
  if (free > now) return [free];
  if (!isTested(record, facts)) return [test];
  return [ordering(record, facts)];
}

/** The time of the next request to the CA, by its answers and the number of failures. */
function freeAt(record: PublicRecord, facts: PublicTaskFacts): number {
  const { trouble, limit } = record;
  const { settings } = facts;
  const limited = limit?.about === countedBy(settings) ? againAt(limit) : 0;
  // A port that the CA has found closed may be open after a change of the router.
  const isPast =
    trouble === null ||
    (FROM_OUTSIDE.includes(trouble.kind) && trouble.at < doubtedSince(record, facts));
  return Math.max(isPast ? 0 : againAt(trouble), limited);
}

function testing(
  { tests, validations }: PublicRecord,
  { now, settings }: PublicTaskFacts,
): PublicTask | number {
  const windowMs = HOUR_MS;
  // Let's Encrypt has a CA of its own for tests; other CAs count them as orders.
  const counted =
    settings.directory === ""
      ? 0
      : nextFreeAt(validations, {
          most: VALIDATIONS_AN_HOUR,
          windowMs: VALIDATIONS_WINDOW_MS,
          now,
        });
  const freeAt = Math.max(nextFreeAt(tests, { most: TESTS_AN_HOUR, windowMs, now }), counted);
  return freeAt > now ? freeAt : { kind: "test" };
}

/** Whether the way in was open a moment ago, or the place for tests does not answer. */
function isTested(record: PublicRecord, facts: PublicTaskFacts): boolean {
  const { outside, trouble } = record;
  const { now, settings } = facts;
  if (trouble !== null && settings.directory === "" && OF_THE_CA.includes(trouble.kind))
    return true;
  const since = Math.max(now - TESTED_MS, trouble?.at ?? 0);
  return (
    outside?.isOpen === true && outside.at > since && outside.at >= doubtedSince(record, facts)
  );
}

function ordering(record: PublicRecord, facts: PublicTaskFacts): Next {
  const isRenewal = facts.served?.fits === true;
  return due(nextOrderAt(record, facts), facts.now, { kind: "order", isRenewal });
}

/** The time of the next order by our own limits; 0 for now. */
export function nextOrderAt(
  { orders, validations }: PublicRecord,
  { now, settings }: PublicTaskFacts,
): number {
  const about = countedBy(settings);
  const ofName = orders.filter((order) => order.about === about).map(({ at }) => at);
  const most = settings.directory === "" ? ORDERS_A_WEEK : ORDERS_A_WEEK_ELSEWHERE;
  return Math.max(
    nextFreeAt(ofName, { most, windowMs: ORDERS_WINDOW_MS, now }),
    nextFreeAt(validations, { most: VALIDATIONS_AN_HOUR, windowMs: VALIDATIONS_WINDOW_MS, now }),
  );
}

/**
 * Tests of a working address: once a day, unless a visitor has come from outside, and at once after a change of the
 * router.
 */
function checking(record: PublicRecord, facts: PublicTaskFacts, free: number): Next[] {
  const { outside } = record;
  const { reachedAt = 0, now } = facts;
  const seenAt = Math.max(outside?.at ?? 0, reachedAt);
  const isShut = outside?.by443 === false && reachedAt <= outside.at;
  const isAnew = isShut || isInDoubt(record, facts);
  const dueAt = Math.max(isAnew ? 0 : seenAt + DAY_MS, free);
  if (!isReady(record, facts) && !isAnew) return [];
  return [dueAt > now ? dueAt : testing(record, facts), lapsesAt(record)];
}

function due(at: number, now: number, task: PublicTask): Next {
  return at > now ? at : task;
}
