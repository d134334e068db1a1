import { DAY_MS, type Day, dayOf, formatDay, HOUR_MS } from "./calendar.ts";
import { isTimeZone } from "./time-zone.ts";

/** The zone of days, as it is stored beside the counts. */
export interface ZoneSetting {
  /** An IANA name, like `Europe/Zurich`. */
  readonly zone: string;
  /**
   * The zone before, in force until a moment (epoch ms): no day after `day` begins by it. Null
   * where it never was another.
   */
  readonly before: { readonly zone: string; readonly day: Day; readonly until: number } | null;
}

export const UTC_DAYS: ZoneSetting = { zone: "UTC", before: null };

const MINUTE_MS = 60_000;
/** The longest day, one during which the zone changes: 24 hours and twice the largest difference of zones. */
const LONGEST_DAY_MS = 80 * HOUR_MS;

/**
 * The wall clock of days. Moments are epoch milliseconds; `hourAt` is the number of hours since 1970 on this clock.
 * So each day has 24 hours, in spite of summer time: an hour that is skipped has no counts, and one that comes twice has
 * those of both.
 */
export class DayZone {
  readonly setting: ZoneSetting;
  readonly #clock: (moment: number) => number;
  readonly #clockBefore: (moment: number) => number;

  /** @throws {RangeError} where this machine does not know the zone */
  constructor(setting: ZoneSetting = UTC_DAYS) {
    this.setting = setting;
    this.#clock = wallClock(setting.zone);
    this.#clockBefore = wallClock(setting.before?.zone ?? setting.zone);
  }

  /** The name of the zone that is in force at a moment. */
  nameAt(moment: number): string {
    const { zone, before } = this.setting;
    return before !== null && moment < before.until ? before.zone : zone;
  }

  /** Milliseconds since 1970-01-01 00:00 as the clock on the wall shows them. */
  wall(moment: number): number {
    const { before } = this.setting;
    if (before === null || moment >= before.until) return this.#clock(moment);
    const wall = this.#clockBefore(moment);
    // The day lasts until the next day begins in the new zone.
    return dayOf(wall) <= before.day ? wall : before.day * DAY_MS + (wall % DAY_MS);
  }

  /** Hours since 1970 on the wall. */
  hourAt(moment: number): number {
    return Math.floor(this.wall(moment) / HOUR_MS);
  }

  today(moment: number): Day {
    return dayOf(this.wall(moment));
  }

  /** The first day by the zone that is in force at a moment, and the zone before; undefined where it always was. */
  changeAt(moment: number): { from: Day; before: string } | undefined {
    const { before } = this.setting;
    return before !== null && moment >= before.until
      ? { from: this.today(before.until), before: before.zone }
      : undefined;
  }

  /** The next moment at which another day begins. */
  nextMidnight(moment: number): number {
    const today = this.today(moment);
    return firstMinute(moment, (later) => this.today(later) > today);
  }

  /**
   * The setting with another zone from its next midnight on that begins a later day than the present one; this setting
   * if it has that zone already.
   */
  changedTo(zone: string, now: number): ZoneSetting {
    if (zone === this.setting.zone) return this.setting;
    const next = new DayZone({ zone, before: null });
    const day = this.today(now);
    const last = Math.max(day, next.today(now));
    const until = firstMinute(now, (moment) => next.today(moment) > last);
    return { zone, before: { zone: this.nameAt(now), day, until } };
  }
}

/** Whether clocks of two zones show different times at a moment, so that "today" may be another day. */
export function clocksDiffer(zone: string, other: string, moment: number): boolean {
  if (zone === other) return false;
  const [here, there] = [zone, other].map((each) => wallClock(each)(moment));
  return here !== there;
}

/** A sentence about a change of the zone that is ahead; undefined where none is. */
export function zoneAhead(setting: ZoneSetting, now: number): string | undefined {
  const { zone, before } = setting;
  if (before === null || now >= before.until) return undefined;
  const from = new DayZone(setting).today(before.until);
  return `From ${formatDay(from)} on days are those of ${zone}; until then, of ${before.zone}.`;
}

/** The first whole minute after a moment that is as wanted, where all after it are. */
function firstMinute(moment: number, isWanted: (moment: number) => boolean): number {
  let last = Math.floor(moment / MINUTE_MS);
  let first = Math.ceil((moment + LONGEST_DAY_MS) / MINUTE_MS);
  while (first - last > 1) {
    const middle = Math.floor((last + first) / 2);
    if (isWanted(middle * MINUTE_MS)) first = middle;
    else last = middle;
  }
  return first * MINUTE_MS;
}

/**
 * The wall clock of a zone. It looks up the offset once a minute, which takes a microsecond or two.
 */
function wallClock(zone: string): (moment: number) => number {
  if (zone === "UTC") return (moment) => moment;
  const format = new Intl.DateTimeFormat("en", { timeZone: zone, timeZoneName: "longOffset" });
  let minute = Number.NaN;
  let offset = 0;
  return (moment) => {
    const asked = Math.floor(moment / MINUTE_MS);
    if (asked !== minute) offset = offsetAt(format, asked * MINUTE_MS);
    minute = asked;
    return moment + offset;
  };
}

function offsetAt(format: Intl.DateTimeFormat, moment: number): number {
  const name = format.formatToParts(moment).find(({ type }) => type === "timeZoneName")?.value;
  const [, sign, hours = 0, minutes = 0, seconds = 0] =
    /^GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(name ?? "") ?? [];
  const ms = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000;
  return sign === "-" ? -ms : ms;
}

/** The name of a zone as it is written, for one as it was typed; undefined where there is none. */
export function dayZoneNamed(text: string): string | undefined {
  // An offset is no zone, since it has no summer time.
  if (!/^[a-z][\w+/-]*$/i.test(text) || !isTimeZone(text)) return undefined;
  const lower = text.toLowerCase();
  const { timeZone } = new Intl.DateTimeFormat("en", { timeZone: text }).resolvedOptions();
  if (timeZone === "UTC") return "UTC";
  return (
    [timeZone, ...Intl.supportedValuesOf("timeZone")].find(
      (name) => name.toLowerCase() === lower,
    ) ?? text
  );
}

/** The name of a zone in a stored setting that this machine does not know; undefined where it knows all. */
export function unknownZoneIn(json: unknown): string | undefined {
  try {
    const { zone, before } = JSON.parse(String(json)) as ZoneSetting;
    return [zone, before?.zone ?? zone].find(
      (name) => /^[a-z][\w+/-]{0,63}$/i.test(name) && dayZoneNamed(name) !== name,
    );
  } catch {
    return undefined;
  }
}

/** Reads a stored setting; null where it is invalid, or has a zone that is unknown here. */
export function readZoneSetting(json: unknown): ZoneSetting | null {
  try {
    const { zone, before } = JSON.parse(String(json)) as ZoneSetting;
    const isGood = (name: unknown) => typeof name === "string" && dayZoneNamed(name) === name;
    if (!isGood(zone)) return null;
    if (before === null) return { zone, before };
    const { zone: old, day, until } = before;
    if (!isGood(old) || ![day, until].every(Number.isSafeInteger)) return null;
    return { zone, before: { zone: old, day, until } };
  } catch {
    return null;
  }
}
