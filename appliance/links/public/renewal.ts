import { DAY_MS, HOUR_MS } from "../../base/calendar.ts";

import type { PublicRecord } from "./record.ts";

/** The facts of the certificate that is served; times are epoch milliseconds. */
export interface Served {
  /** Its id: the hash of its bytes. */
  readonly id: string;
  /** Whether it is for the name that is set. */
  readonly fits: boolean;
  readonly notBefore: number;
  readonly notAfter: number;
}

const SHORT_MS = 10 * DAY_MS;
const ASK_MS = 12 * HOUR_MS;
const LEAST_ASK_MS = HOUR_MS;

/** The renewal time where the CA says nothing: RFC 9773 leaves it to us, Let's Encrypt's guide does not. */
function usualRenewal({ notBefore, notAfter }: Served): number {
  const life = notAfter - notBefore;
  return notBefore + (life < SHORT_MS ? life / 2 : (life * 2) / 3);
}

/** The renewal time; the CA's own where it is within the certificate's life. */
export function renewalDue(record: PublicRecord, served: Served): number {
  const { renewal } = record;
  const usual = usualRenewal(served);
  if (renewal?.of !== served.id) return usual;
  const { notBefore, notAfter } = served;
  const spare = partOf(served, DAY_MS);
  // A window after the end is a mistake of the CA: a day is kept for failures. A window that is always in the past
  // leads to one order a day at most.
  return Math.max(Math.min(renewal.dueAt, notAfter - spare), notBefore + spare);
}

/** `ms`, and no more than a quarter of the life: some last a day. */
function partOf({ notBefore, notAfter }: Served, ms: number): number {
  return Math.min(ms, (notAfter - notBefore) / 4);
}

export function askWindowAt({ renewal }: PublicRecord, served: Served): number {
  return renewal?.of === served.id ? renewal.askedAt + renewal.waitMs : 0;
}

/** A random time in the CA's window (RFC 9773, 4.2), which is kept as long as it is inside of it. */
export function withWindow(
  record: PublicRecord,
  served: Served,
  window: { start: number; end: number; retryAfterMs: number } | undefined,
  { now, random }: { now: number; random: number },
): PublicRecord {
  const { renewal } = record;
  const before = renewal?.of === served.id ? renewal.dueAt : undefined;
  const waitMs = Math.min(Math.max(window?.retryAfterMs ?? ASK_MS, LEAST_ASK_MS), ASK_MS);
  const asked = { of: served.id, askedAt: now, waitMs };
  if (window === undefined || !(window.end > window.start))
    return { ...record, renewal: { ...asked, dueAt: Math.round(before ?? usualRenewal(served)) } };
  const { start, end } = window;
  const stays = before !== undefined && before >= start && before <= end;
  const chosen = end <= now ? now : Math.max(start + random * (end - start), 0);
  return { ...record, renewal: { ...asked, dueAt: Math.round(stays ? before : chosen) } };
}

/** The time after which a missing renewal is a warning. */
export function warnsAt(served: Served): number {
  return served.notAfter - partOf(served, 7 * DAY_MS);
}
