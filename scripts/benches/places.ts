import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { Agent, get } from "node:https";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { DAY_MS, dayOf } from "../../appliance/base/calendar.ts";
import { UTC_DAYS } from "../../appliance/base/day-zone.ts";
import { silentLog } from "../../appliance/base/log.ts";
import type { Store } from "../../appliance/store/store.ts";
import { PlaceFetcher, placeChange } from "../../appliance/traffic/places/fetcher.ts";
import { newPlace } from "../../appliance/traffic/places/places.ts";
import { type CameUnit, encodedUnits, unitsIn } from "../../appliance/traffic/places/unit-codec.ts";
import { hitsOf, MovableClock, makeHistory, openStore } from "../running/history.ts";
import { atPace } from "../running/load.ts";
import type { Given, Part } from "../running/parts.ts";
import { percentile } from "../running/report.ts";
import { CHECKOUT, type Running, SITE, startProgram, TOKEN } from "../running/servers.ts";
import { ship } from "../running/shipped.ts";
import { beaconPath, USER_AGENTS, views } from "../running/traffic.ts";
import { makeCertificate, SERVICE } from "./tls.ts";

const LARGE = { days: 3, hits: [100_000, 300_000], perSecond: 200 } as const;
const WEEK = { hits: 700_000 } as const;
const LIVE = { views: 12, seconds: 8 } as const;
/** The most bytes on the line for a hit, by the hits a second. */
const LIVE_BYTES = new Map([
  [20, 40],
  [200, 22],
]);
const LOOK_MS = 10;
const PLACE = "frankfurt";

export const places: Part = {
  says: "What a place counted, fetched: beside hits at home, and from process to process.",
  async run(given) {
    for (const hits of LARGE.hits)
      await given.stage.within((stage) => takeLargeDays({ ...given, stage }, hits));
    await fetchAWeek(given);
  },
};

/** Two services, and a line by TLS between them, whose bytes are counted. */
async function fetchAWeek({ seed, stage, report }: Given): Promise<void> {
  const [here, there] = [stage.folder(), stage.folder()];
  await makeHistory(there, { hits: WEEK.hits, days: 7, seed });
  const files = makeCertificate(stage.folder());
  const place = await stage.add(startProgram(SERVICE, [there, ...files], "https"));
  const line = await stage.add(countedLine(Number(new URL(place.origin).port)));
  // Homes trust what Node trusts.
  process.env.NODE_EXTRA_CA_CERTS = files[0];
  const home = await ship(stage).start(stage, here);
  delete process.env.NODE_EXTRA_CA_CERTS;
  const tallydeck = (...args: string[]) =>
    execFileSync(join(CHECKOUT, "scripts/tallydeck"), args, { encoding: "utf8" });
  const address = `https://localhost:${line.port}`;
  const invitation = tallydeck("place", "invite", "--address", address, "--data-dir", there);
  const before = { home: home.cpuOfAll(), place: place.cpuOfAll(), ...home.memory() };
  tallydeck("places", "add", invitation.trim(), "--data-dir", here);
  let [peak, began] = [before.own, 0];
  for (let shown = 0; shown < WEEK.hits; ) {
    if (line.bytes() > 0) began ||= performance.now();
    peak = Math.max(peak, home.memory().own);
    shown = await viewsOf(home);
    await setTimeout(LOOK_MS);
  }
  const seconds = (performance.now() - began) / 1_000;
  const each = (ms: number) => (ms * 1_000) / WEEK.hits;
  report.atLeast("a week of hits is caught up", WEEK.hits / seconds, "hits/s", 50_000);
  report.note(
    `own memory at home before ${before.own.toFixed(0)} MB, at most ${peak.toFixed(0)} MB`,
  );
  report.note(
    `CPU a hit: home ${each(home.cpuOfAll() - before.home).toFixed(1)} µs, place ${each(place.cpuOfAll() - before.place).toFixed(1)} µs`,
  );
  report.atMost("bytes on the line for each of them", line.bytes() / WEEK.hits, "", 40);
  await live({ seed, report, home, place, line });
}

async function live({
  seed,
  report,
  home,
  place,
  line,
}: Pick<Given, "seed" | "report"> & {
  readonly home: Running;
  readonly place: Running;
  readonly line: CountedLine;
}): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 20, rejectUnauthorized: false });
  const nextView = views(seed + 1);
  const send = (n: number) =>
    new Promise<void>((resolve, reject) => {
      const headers = { "user-agent": USER_AGENTS[n % USER_AGENTS.length] };
      const url = `${place.origin}${beaconPath(nextView(), SITE)}`;
      get(url, { agent, headers }, (answer) => answer.resume().once("end", resolve)).once(
        "error",
        reject,
      );
    });
  const waits: number[] = [];
  for (let n = 0; n < LIVE.views; n++) {
    const known = await viewsOf(home);
    await send(n);
    const answered = performance.now();
    while ((await viewsOf(home)) === known) await setTimeout(LOOK_MS);
    waits.push(performance.now() - answered);
  }
  report.note(`a view is at home after ${percentile(waits, 0.5).toFixed(0)} ms (median)`);
  report.atMost("from a view's answer to home's /stats, at most", Math.max(...waits), "ms", 1_500);
  for (const [perSecond, most] of LIVE_BYTES) {
    const [hits, bytes] = [await viewsOf(home), line.bytes()];
    await atPace(perSecond, LIVE.seconds, send);
    while ((await viewsOf(home)) < hits + perSecond * LIVE.seconds) await setTimeout(LOOK_MS);
    const each = (line.bytes() - bytes) / (perSecond * LIVE.seconds);
    report.atMost(`bytes on the line a hit, at ${perSecond} hits/s`, each, "", most);
  }
  agent.destroy();
}

async function viewsOf({ origin }: Running): Promise<number> {
  const url = `${origin}/stats?site=${SITE}&from=first&token=${TOKEN}`;
  const { pv } = (await (await fetch(url)).json()) as { pv?: { _?: number } };
  return pv?._ ?? 0;
}

type CountedLine = Awaited<ReturnType<typeof countedLine>>;

/** Passes on what comes to a port, and counts its bytes, both ways. */
async function countedLine(to: number) {
  let bytes = 0;
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    const on = connect(to, "127.0.0.1");
    for (const [one, other] of [
      [socket, on],
      [on, socket],
    ] as const) {
      open.add(one);
      one.on("data", (part) => (bytes += part.length));
      one.on("error", () => {}).on("close", () => other.destroy());
      one.pipe(other);
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    bytes: () => bytes,
    async close() {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
}

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
    line: { tell: async () => [], changes: () => Readable.from([unit]) },
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
    for await (const came of unitsIn(encodedUnits([unit], "1.0.0"))) units.push(came);
    at = unit.until;
  }
}
