import { BASELINE_DAYS, baselineOf } from "../../appliance/traffic/alarms/baseline.ts";
import type { AlarmKind } from "../../appliance/traffic/alarms/state.ts";
import {
  AlarmWatch,
  LOOK_EVERY_MS,
  type WatchedSite,
} from "../../appliance/traffic/alarms/watch.ts";
import {
  addVisits,
  endOf,
  LOUD_DAYS,
  MINUTES_OF_DAY,
  MINUTES_OF_HOUR,
  type Traffic,
} from "./traffic.ts";

/** An alarm, by the minute in which it began. */
interface Alarm {
  readonly kind: AlarmKind;
  readonly minute: number;
}

/** Minutes from a simulated event to its alarm; Infinity without one. */
interface Delays {
  readonly silence: number[];
  readonly rush: number[];
}

const LIVE_MINUTES = 5;
/** The days before which nothing is known, and nothing alarms. */
export const LEARNED_DAYS = BASELINE_DAYS + 1;
/** The minutes of usual traffic before an event. */
const BEFORE = 2 * MINUTES_OF_HOUR;
const LONGEST_OUTAGE = 7 * MINUTES_OF_DAY;
const RUSH = { minutes: 2 * MINUTES_OF_HOUR, times: 10 };

/** Watches a stretch of minutes as the box does, and yields each alarm that begins. */
function* watched(
  traffic: Traffic,
  minutes: Uint32Array,
  from: number,
  to: number,
): Generator<Alarm> {
  const watch = new AlarmWatch();
  let knowledge: WatchedSite | undefined;
  for (let minute = from; minute < Math.min(to, minutes.length); minute++) {
    if (knowledge === undefined || minute % MINUTES_OF_HOUR === 0)
      knowledge = knownAt(traffic, minute, knowledge);
    const changes = watch.look(
      {
        now: endOf(traffic, minute),
        monotonic: minute * LOOK_EVERY_MS,
        live: minutes
          .subarray(Math.max(0, minute + 1 - LIVE_MINUTES), minute + 1)
          .reduce((sum, n) => sum + n, 0),
        isSound: true,
      },
      knowledge,
    );
    for (const { kind, state } of changes) if (state === "firing") yield { kind, minute };
  }
}

/** The knowledge of a box at a minute; its baseline changes once a day. */
function knownAt(traffic: Traffic, minute: number, before: WatchedSite | undefined): WatchedSite {
  const day = Math.floor(minute / MINUTES_OF_DAY);
  const first = Math.max(0, day - BASELINE_DAYS);
  const hour = Math.floor(minute / MINUTES_OF_HOUR);
  const hours = traffic.hours.slice(first * 24, hour + 1);
  const from = (traffic.from + first) * 24;
  if (before?.from === from && before.baseline !== undefined)
    return { baseline: before.baseline, from, hours };
  const views = hours.reduce((sum, n) => sum + n, 0);
  const history = {
    from: traffic.from + first,
    hours,
    sessions: views / traffic.viewsPerVisit,
  };
  return { baseline: baselineOf(history, traffic.from + day), from, hours };
}

/** The alarms of usual traffic, but for rushes on days on which the site was talked about. */
export function falseAlarms(traffic: Traffic, days: number): Alarm[] {
  const from = LEARNED_DAYS * MINUTES_OF_DAY;
  const to = from + days * MINUTES_OF_DAY;
  return [...watched(traffic, traffic.minutes, from, to)].filter(
    ({ kind, minute }) =>
      kind === "silence" || !traffic.loud.has(Math.floor(minute / MINUTES_OF_DAY)),
  );
}

/** The number of loud times of the site, and of those with an alarm. */
export function loudTimes(traffic: Traffic): { times: number; told: number } {
  const starts = [...traffic.loud].filter(
    (day) => !traffic.loud.has(day - 1) && day >= LEARNED_DAYS,
  );
  const told = starts.filter((day) => {
    const [from, to] = [day * MINUTES_OF_DAY, (day + LOUD_DAYS) * MINUTES_OF_DAY];
    return firstOf("rush", watched(traffic, traffic.minutes, from, to), from) !== undefined;
  });
  return { times: starts.length, told: told.length };
}

/** Simulates outages and tenfold rushes at random minutes. @returns the delays of their alarms */
export function delaysOf(traffic: Traffic, count: number, random: () => number): Delays {
  const first = LEARNED_DAYS * MINUTES_OF_DAY;
  const last = traffic.minutes.length - LONGEST_OUTAGE - 1;
  const silence: number[] = [];
  const rush: number[] = [];
  for (let i = 0; i < count; i++) {
    const start = first + Math.floor(random() * (last - first));
    if (traffic.loud.has(Math.floor(start / MINUTES_OF_DAY))) continue;
    const outage = traffic.minutes.slice();
    outage.fill(0, start, start + LONGEST_OUTAGE);
    silence.push(delayOf("silence", traffic, outage, start, LONGEST_OUTAGE));
    const crowd = traffic.minutes.slice();
    for (let minute = start; minute < start + RUSH.minutes; minute++) {
      const usual = (traffic.meant[Math.floor(minute / MINUTES_OF_HOUR)] ?? 0) / MINUTES_OF_HOUR;
      const more = { views: (RUSH.times - 1) * usual, viewsPerVisit: traffic.viewsPerVisit };
      addVisits(crowd, minute, { ...more, random });
    }
    rush.push(delayOf("rush", traffic, crowd, start, RUSH.minutes));
  }
  return { silence, rush };
}

function delayOf(
  kind: AlarmKind,
  traffic: Traffic,
  minutes: Uint32Array,
  start: number,
  most: number,
): number {
  const minute = firstOf(kind, watched(traffic, minutes, start - BEFORE, start + most), start);
  return minute === undefined ? Infinity : minute - start + 1;
}

/** Looks no further than that. */
function firstOf(kind: AlarmKind, alarms: Iterable<Alarm>, from: number): number | undefined {
  for (const alarm of alarms) if (alarm.kind === kind && alarm.minute >= from) return alarm.minute;
  return undefined;
}
