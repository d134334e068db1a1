import { parseDay } from "../../appliance/base/calendar.ts";
import { DEMO_SITES, demoDays } from "../../appliance/traffic/demo/demo.ts";
import { addDays, type CountedDay } from "../helpers/counted-days.ts";
import { FakeClock } from "../helpers/fake-clock.ts";
import { sharedWorld } from "../helpers/world.ts";
import { type Owner, seen } from "./owner.ts";

const NOW = "2026-03-04T12:30:00Z";
/** A site of the demo's. */
export const NOTES = "/dashboard?site=fieldnotes";
/** The beginning of the traffic, for pages that need this quarter only. */
export const WINTER = "2025-12-01";

/** Values that want to do harm. */
export const HOSTILE = [
  '<img src=x onerror="document.title=1">',
  "/\u202Egnp.exe",
  `/${"W".repeat(127)}`,
  "__proto__",
  "constructor",
  "=1+1",
  "javascript:alert(1)",
];

/** A day of them. */
export const hostileDay: CountedDay = {
  site: "hostile",
  day: "2026-03-04",
  counts: {
    pv: { _: HOSTILE.length },
    path: JSON.parse(`{${HOSTILE.map((value) => `${JSON.stringify(value)}:1`).join()}}`),
    ref: { "https://example.com/<b>": 1, "example.com": 2 },
    country: { "<script>alert(1)</script>": 1 },
    bot_kind: { "<i>bot</i>": 1 },
    bot: { ua: 1 },
  },
  surveys: [
    {
      sv: 1,
      os: "linux",
      a: { nps: "9" },
      c: '<img src=x onerror="document.title=2">\nsecond line',
    },
  ],
};

/** Made once for all files of a process that look at the same noon. */
const made = new Map<number, ReturnType<typeof allDays>>();
const allDays = (now: number) => [...demoDays(now)];

interface DemoOptions {
  /** The time of the box, in epoch milliseconds; noon of 4 March 2026 unless given. */
  now?: number;
  /** Views before this day are left out, which takes most of a start's work away; surveys are not. */
  since?: string;
  /** The first day of which it is kept what came together; none unless given. */
  detailFrom?: string;
  /** Days of sites besides the demo's. */
  more?: readonly CountedDay[];
  /** Sites besides the demo's. */
  sites?: readonly string[];
  /** Configuration keys. */
  env?: Readonly<Record<string, string>>;
}

/** A service with the traffic of the demo. */
export function demoWorld({
  now = Date.parse(NOW),
  since = "",
  detailFrom,
  more = [],
  sites = [],
  env,
}: DemoOptions = {}) {
  return sharedWorld({
    clock: new FakeClock(now),
    env: { SITES: [...DEMO_SITES, ...sites].join(), ...env },
    prepare: (db) => {
      const first = parseDay(since) ?? 0;
      const all = made.get(now) ?? allDays(now);
      made.set(now, all);
      addDays(
        db,
        all.map((day) => (day.day < first ? { ...day, hits: [] } : day)),
        detailFrom === undefined ? undefined : parseDay(detailFrom),
      );
      addDays(db, more);
    },
  });
}

/** The one button of the period; its name holds what is shown. */
const periodButton = (owner: Owner) => owner.page.getByRole("button", { name: /^Period: / });

export const openPeriod = (owner: Owner) => periodButton(owner).click();

export async function choosePeriod(owner: Owner, name: string): Promise<void> {
  await openPeriod(owner);
  await owner.page.locator(".presets").getByRole("button", { name, exact: true }).click();
}

/** The first words of the button of the period. */
export const periodName = (owner: Owner) => seen(periodButton(owner).locator("b"));

/** Opens what is behind the dots. */
export async function openMore(owner: Owner): Promise<void> {
  await owner.page.getByRole("button", { name: "More", exact: true }).click();
}
