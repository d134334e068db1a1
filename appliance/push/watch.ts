import { DEFAULT_TTL } from "../base/names.ts";
import { invalidField } from "../base/refusal.ts";

/** The fields of a push for watching its channel and for its alarms, in seconds. */
export interface WatchFields {
  /** The time limit of the next push; 0 ends the watching. */
  period?: number;
  /** The time after `period` before the channel is down. */
  grace?: number;
  /** Whether alarms wake decks with the channel; it holds until it is changed. */
  wake?: boolean;
}

/** The watching of a channel in seconds; `period` is null for one that is not watched. */
interface ChannelWatch {
  readonly period: number | null;
  readonly grace: number;
}

const DAY = 86_400;
const MIN_PERIOD = 10;
const MAX_PERIOD = 365 * DAY;
const MIN_USUAL_GRACE = 60;

/** JSON Schemas of the fields. */
export const WATCH_FIELDS = {
  period: {
    type: "integer",
    minimum: 0,
    maximum: MAX_PERIOD,
    not: { minimum: 1, maximum: MIN_PERIOD - 1 },
    description: `must be whole seconds from ${MIN_PERIOD} to ${MAX_PERIOD}, or 0 to end it`,
  },
  grace: {
    type: "integer",
    minimum: 1,
    maximum: MAX_PERIOD,
    description: `must be whole seconds from 1 to ${MAX_PERIOD}`,
  },
  wake: { type: "boolean", description: "must be true or false" },
};

/**
 * The watching of a channel after a push: a period brings its grace with it, and both stay.
 * @throws {Refusal} `invalid_field`
 */
export function watchAfter(
  { period, grace }: WatchFields,
  before: ChannelWatch | undefined,
): ChannelWatch {
  if (period === 0) return { period: null, grace: 0 };
  if (period !== undefined) return { period, grace: grace ?? usualGrace(period) };
  const kept = before ?? { period: null, grace: 0 };
  if (grace === undefined) return { period: kept.period, grace: kept.grace };
  if (kept.period === null) throw invalidField("grace", "needs a period: send both.");
  return { period: kept.period, grace };
}

function usualGrace(period: number): number {
  return Math.max(MIN_USUAL_GRACE, Math.round(period / 5));
}

/**
 * Seconds until a text expires, 0 for never, which is the default for watched and held channels.
 * @throws {Refusal} `invalid_field` when it would expire before its channel is down
 */
export function ttlAfter(
  ttl: number | undefined,
  { period, grace }: ChannelWatch,
  isHeld: boolean,
): number {
  if (ttl === undefined) return period !== null || isHeld ? 0 : DEFAULT_TTL;
  if (period !== null && ttl !== 0 && ttl < period + grace)
    throw invalidField(
      "ttl",
      `must be 0 or at least ${period + grace}, the period and the grace of this channel together.`,
    );
  return ttl;
}
