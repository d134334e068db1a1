import { randomFrom } from "../../appliance/traffic/demo/random.ts";
import type { Part } from "../running/parts.ts";
import { percentile, type Report } from "../running/report.ts";
import { delaysOf, falseAlarms, LEARNED_DAYS, loudTimes } from "./simulation.ts";
import { MINUTES_OF_DAY, trafficOf, type Variant } from "./traffic.ts";

const NOW = Date.UTC(2026, 8, 15);
const MONTH = 365 / 12;
const YEARS = 5;
const HAPPENINGS = 100;
const TAME = { days: 0, hours: 0 };
const SITES: readonly (Variant & { name: string })[] = [
  { name: "fieldnotes", id: "fieldnotes", times: 1, strays: TAME },
  { name: "deckhand", id: "deckhand", times: 1, strays: TAME },
  { name: "a tenth of deckhand", id: "deckhand", times: 0.1, strays: TAME },
  { name: "fieldnotes times 20", id: "fieldnotes", times: 20, strays: TAME },
  { name: "fieldnotes, rough", id: "fieldnotes", times: 1, strays: { days: 0.4, hours: 0.3 } },
];

export interface Scaled {
  readonly scale: number;
}

export const alarms: Part<Scaled> = {
  says: "Five years of each of the demo's sites, watched as a box does: false alarms, and how soon right ones come.",
  async run({ options, seed, report }) {
    const years = Math.max(1, Math.round(YEARS * options.scale));
    for (const site of SITES) watch(site, years, randomFrom(seed), report);
  },
};

function watch(
  site: (typeof SITES)[number],
  years: number,
  random: () => number,
  report: Report,
): void {
  let days = 0;
  let perDay = 0;
  const alarms = { silence: 0, rush: 0 };
  const delays: { silence: number[]; rush: number[] } = { silence: [], rush: [] };
  const loud = { times: 0, told: 0 };
  for (let year = 0; year < years; year++) {
    const traffic = trafficOf(site, random, NOW);
    const watched = traffic.minutes.length / MINUTES_OF_DAY - LEARNED_DAYS;
    days += watched;
    perDay += traffic.hours.reduce((sum, n) => sum + n, 0) / (watched + LEARNED_DAYS) / years;
    for (const { kind } of falseAlarms(traffic, watched)) alarms[kind]++;
    const told = loudTimes(traffic);
    loud.times += told.times;
    loud.told += told.told;
    const { silence, rush } = delaysOf(traffic, HAPPENINGS, random);
    delays.silence.push(...silence);
    delays.rush.push(...rush);
  }
  const share = delays.rush.filter(Number.isFinite).length / delays.rush.length;
  for (const [measure, result] of [
    ["views a day", Math.round(perDay)],
    ["false silences a month", (alarms.silence / (days / MONTH)).toFixed(3)],
    ["false rushes a month", (alarms.rush / (days / MONTH)).toFixed(3)],
    ["outage told after", minutes(delays.silence, 0.5)],
    ["nine in ten outages told after", minutes(delays.silence, 0.9)],
    ["tenfold rush told after", minutes(delays.rush, 0.5)],
    ["rushes told in their two hours", `${Math.round(100 * share)} %`],
    ["times talked about, told", `${loud.told}/${loud.times}`],
  ] as const)
    report.figure(`${site.name}: ${measure}`, result);
}

function minutes(delays: readonly number[], share: number): string {
  const at = percentile(delays, share);
  if (!Number.isFinite(at)) return "not at all";
  return at < 120 ? `${at} min` : `${(at / 60).toFixed(1)} h`;
}
