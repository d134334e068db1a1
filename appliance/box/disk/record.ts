import {
  type Guarded,
  hasFields,
  type Is,
  isMapOf,
  isText,
  objectIn,
} from "../../base/input/json.ts";
import { DISK_ERRORS, type DiskError } from "../../base/text/disk-errors.ts";

/** A week shows what a busy day alone would not. */
const DAYS = 7;

const isCount: Is<number> = (value): value is number => typeof value === "number" && value >= 0;

/** Whether it is a part of the machine's running time, and what was written to the disk in it. */
const isSpan = hasFields({ seconds: isCount, bytes: isCount });
type Span = Guarded<typeof isSpan>;

/** The sightings of an error. */
const isSightings = hasFields({
  times: isCount,
  /** Seconds of running time, as in the record's `total`. */
  last: isCount,
  /** Epoch ms of the last one; null while the clock was not set. */
  at: (at): at is number | null => at === null || isCount(at),
});
type Sightings = Guarded<typeof isSightings>;

/** The knowledge of a disk over restarts. All times are running time, since a machine may have no clock. */
const isRecord = hasFields({
  id: isText,
  /** The start of the machine in which it was made, and the counters then. */
  boot: isText,
  upSeconds: isCount,
  bytes: isCount,
  /** The number of the last line of the kernel's log that was judged in it. */
  line: isCount,
  /** Errors that the file system had noted then. */
  noted: isCount,
  total: isSpan,
  /** The last days of running time, oldest first; the last one is not over. */
  days: (days): days is readonly Span[] =>
    Array.isArray(days) && days.length <= DAYS && days.every(isSpan),
  errors: isMapOf(isSightings) as Is<Partial<Readonly<Record<DiskError, Sightings>>>>,
});
export type DiskRecord = Guarded<typeof isRecord>;

/** The counters of the disk and the machine at some moment; `bytes` were written since it started. */
export type DiskReading = Pick<DiskRecord, "id" | "boot" | "upSeconds" | "bytes">;

const DAY_S = 86_400;
/** The running time for which an error is told after it was last seen. */
const ERROR_STANDS_S = 7 * DAY_S;

/** The record, brought up to a reading. Another disk begins another record. */
export function advanced(before: DiskRecord | undefined, now: DiskReading): DiskRecord {
  const { boot, upSeconds, bytes } = now;
  const known = before?.id === now.id ? before : undefined;
  const isSame = known?.boot === boot && known.upSeconds <= upSeconds && known.bytes <= bytes;
  const added = isSame
    ? { seconds: upSeconds - known.upSeconds, bytes: bytes - known.bytes }
    : // The counters began anew with the machine.
      { seconds: upSeconds, bytes };
  return {
    ...now,
    line: isSame ? known.line : 0,
    noted: known?.noted ?? 0,
    total: sum(known?.total ?? NONE, added),
    days: withSpan(known?.days ?? [], added),
    errors: known?.errors ?? {},
  };
}

const NONE: Span = { seconds: 0, bytes: 0 };
const sum = (one: Span, other: Span): Span => ({
  seconds: one.seconds + other.seconds,
  bytes: one.bytes + other.bytes,
});

function withSpan(days: readonly Span[], added: Span): Span[] {
  const open = days.at(-1);
  if (open === undefined || open.seconds >= DAY_S) return [...days, added].slice(-DAYS);
  return [...days.slice(0, -1), sum(open, added)];
}

/** Bytes written in a day of running time, of the last week; undefined before there was a whole day. */
export function dailyBytes({ days }: DiskRecord): number | undefined {
  const { seconds, bytes } = days.reduce(sum, NONE);
  return seconds < DAY_S ? undefined : Math.round((bytes / seconds) * DAY_S);
}

/**
 * The number of times that a card can be written full by small writes. Cells of cheap cards stand about 1,000, and a
 * card writes its cells about ten times for what is small.
 */
const FULL_WRITES = 100;

/** The years in which so many bytes a day wear out the cells of a card. */
export function lifeYears(cardBytes: number, daily: number): number {
  return (cardBytes * FULL_WRITES) / Math.max(1, daily) / 365.25;
}

/** The record with further sightings. @param at epoch ms; null while the clock is not set */
export function withErrors(
  record: DiskRecord,
  found: readonly DiskError[],
  at: number | null,
): DiskRecord {
  const errors = { ...record.errors };
  for (const kind of found)
    errors[kind] = { times: (errors[kind]?.times ?? 0) + 1, last: record.total.seconds, at };
  return { ...record, errors };
}

/** The errors that are told: seen within a week of running time. */
export function standingErrors({ errors, total }: DiskRecord): [DiskError, Sightings][] {
  return DISK_ERRORS.flatMap((kind) => {
    const seen = errors[kind];
    return seen !== undefined && total.seconds - seen.last < ERROR_STANDS_S ? [[kind, seen]] : [];
  });
}

/** Reads a record; undefined for a damaged one, so that counting begins anew. */
export function parseDiskRecord(text: string): DiskRecord | undefined {
  return objectIn(text, isRecord);
}
