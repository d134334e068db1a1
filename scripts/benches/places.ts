import { Readable } from "node:stream";
import { DAY_MS, dayOf } from "../../appliance/base/calendar.ts";
import { UTC_DAYS } from "../../appliance/base/day-zone.ts";
import { silentLog } from "../../appliance/base/log.ts";
import type { Store } from "../../appliance/store/store.ts";
import { PlaceFetcher, placeChange } from "../../appliance/traffic/places/fetcher.ts";
import { newPlace } from "../../appliance/traffic/places/places.ts";
import { type CameUnit, encodedUnit, unitIn } from "../../appliance/traffic/places/unit-codec.ts";
import { hitsOf, MovableClock, openStore } from "../running/history.ts";
import { atPace } from "../running/load.ts";
import type { Given, Part } from "../running/parts.ts";
import { percentile } from "../running/report.ts";
import { SITE } from "../running/servers.ts";

const LARGE = { days: 3, hits: [100_000, 300_000], perSecond: 200 } as const;
const PLACE = "frankfurt";

export const places: Part = {
  says: "What a place counted, fetched: beside hits at home, and from process to process.",
  async run(given) {
    for (const hits of LARGE.hits) await takeLargeDays(given, hits);
  },
};

/** A month of the place grows by one day after another, each of which comes whole. */
async function takeLargeDays({ seed, stage, report }: Given, hits: number): Promise<void> {
  const firstDay = dayOf(Date.now()) - LARGE.days;
  const clock = new MovableClock(firstDay * DAY_MS);
  const place = await openStore(stage.folder(), clock, [SITE]);
  const home = await openStore(stage.folder(), clock, [SITE]);
  stage.onClose(() => Promise.all([place.close(), home.close()]));
  const about = { name: PLACE, address: "https://place.example", token: "t", makesSites: false };
  await home.numbers.write("changePlaces", [placeChange(PLACE, newPlace(about))]);
  const [nextHit, ownHit] = [hitsOf(seed), hitsOf(seed + 1)];
  const key = (store: Store) => store.numbers.directory.sites[0]?.key as number;
  let after = "";
  const waits: number[] = [];
  const quiet: number[] = [];
  for (let day = 0; day < LARGE.days; day++) {
    let last: Promise<void> = Promise.resolve();
    for (let hit = 0; hit < hits; hit++) {
      clock.time = (firstDay + day + hit / hits) * DAY_MS;
      last = place.numbers.count(key(place), nextHit());
    }
    await last;
    clock.time = (firstDay + day + 1) * DAY_MS;
    await place.upkeep();
    const count = () => home.numbers.count(key(home), ownHit());
    quiet.push(...(await atPace(LARGE.perSecond, 2, count)));
    const units = await unitsOf(place, after);
    after = units.at(-1)?.until ?? after;
    const pace = besideIt(count);
    for (const unit of units) await take(home, unit);
    waits.push(...(await pace.end()));
  }
  const what = `hits at home while days of ${hits.toLocaleString("en")} come`;
  report.note(`p99 of ${what}, before: ${percentile(quiet, 0.99).toFixed(1)} ms`);
  report.atMost(`p99 of ${what}`, percentile(waits, 0.99), "ms", 50);
  report.note(`the longest of ${waits.length}: ${Math.max(...waits).toFixed(0)} ms`);
}

function besideIt(count: () => Promise<void>) {
  let isOver = false;
  const waits: number[] = [];
  const counting = (async () => {
    while (!isOver) waits.push(...(await atPace(LARGE.perSecond, 0.1, count)));
  })();
  return {
    async end() {
      isOver = true;
      await counting;
      return waits;
    },
  };
}

async function take(home: Store, unit: CameUnit): Promise<void> {
  const fetcher = new PlaceFetcher({
    id: PLACE,
    numbers: home.numbers,
    line: { tell: async () => [], changes: async () => unit },
    clock: home.numbers.clock,
    log: silentLog(),
    random: () => 0,
  });
  await fetcher.once();
}

/** All that a place answers after a cursor, as it comes. */
async function unitsOf(place: Store, after: string): Promise<readonly CameUnit[]> {
  const units: CameUnit[] = [];
  for (let at = after; ; ) {
    const query = { after: at, zone: UTC_DAYS, now: place.numbers.clock.now() };
    let feed = await place.numbers.read("placeFeed", query);
    if ("unsettled" in feed) {
      await place.upkeep();
      feed = await place.numbers.read("placeFeed", { ...query, settled: feed.unsettled });
    }
    if (!("unit" in feed)) throw new Error("the place is not settled");
    if (!feed.hasNews) return units;
    const { unit } = feed;
    units.push(await unitIn(Readable.from(encodedUnit(unit, "1.0.0"))));
    at = unit.until;
  }
}
