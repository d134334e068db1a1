import { DAY_MS, type Day, dayOf, HOUR_MS, weekdayOf } from "../../base/calendar.ts";
import type { DayZone } from "../../base/day-zone.ts";
import type { KeptDigest } from "../../base/input/digest.ts";
import type { SendOutcome } from "../../base/send-outcome.ts";
import type { Decision } from "../../base/tasks/task-runner.ts";
import {
  type Delivery,
  type DigestSettings,
  type DigestTarget,
  targetsOf,
} from "../../base/text/digest.ts";
import type { DigestRecord, LastDigest } from "./record.ts";

/** A digest that this box sends. */
export interface OwnDigest {
  /** The number of its site. */
  readonly site: number;
  readonly id: string;
  readonly settings: KeptDigest;
}

interface DigestFacts {
  readonly digests: readonly OwnDigest[];
  readonly now: number;
  /** Whether `now` can be believed. */
  readonly isSure: boolean;
  readonly zone: DayZone;
}

/** One delivery to be made. */
export interface DigestTask {
  readonly digest: OwnDigest;
  readonly last: LastDigest;
  readonly target: DigestTarget;
}

/** The delay after which a digest is not sent any more. */
const GIVEN_UP_MS = DAY_MS;
/** The pause before the second try, doubled for each further one. Mail servers with greylisting want five minutes. */
const FIRST_PAUSE_MS = 5 * 60_000;
const LONGEST_PAUSE_MS = 4 * HOUR_MS;

/** The next delivery, and the record with digests that have become due. Pure. */
export function nextDelivery(
  kept: DigestRecord,
  facts: DigestFacts,
): Decision<DigestRecord, DigestTask> {
  if (!facts.isSure) return { record: kept };
  const digests = facts.digests.map((digest) => ({ digest, last: lastOf(kept, digest, facts) }));
  // A removed site needs no record; one that is set again within the day must not get its digest twice.
  const others = kept.digests.filter(
    ({ site, dueAt }) =>
      facts.now - dueAt < GIVEN_UP_MS && !digests.some(({ digest }) => digest.site === site),
  );
  const record = { digests: [...others, ...digests.flatMap(({ last }) => last ?? [])] };
  const ahead: number[] = [];
  for (const { digest, last } of digests) {
    if (!digest.settings.enabled) continue;
    ahead.push(nextDue(digest.settings, facts.zone, facts.now));
    if (last === undefined) continue;
    for (const delivery of last.deliveries) {
      if (delivery.state !== "due") continue;
      const at = triedAt(delivery);
      if (at <= facts.now) return { record, task: { digest, last, target: delivery.target } };
      ahead.push(Math.min(at, last.dueAt + GIVEN_UP_MS));
    }
  }
  return { record, ...(ahead.length > 0 && { wakeAt: Math.min(...ahead) }) };
}

/** The record before a delivery: it stays where a power cut hides the end. */
export function beforeDelivery(record: DigestRecord, task: DigestTask, now: number): DigestRecord {
  return withDelivery(record, task, (delivery) => ({ ...delivery, state: "trying", at: now }));
}

export function afterDelivery(
  record: DigestRecord,
  task: DigestTask,
  outcome: SendOutcome,
  now: number,
): DigestRecord {
  return withDelivery(record, task, ({ target, tries }) => ({
    target,
    tries: tries + 1,
    at: now,
    state: STATES[outcome.kind],
    why: outcome.kind === "sent" ? "" : outcome.why,
  }));
}

const STATES: Readonly<Record<SendOutcome["kind"], Delivery["state"]>> = {
  sent: "sent",
  again: "due",
  never: "failed",
  unsure: "unsure",
};

/** The time of a delivery's next try. */
export function triedAt({ tries, at }: Delivery): number {
  return tries === 0 ? at : at + Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), LONGEST_PAUSE_MS);
}

/** The last digest of a site that was due, brought up to date. */
export function lastOf(
  { digests }: DigestRecord,
  { site, id, settings }: OwnDigest,
  { now, zone }: Pick<DigestFacts, "now" | "zone">,
): LastDigest | undefined {
  // A restore gives sites other numbers, a change gives them other ids.
  const known =
    digests.find((each) => each.id === id) ?? digests.find((each) => each.site === site);
  const due = lastDue(settings, zone, now);
  const isNew =
    settings.enabled &&
    due.at > settings.since &&
    due.day > (known?.day ?? Number.NEGATIVE_INFINITY) &&
    now - due.at < GIVEN_UP_MS;
  const targets = targetsOf(settings);
  if (isNew) {
    const deliveries = targets.map(
      (target): Delivery => ({ target, state: "due", tries: 0, at: 0, why: "" }),
    );
    return { site, id, day: due.day, dueAt: due.at, deliveries };
  }
  return known && { ...known, site, id, deliveries: stillWanted(known, targets, now) };
}

function stillWanted(
  { dueAt, deliveries }: LastDigest,
  targets: readonly DigestTarget[],
  now: number,
): Delivery[] {
  const isLate = now - dueAt >= GIVEN_UP_MS;
  return deliveries.flatMap((delivery): Delivery[] => {
    if (delivery.state !== "due") return [delivery];
    if (!targets.includes(delivery.target)) return [];
    if (!isLate) return [delivery];
    const why = delivery.why || "A day went by before it could be sent.";
    return [{ ...delivery, state: "failed", why }];
  });
}

function withDelivery(
  { digests }: DigestRecord,
  { last: { site, day }, target }: DigestTask,
  change: (delivery: Delivery) => Delivery,
): DigestRecord {
  return {
    digests: digests.map((each) =>
      each.site === site && each.day === day
        ? {
            ...each,
            deliveries: each.deliveries.map((one) => (one.target === target ? change(one) : one)),
          }
        : each,
    ),
  };
}

type Times = Pick<DigestSettings, "every" | "weekday" | "hour">;

/** The last time until `now` at which a digest is due. */
export function lastDue(times: Times, zone: DayZone, now: number): { at: number; day: Day } {
  const wall = zone.wall(now);
  const today = dayOf(wall);
  const passed = (day: Day) => dueWall(day, times) <= wall;
  const day =
    [0, 1, 2, 3, 4, 5, 6, 7]
      .map((back) => today - back)
      .find((each) => isDay(each, times) && passed(each)) ?? today - 7;
  // The last day of the digest is the day before.
  return { at: now - (wall - dueWall(day, times)), day: day - 1 };
}

/** The time of the next digest, an hour off where summer time begins or ends before it. */
export function nextDue(times: Times, zone: DayZone, now: number): number {
  const wall = zone.wall(now);
  const today = dayOf(wall);
  const ahead = [0, 1, 2, 3, 4, 5, 6, 7].map((days) => today + days);
  const day = ahead.find((each) => isDay(each, times) && dueWall(each, times) > wall) ?? today + 7;
  return now + (dueWall(day, times) - wall);
}

function isDay(day: Day, { every, weekday }: Times): boolean {
  return every === "day" || weekdayOf(day) === weekday;
}

function dueWall(day: Day, { hour }: Times): number {
  return day * DAY_MS + hour * HOUR_MS;
}
