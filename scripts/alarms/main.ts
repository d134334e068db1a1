import { randomFrom } from "../../appliance/demo/random.ts";
import { delaysOf, falseAlarms, LEARNED_DAYS, loudTimes } from "./simulation.ts";
import { MINUTES_OF_DAY, trafficOf, type Variant } from "./traffic.ts";

const NOW = Date.UTC(2026, 8, 15);
const MONTH = 365 / 12;
const HAPPENINGS = 100;
const TAME = { days: 0, hours: 0 };
const SITES: readonly (Variant & { name: string })[] = [
  { name: "fieldnotes", id: "fieldnotes", times: 1, strays: TAME },
  { name: "deckhand", id: "deckhand", times: 1, strays: TAME },
  { name: "a tenth of deckhand", id: "deckhand", times: 0.1, strays: TAME },
  { name: "fieldnotes times 20", id: "fieldnotes", times: 20, strays: TAME },
  { name: "fieldnotes, rough", id: "fieldnotes", times: 1, strays: { days: 0.4, hours: 0.3 } },
];

const seeds = Number(process.argv[2] ?? 5);
const rows = SITES.map((site) => {
  const random = randomFrom(1);
  let days = 0;
  const alarms = { silence: 0, rush: 0 };
  const delays: { silence: number[]; rush: number[] } = { silence: [], rush: [] };
  const loud = { times: 0, told: 0 };
  let perDay = 0;
  for (let seed = 0; seed < seeds; seed++) {
    const traffic = trafficOf(site, random, NOW);
    const watched = traffic.minutes.length / MINUTES_OF_DAY - LEARNED_DAYS;
    days += watched;
    perDay += traffic.hours.reduce((sum, n) => sum + n, 0) / (watched + LEARNED_DAYS) / seeds;
    for (const { kind } of falseAlarms(traffic, watched)) alarms[kind]++;
    const told = loudTimes(traffic);
    loud.times += told.times;
    loud.told += told.told;
    const { silence, rush } = delaysOf(traffic, HAPPENINGS, random);
    delays.silence.push(...silence);
    delays.rush.push(...rush);
  }
  return {
    site: site.name,
    "views a day": Math.round(perDay),
    "false silences a month": (alarms.silence / (days / MONTH)).toFixed(3),
    "false rushes a month": (alarms.rush / (days / MONTH)).toFixed(3),
    "outage told after": minutes(delays.silence, 0.5),
    "nine in ten": minutes(delays.silence, 0.9),
    "tenfold rush told after": minutes(delays.rush, 0.5),
    "rushes told in their two hours": `${Math.round((100 * delays.rush.filter(Number.isFinite).length) / delays.rush.length)} %`,
    "times talked about, told": `${loud.told}/${loud.times}`,
  };
});
console.table(rows);

function minutes(delays: readonly number[], share: number): string {
  const sorted = delays.toSorted((a, b) => a - b);
  const at = sorted[Math.floor(share * sorted.length)] ?? Infinity;
  if (at === Infinity) return "not at all";
  return at < 120 ? `${at} min` : `${(at / 60).toFixed(1)} h`;
}
