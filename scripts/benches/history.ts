import type { Clock } from "../../appliance/clock.ts";
import { countBeacon } from "../../appliance/collector/beacon.ts";
import { createVisitorCache } from "../../appliance/collector/visitor.ts";
import { randomFrom } from "../../appliance/demo.ts";
import { silentLog } from "../../appliance/log.ts";
import { declareSites } from "../../appliance/store/directory.ts";
import { openStore } from "../../appliance/store/store.ts";
import { SITE } from "./servers.ts";
import { USER_AGENTS, views } from "./traffic.ts";

const DAY_MS = 86_400_000;

/** Counts `hits` views spread over `days` days that end today, through the store itself. */
export async function makeHistory(dataDir: string, hits: number, days: number): Promise<void> {
  const firstDay = Math.floor(Date.now() / DAY_MS) - days + 1;
  const clock = new MovableClock(firstDay * DAY_MS);
  const store = await openStore({
    dataDir,
    retentionDays: 2 * days,
    clock,
    log: silentLog(),
    prepare: (db) => declareSites(db, [{ id: SITE, host: null }]),
  });
  const site = store.directory.sites[0]?.key as number;
  const random = randomFrom(7);
  const nextView = views(42);
  const visitor = createVisitorCache();
  const perDay = hits / days;
  let last: Promise<void> = Promise.resolve();
  for (let hit = 0; hit < hits; hit++) {
    // One transaction a day and no more: this makes data, it measures nothing.
    if (hit % perDay === 0) await last;
    clock.time = (firstDay + hit / perDay) * DAY_MS;
    const agent = USER_AGENTS[Math.floor(random() * USER_AGENTS.length)] as string;
    const country = random() < 0.5 ? "DE" : "US";
    const beacon = { payload: nextView(), visitor: visitor(agent), referer: "", country };
    const { counts, view } = countBeacon(beacon);
    last = store.count(site, counts, view);
  }
  await last;
  clock.time = Date.now();
  await store.upkeep();
  await store.close();
}

class MovableClock implements Clock {
  time: number;
  readonly boot = "bench";
  readonly sure = true;

  constructor(time: number) {
    this.time = time;
  }

  now(): number {
    return this.time;
  }

  monotonic(): number {
    return performance.now();
  }

  onSure(): void {}

  after(): () => void {
    return () => {};
  }
}
