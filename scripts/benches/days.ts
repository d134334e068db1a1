import { readFileSync } from "node:fs";
import { DAY_MS, dayOf, HOUR_MS } from "../../appliance/base/calendar.ts";
import { hitsOf, MovableClock, openStore } from "../running/history.ts";
import { atPace } from "../running/load.ts";
import type { Part } from "../running/parts.ts";
import { SITE } from "../running/servers.ts";

const PER_DAY = 1_000;
/** Each upkeep settles the log, which a service does once an hour. */
const UPKEEP_EVERY_MS = 600_000;

const MIDNIGHT = {
  sites: 5_000,
  days: 5,
  /** The hits of each site in half a day. */
  hits: 3,
  batch: 100,
  perSecond: 200,
  seconds: 10,
};

export const lone: Part = {
  says: "Hits one by one, as a small site has them: what this process has the kernel write to the disk.",
  async run({ seed, stage, report }) {
    const firstDay = dayOf(Date.now()) - 2;
    const clock = new MovableClock(firstDay * DAY_MS);
    const store = await openStore(stage.folder(), clock, [SITE]);
    stage.onClose(() => store.close());
    const site = store.numbers.directory.sites[0]?.key as number;
    const nextHit = hitsOf(seed);
    let upkeepAt = clock.time;
    let ofHits = 0;
    // The first day fills the database for the second one, which is measured.
    let before = written();
    for (let hit = 0; hit < 2 * PER_DAY; hit++) {
      if (hit === PER_DAY) {
        before = written();
        ofHits = 0;
      }
      clock.time = firstDay * DAY_MS + (hit * DAY_MS) / PER_DAY;
      if (clock.time >= upkeepAt + UPKEEP_EVERY_MS) {
        upkeepAt = clock.time;
        await store.upkeep();
      }
      const beforeHit = written();
      await store.numbers.count(site, nextHit());
      ofHits += written() - beforeHit;
    }
    const day = written() - before;
    report.atMost("bytes written for a lone hit", ofHits / PER_DAY, "", 9_000);
    report.atMost("written on a day of 1,000 views", day / 1e6, "MB", 100);
  },
};

function written(): number {
  return Number(/^write_bytes: (\d+)$/m.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
}

export const midnight: Part = {
  says: "How long hits wait while a day begins, and in the hour before.",
  async run({ seed, stage, report }) {
    const { sites, days, hits, batch, perSecond, seconds } = MIDNIGHT;
    const firstDay = dayOf(Date.now()) - days;
    const clock = new MovableClock(firstDay * DAY_MS);
    const ids = Array.from({ length: sites }, (_, n) => `site-${n}`);
    const store = await openStore(stage.folder(), clock, ids);
    stage.onClose(() => store.close());
    const keys = store.numbers.directory.sites.map(({ key }) => key);
    const nextHit = hitsOf(seed);
    let n = 0;
    const count = () => store.numbers.count(keys[n++ % keys.length] as number, nextHit());
    for (let half = 0; half < 2 * days; half++) {
      clock.time = firstDay * DAY_MS + (half * DAY_MS) / 2;
      await store.upkeep();
      for (let left = hits * sites; left > 0; left -= batch)
        await Promise.all(Array.from({ length: Math.min(left, batch) }, count));
    }
    clock.time = (firstDay + days) * DAY_MS - HOUR_MS / 2;
    const before = Math.max(...(await atPace(perSecond, seconds, count)));
    clock.time += HOUR_MS;
    const settled = store.upkeep();
    const after = Math.max(...(await atPace(perSecond, seconds, count)));
    await settled;
    report.note(`the longest wait of a hit in the hour before: ${before.toFixed(1)} ms`);
    report.atMost("longer wait at midnight with 5,000 sites", after - before, "ms", 50);
  },
};
