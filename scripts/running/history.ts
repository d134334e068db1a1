import { DAY_MS, dayOf } from "../../appliance/base/calendar.ts";
import type { Clock } from "../../appliance/base/clock.ts";
import { silentLog } from "../../appliance/base/log.ts";
import { Signal } from "../../appliance/base/signal.ts";
import { DIMENSIONS, type Hit } from "../../appliance/store/log/record.ts";
import { Store } from "../../appliance/store/store.ts";
import { beaconHit } from "../../appliance/traffic/collector/counting/beacon.ts";
import { createVisitorCache } from "../../appliance/traffic/collector/counting/visitor.ts";
import { randomFrom } from "../../appliance/traffic/demo/random.ts";
import { SITE } from "./servers.ts";
import { type NextView, USER_AGENTS, views } from "./traffic.ts";

/** Counts `hits` views spread over `days` days that end today, through the store itself. */
export async function makeHistory(
  dataDir: string,
  { hits, days, seed, nextView }: { hits: number; days: number; seed: number; nextView?: NextView },
): Promise<void> {
  await makeDays(dataDir, days, hits / days, hitsOf(seed, nextView));
}

/** Hits of attackers: every value is new, and as long as one may be, in twelve dimensions. */
export async function makeFlood(dataDir: string, hits: number, days: number): Promise<void> {
  const dimensions = DIMENSIONS.slice(0, 12);
  let hit = 0;
  await makeDays(dataDir, days, hits / days, () => {
    const value = `${hit++}-`.padEnd(230, "🙂");
    return { kind: "view", flags: 0, values: dimensions.map((name) => [name, value]) };
  });
}

/** A store with these sites, which settles only on `upkeep`. */
export function openStore(dataDir: string, clock: Clock, sites: readonly string[]): Promise<Store> {
  return Store.open({
    dataDir,
    detailDays: 400,
    retentionDays: 800,
    clock,
    log: silentLog(),
    declared: sites.map((id) => ({ id, host: null })),
  });
}

/** Hits of visitors, as a site has them. */
export function hitsOf(seed: number, nextView: NextView = views(seed)): () => Hit {
  const random = randomFrom(seed + 1);
  const visitor = createVisitorCache();
  return () => {
    const agent = USER_AGENTS[Math.floor(random() * USER_AGENTS.length)] as string;
    const country = random() < 0.5 ? "DE" : "US";
    return beaconHit({ payload: nextView(), visitor: visitor(agent), referer: "", country });
  };
}

/** Counts on each of `days` days that end today, with upkeep in between as a service does it. */
async function makeDays(
  dataDir: string,
  days: number,
  perDay: number,
  nextHit: () => Hit,
): Promise<void> {
  const firstDay = dayOf(Date.now()) - days + 1;
  const clock = new MovableClock(firstDay * DAY_MS);
  const store = await openStore(dataDir, clock, [SITE]);
  const site = store.numbers.directory.sites[0]?.key as number;
  let last: Promise<void> = Promise.resolve();
  for (let hit = 0; hit < days * perDay; hit++) {
    // One transaction a day and no more: this makes data, it measures nothing.
    if (hit % perDay === 0) {
      await last;
      await store.upkeep();
    }
    clock.time = (firstDay + hit / perDay) * DAY_MS;
    last = store.numbers.count(site, nextHit());
  }
  await last;
  clock.time = Date.now();
  await store.upkeep();
  await store.close();
}

export class MovableClock implements Clock {
  time: number;
  readonly boot = "bench";
  readonly sure = true;
  readonly becameSure = new Signal();

  constructor(time: number) {
    this.time = time;
  }

  now(): number {
    return this.time;
  }

  monotonic(): number {
    return performance.now();
  }

  after(): () => void {
    return () => {};
  }
}
