import { DAY_MS, dayOf, HOUR_MS } from "../../appliance/base/calendar.ts";
import { hitsOf, MovableClock, openStore } from "./history.ts";
import { atPace } from "./load.ts";

const DAYS = 5;
/** Of each site in half a day. */
const HITS = 3;
const BATCH = 100;
const PER_SECOND = 200;
const SECONDS = 10;

/** @returns how long hits waited in the last hour of a day, and while the next one begins: milliseconds */
export async function measureMidnight(
  dataDir: string,
  sites: number,
): Promise<{ before: number[]; midnight: number[] }> {
  const firstDay = dayOf(Date.now()) - DAYS;
  const clock = new MovableClock(firstDay * DAY_MS);
  const ids = Array.from({ length: sites }, (_, n) => `site-${n}`);
  const store = await openStore(dataDir, clock, ids);
  const keys = store.numbers.directory.sites.map(({ key }) => key);
  const nextHit = hitsOf();
  let n = 0;
  const count = () => store.numbers.count(keys[n++ % keys.length] as number, nextHit());
  for (let half = 0; half < 2 * DAYS; half++) {
    clock.time = firstDay * DAY_MS + (half * DAY_MS) / 2;
    await store.upkeep();
    for (let left = HITS * sites; left > 0; left -= BATCH)
      await Promise.all(Array.from({ length: Math.min(left, BATCH) }, count));
  }
  clock.time = (firstDay + DAYS) * DAY_MS - HOUR_MS / 2;
  const before = await atPace(PER_SECOND, SECONDS, count);
  clock.time += HOUR_MS;
  const settled = store.upkeep();
  const midnight = await atPace(PER_SECOND, SECONDS, count);
  await settled;
  await store.close();
  return { before, midnight };
}
