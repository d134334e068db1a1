import { COUNTABLE } from "../../base/bounds.ts";
import { DAY_MS, type Day, HOUR_MS } from "../../base/calendar.ts";
import type { SourceKind } from "../../base/text/source-name.ts";
import { BlockReader } from "../blocks/block-reader.ts";
import { firstDayOf } from "../blocks/month.ts";
import { NoBlock } from "../blocks/varints.ts";
import { daysOf } from "../copy/reading.ts";
import type { SiteKey } from "../counting.ts";
import { onceHash } from "../intake/once.ts";
import { type Batch, BatchEncoder, decodeBatch, recordsOf } from "../log/batch.ts";
import { SETTLED } from "../settling/parts.ts";
import type { SourceNumber } from "../snapshot.ts";
import { type CountRules, refuseUnsound, Sum } from "../transfer/counts.ts";
import { soundRow } from "../transfer/sound-snapshot.ts";
import { isDay, isOrigin, isRowId, isShortText, isSurvey } from "../transfer/values.ts";
import type { PlaceBody, PlaceState } from "./kinds.ts";
import type { PlaceTake } from "./take.ts";
import type { PlaceHello, PlaceMonth, PlaceUnit } from "./unit.ts";

const HOURS = 24;
/** A zone may be so far ahead of UTC, and a clock so far ahead of ours. */
const AHEAD_MS = 14 * HOUR_MS + DAY_MS;
/** More hits a second than the largest fleet takes. */
const MOST_PER_SECOND = 200_000;
/** So long may a place have counted before it was known, in what is no day yet. */
const BEFORE_MS = 7 * DAY_MS;

/** A place said something that it cannot have counted; the message is a sentence about it. */
class PlaceLies extends Error {
  override readonly name = "PlaceLies";
}

/** An origin that is known here. */
export interface KnownOrigin {
  readonly number: SourceNumber;
  readonly origin: string;
  readonly kind: SourceKind;
}

/** The facts by which a unit is judged. */
export interface PlaceFacts {
  readonly id: string;
  readonly place: PlaceBody;
  readonly state: PlaceState | null;
  /** The state as it is kept. */
  readonly before: string | null;
  /** The origins of all sources here; the first one is that of our own counts. */
  readonly known: readonly KnownOrigin[];
  /** The origins of other places. */
  readonly others: ReadonlySet<string>;
  /** Epoch milliseconds, by a clock that is sure. */
  readonly now: number;
}

/** A unit as a place sent it, and the facts by which it is judged. */
export interface UnitToJudge {
  readonly unit: Omit<PlaceUnit, "hello"> & { readonly hello: PlaceHello };
  readonly facts: PlaceFacts;
}

/**
 * Judges a unit that a place sent, and makes its sites ours. Counts of sites that are none of ours are left out. A month takes
 * too long for the thread that counts.
 * @returns a sentence about what it cannot have counted, where there is any of that
 * @throws {Error} where it answers another question
 */
export function judgeUnit({ unit, facts }: UnitToJudge): PlaceTake | { readonly lie: string } {
  try {
    return judged(unit, facts);
  } catch (error) {
    if (!(error instanceof PlaceLies)) throw error;
    return { lie: error.message };
  }
}

/** @throws {PlaceLies} */
function judged(came: UnitToJudge["unit"], facts: PlaceFacts): PlaceTake {
  const { id, place, state, before, known, now } = facts;
  if (came.hello.to !== onceHash(state?.cursor ?? ""))
    throw new Error("the answer was to another question: something on the way keeps answers");
  const origins = originsOf(came.hello, facts);
  const refuse = (why: string): never => {
    throw new PlaceLies(`Some of what it sent is ${why}.`);
  };
  const rules: CountRules = {
    isText: isShortText,
    sum: new Sum(COUNTABLE.together / 64),
    refuse,
  };
  const keys = new Map<SiteKey, SiteKey>();
  for (const { key, number } of place.sites) if (number !== null) keys.set(key, number);
  const batches = came.log.map((body) => judgedBatch(body, rules, now));
  const hits = batches.reduce((sum, { times }) => sum + times.reduce((all, n) => all + n, 0), 0);
  const ms = Math.max(0, now - (state?.at ?? now - BEFORE_MS)) + BEFORE_MS;
  if (hits > (MOST_PER_SECOND * ms) / 1_000) refuse("more than it could have counted");
  const isTheirs = (origin: string) => origins.includes(origin) || refuse("of another origin");
  for (const { origin } of [...came.days, ...came.surveys]) isTheirs(origin);
  for (const { number, day, version, payload } of came.surveys)
    if (!isRowId(number) || !isDay(day) || !isSurvey(version, payload) || isAhead(day, now))
      refuse("no response to a survey");
  const after: PlaceState = {
    cursor: came.until,
    origins: [...new Set([...(state?.origins ?? []), ...origins])],
    hits: (state?.hits ?? 0) + hits,
    at: now,
  };
  const days = came.days.map((month) => judgedMonth(month, rules, now));
  const log = withOurSites(batches, keys);
  return {
    place: id,
    home: known[0]?.origin ?? "",
    name: place.name,
    origin: came.hello.origin,
    before,
    after: JSON.stringify(after),
    log,
    counted: [...new Set(log.flatMap(daysIn))],
    days: withKeys(days, keys),
    surveys: withKeys(came.surveys, keys),
  };
}

