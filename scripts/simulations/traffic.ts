import { HOUR_MS } from "../../appliance/base/calendar.ts";
import { demoDays } from "../../appliance/traffic/demo/demo.ts";
import { SITES } from "../../appliance/traffic/demo/world.ts";

export const MINUTES_OF_HOUR = 60;
export const MINUTES_OF_DAY = 24 * MINUTES_OF_HOUR;

/** A year of a site of the demo, minute by minute. */
export interface Traffic {
  /** The first minute, in days since 1970. */
  readonly from: number;
  /** The expected views of each hour. */
  readonly meant: readonly number[];
  readonly minutes: Uint32Array;
  readonly hours: number[];
  readonly viewsPerVisit: number;
  /** The days, from the first one on, on which the demo's site was talked about. */
  readonly loud: ReadonlySet<number>;
}

/** The days for which a site is talked about. */
export const LOUD_DAYS = 6;
/** The average minutes from one view of a visit to the next. */
const BETWEEN_VIEWS = 0.75;

/** Changes to the demo's traffic. */
export interface Variant {
  readonly id: string;
  /** The multiple of the demo's own views. */
  readonly times: number;
  /** The additional spread of days and of hours: the standard deviation of their logarithm. */
  readonly strays: { readonly days: number; readonly hours: number };
}

/**
 * Makes visits of the demo's days: their number is random around that of the hour, they begin at any minute of it, and
 * view one page after another.
 */
export function trafficOf(
  { id, times, strays }: Variant,
  random: () => number,
  now: number,
): Traffic {
  const site = SITES.find((one) => one.id === id);
  if (site === undefined) throw new RangeError(`the demo has no site ${id}`);
  // Today is not over.
  const days = [...demoDays(now)].filter((day) => day.site === id).slice(0, -1);
  const meant = days.flatMap(({ day, hits }) => {
    const level = times * logNormal(strays.days, random);
    const views = Array.from({ length: 24 }, () => 0);
    for (const { kind, moment, times } of hits)
      if (kind === "view") views[moment - 24 * day] = (views[moment - 24 * day] ?? 0) + times;
    return views.map((n) => n * level * logNormal(strays.hours, random));
  });
  const minutes = new Uint32Array(meant.length * MINUTES_OF_HOUR);
  meant.forEach((views, hour) => {
    for (let minute = 0; minute < MINUTES_OF_HOUR; minute++)
      addVisits(minutes, hour * MINUTES_OF_HOUR + minute, {
        views: views / MINUTES_OF_HOUR,
        viewsPerVisit: site.viewsPerVisit,
        random,
      });
  });
  const today = days.length;
  return {
    from: days[0]?.day ?? 0,
    meant,
    minutes,
    hours: meant.map((_, hour) => sumOf(minutes, hour)),
    viewsPerVisit: site.viewsPerVisit,
    loud: new Set(
      site.spikes.flatMap(([ago]) => Array.from({ length: LOUD_DAYS }, (_, i) => today - ago + i)),
    ),
  };
}

/** Visits that begin in a minute; their number is Poisson's, and their views follow. */
export function addVisits(
  minutes: Uint32Array,
  at: number,
  { views, viewsPerVisit, random }: { views: number; viewsPerVisit: number; random: () => number },
): void {
  for (let left = poisson(views / viewsPerVisit, random); left > 0; left--) {
    let minute = at + random();
    do {
      const slot = Math.floor(minute);
      if (slot < minutes.length) minutes[slot] = (minutes[slot] ?? 0) + 1;
      minute -= BETWEEN_VIEWS * Math.log(1 - random());
    } while (random() < 1 - 1 / viewsPerVisit);
  }
}

/** Around 1, and 1 on the average. */
function logNormal(sigma: number, random: () => number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Math.exp(sigma * normal - sigma ** 2 / 2);
}

function poisson(mean: number, random: () => number): number {
  const least = Math.exp(-mean);
  let n = -1;
  for (let product = 1; product > least; n++) product *= random();
  return n;
}

function sumOf(minutes: Uint32Array, hour: number): number {
  const start = hour * MINUTES_OF_HOUR;
  return minutes.subarray(start, start + MINUTES_OF_HOUR).reduce((sum, n) => sum + n, 0);
}

/** The moment (epoch ms) at which a minute ends. */
export function endOf({ from }: Traffic, minute: number): number {
  return from * 24 * HOUR_MS + (minute + 1) * (HOUR_MS / MINUTES_OF_HOUR);
}
