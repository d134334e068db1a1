import { readFileSync } from "node:fs";
import { DAY_MS, dayOf } from "../../appliance/base/calendar.ts";
import { hitsOf, MovableClock, openStore } from "./history.ts";
import { SITE } from "./servers.ts";

/** Each settles what there is, which a service does once an hour. */
const UPKEEP_EVERY_MS = 600_000;

/**
 * Counts hits that come one by one, spread over a day as its upkeep is.
 * @returns what this process had the kernel write to the disk: bytes for a hit, and for all of the day
 */
export async function measureLone(
  dataDir: string,
  perDay: number,
): Promise<{ hit: number; day: number }> {
  const firstDay = dayOf(Date.now()) - 2;
  const clock = new MovableClock(firstDay * DAY_MS);
  const store = await openStore(dataDir, clock, [SITE]);
  const site = store.numbers.directory.sites[0]?.key as number;
  const nextHit = hitsOf();
  let upkeepAt = clock.time;
  let ofHits = 0;
  // The first day fills what the second is measured with.
  let before = written();
  for (let hit = 0; hit < 2 * perDay; hit++) {
    if (hit === perDay) {
      before = written();
      ofHits = 0;
    }
    clock.time = firstDay * DAY_MS + (hit * DAY_MS) / perDay;
    if (clock.time >= upkeepAt + UPKEEP_EVERY_MS) {
      upkeepAt = clock.time;
      await store.upkeep();
    }
    const beforeHit = written();
    await store.numbers.count(site, nextHit());
    ofHits += written() - beforeHit;
  }
  const day = written() - before;
  await store.close();
  return { hit: ofHits / perDay, day };
}

function written(): number {
  return Number(/^write_bytes: (\d+)$/m.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
}