/** @throws {PlaceLies} */
function originsOf({ origin, past }: PlaceHello, { known, others }: PlaceFacts): string[] {
  const all = [origin, ...past];
  if (!all.every(isOrigin)) throw new PlaceLies("It says an origin that is none.");
  for (const one of all) {
    const { kind } = known.find((source) => source.origin === one) ?? {};
    if (kind === "now" || kind === "here")
      throw new PlaceLies(
        "It counts under an origin of this machine: its data are a copy of what is here. Give the place data of its own.",
      );
    if (kind === "import" || others.has(one))
      throw new PlaceLies("It counts under an origin that is another place's.");
  }
  return all;
}

function isAhead(day: Day, now: number): boolean {
  return day * DAY_MS > now + AHEAD_MS;
}

/** @throws {PlaceLies} */
function judgedBatch(body: Uint8Array, rules: CountRules, now: number): Batch {
  const batch = orRefused(() => decodeBatch(body), rules);
  if (batch.undated !== undefined) rules.refuse("a batch without a time");
  refuseUnsound(batch, rules);
  for (const moment of batch.moments)
    if (moment * HOUR_MS > now + AHEAD_MS) rules.refuse("of a day in the future");
  return batch;
}

/** @throws {PlaceLies} */
function judgedMonth(month: PlaceMonth, rules: CountRules, now: number): PlaceMonth {
  const { pieces, ...rest } = month;
  const row = { site: month.site, month: month.month, source: 1, part: SETTLED, ...pieces };
  const { counters, counts, pieces: others } = orRefused(() => soundRow(row, false, rules), rules);
  const sound = { counters, counts, pieces: others };
  const reader = new BlockReader({ ...sound, month: month.month });
  const days = daysOf({ month: month.month, days: reader.counters.days });
  reader.close();
  if (days.some((day) => isAhead(day, now))) rules.refuse("of a day in the future");
  const first = firstDayOf(month.month);
  if (!month.ages.every(([day, ms]) => day >= first && ms >= 0)) rules.refuse("of no age");
  return { ...rest, pieces: sound };
}

function orRefused<T>(read: () => T, { refuse }: CountRules): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError || error instanceof NoBlock)
      return refuse("not as Tallydeck writes it");
    throw error;
  }
}

/** The records of our sites, as few batches as take them. */
function withOurSites(
  batches: readonly Batch[],
  keys: ReadonlyMap<SiteKey, SiteKey>,
): readonly Uint8Array[] {
  const bodies: Uint8Array[] = [];
  const open = new BatchEncoder();
  const close = () => {
    if (open.records > 0) bodies.push(open.encode());
    open.clear();
  };
  for (const batch of batches)
    for (const record of recordsOf(batch)) {
      const site = keys.get(record.site);
      if (site === undefined || open.add({ ...record, site })) continue;
      close();
      open.add({ ...record, site });
    }
  close();
  return bodies;
}

function daysIn(body: Uint8Array): Day[] {
  return [...new Set(decodeBatch(body).moments)].map((moment) => Math.floor(moment / HOURS));
}

function withKeys<T extends { readonly site: SiteKey }>(
  all: readonly T[],
  keys: ReadonlyMap<SiteKey, SiteKey>,
): T[] {
  return all.flatMap((one) => {
    const site = keys.get(one.site);
    return site === undefined ? [] : [{ ...one, site }];
  });
}
