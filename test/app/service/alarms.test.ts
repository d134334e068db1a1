import assert from "node:assert/strict";
import { DAY_MS, formatDay } from "../../../appliance/base/calendar.ts";
import type { SiteActivity } from "../../../appliance/control/wire.ts";
import type { Database } from "../../../appliance/store/sqlite/database.ts";
import { Callee } from "../../helpers/callee.ts";
import { addDays } from "../../helpers/counted-days.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { Owner } from "../../helpers/owner.ts";
import { World } from "../../helpers/world.ts";

const MINUTE_MS = 60_000;
/** Only where it is looked at: each minute that passes is painted. */
const DECK = { VIRTUAL_DECK: "mk2" };
/** A Wednesday. */
const NOON = Date.UTC(2026, 2, 4, 12);

/** Weeks of 20 views an hour by day, before today. */
function historyOf(weeks: number) {
  const hour = Object.fromEntries(
    Array.from({ length: 14 }, (_, i) => [String(8 + i).padStart(2, "0"), 20]),
  );
  return Array.from({ length: 7 * weeks }, (_, i) => ({
    site: "blog",
    day: formatDay(NOON / DAY_MS - 7 * weeks + i - 0.5),
    counts: { pv: { _: 280 }, sessions: { _: 140 }, hour },
    surveys: [],
  }));
}

describe("the alarms of a site", () => {
  let world: World;
  let owner: Owner;
  let hook: Callee;
  let weeks: number;
  let clock: FakeClock;
  beforeEach(async () => {
    weeks = 20;
    clock = new FakeClock(NOON);
    hook = await Callee.start();
  });
  afterEach(async () => {
    await world.end();
    await hook.stop();
  });

  async function start(more: Record<string, string> = {}): Promise<void> {
    let isFilled = false;
    world = new World({
      clock,
      env: more,
      prepare: (db: Database) => {
        if (!isFilled) addDays(db, historyOf(weeks));
        isFilled = true;
      },
    });
    await world.start();
    owner = new Owner(world);
  }
  const PATH = "/api/sites/blog/alarms";
  async function switchOn(webhook: string | null = null): Promise<void> {
    if (webhook !== null) await owner.ask("POST", "/api/origins", { origin: hook.origin });
    const reply = await owner.ask("PUT", PATH, { silence: true, rush: true, webhook });
    assert.equal(reply.status, 200, reply.text);
  }
  const states = async (): Promise<SiteActivity["alarms"]> =>
    (await owner.get("/api/site-activity")).sites[0].alarms;
  const view = () => world.beacon({ p: "/" });
  /** An hour in which somebody comes now and then. */
  async function passAnHour(): Promise<void> {
    for (let step = 0; step < 16; step++) {
      clock.advance(4 * MINUTE_MS);
      await view();
    }
  }
  /** A minute at a time, until the alarm is in that state. */
  async function passUntil(kind: "silence" | "rush", state: string): Promise<void> {
    for (let minutes = 0; (await states())[kind].state !== state; minutes++) {
      assert.ok(minutes < 600, `no ${kind} is ${state}`);
      clock.advance(MINUTE_MS);
    }
  }

  it("are off until the owner switches them on, and then wait an hour", async () => {
    await start();
    const off = { state: "off", since: null };
    assert.deepEqual(await states(), { silence: off, rush: off });
    assert.deepEqual(await owner.get(PATH), { silence: false, rush: false, webhook: null });
    await switchOn();
    assert.equal((await states()).silence.state, "waiting");
    await passAnHour();
    assert.equal((await states()).silence.state, "quiet");
  });

  it("tell of a silence once, also over a restart, and once of the view that ends it", async () => {
    await start();
    await switchOn(`${hook.origin}/told`);
    await passAnHour();
    await passUntil("silence", "firing");
    const [told] = await hook.times(1);
    const { text, ...rest } = JSON.parse(told?.body ?? "");
    const since = (await states()).silence.since ?? 0;
    assert.deepEqual(rest, { site: "blog", alarm: "silence", state: "firing", since });
    assert.match(
      text,
      /^blog: no view for \d+ (minutes|hours)\. About \d+ are usual in that time\.$/,
    );
    assert.equal(told?.path, "/told");
    await world.restart();
    clock.advance(120 * MINUTE_MS);
    assert.equal((await states()).silence.since, since);
    await view();
    await passUntil("silence", "quiet");
    const both = await hook.times(2);
    const found = both.map(({ body }) => JSON.parse(body).state);
    assert.deepEqual(found, ["firing", "resolved"]);
  });

  it("are in the digest of their day, also after a restart", async () => {
    await start();
    await switchOn();
    await passAnHour();
    await passUntil("silence", "firing");
    const since = (await states()).silence.since ?? 0;
    await view();
    await passUntil("silence", "quiet");
    const until = clock.now();
    await world.restart();
    await owner.ask("POST", "/api/origins", { origin: hook.origin });
    const digest = { enabled: true, every: "day", weekday: 1, hour: 8, mail: [], form: "json" };
    const webhook = `${hook.origin}/digest`;
    await owner.ask("PUT", "/api/sites/blog/digest", { ...digest, webhook, channel: null });
    clock.advance(20 * 60 * MINUTE_MS);
    const { alarms, text } = JSON.parse((await hook.times(1))[0]?.body ?? "");
    assert.deepEqual(alarms.slice(0, 1), [{ site: "blog", kind: "silence", since, until }]);
    assert.match(text, /\n\nAlarms\n {2}Silent from 2026-03-04 \d\d:\d\d, until 2026-03-04 /);
  });

  it("go by the hours of the zone of days", async () => {
    // Six in the morning there, two hours before views are usual.
    clock = new FakeClock(NOON - 60 * MINUTE_MS);
    await start({ DAY_ZONE: "America/New_York" });
    await switchOn();
    await passAnHour();
    await passUntil("silence", "firing");
    const hours = (clock.now() - NOON) / (60 * MINUTE_MS);
    assert.ok(hours > 1.5 && hours < 4, `after ${hours} hours`);
  });

  it("learn anew when days are of another zone", async () => {
    await start();
    await switchOn();
    await passAnHour();
    assert.equal((await states()).silence.state, "quiet");
    // Where it is midnight in two hours.
    await world.restart({ DAY_ZONE: "Asia/Tokyo" });
    await passAnHour();
    assert.equal((await states()).silence.state, "quiet");
    await passAnHour();
    await passUntil("silence", "learning");
  });

  it("tell of a rush on the key, and of its end", async () => {
    await start(DECK);
    await switchOn();
    await owner.ask("PUT", "/api/decks/virtual-mk2/slots/k1", {
      widget: { type: "stat", site: "blog", metric: "pv", period: "day" },
    });
    const picture = async () =>
      (await owner.ask("GET", "/api/decks/virtual-mk2/slots/k1/image.png")).body;
    await passAnHour();
    const events = await owner.listen();
    const calm = await picture();
    for (let n = 0; n < 120; n++) await view();
    await passUntil("rush", "firing");
    do await events.next("slots", ({ slot }) => slot === "k1");
    while ((await picture()).equals(calm));
    events.close();
    for (let hours = 0; hours < 3; hours++) await passAnHour();
    assert.equal((await states()).rush.state, "quiet");
  });

  it("wake a deck for a key that is to", async () => {
    await start(DECK);
    await switchOn();
    const asleep = async () => (await owner.get("/api/decks")).decks[0].asleep;
    await passAnHour();
    for (const wake of [false, true]) {
      await owner.ask("PUT", "/api/decks/virtual-mk2/slots/k1", {
        widget: { type: "stat", site: "blog", metric: "pv", period: "day", ...(wake && { wake }) },
      });
      await owner.ask("PATCH", "/api/decks/virtual-mk2", { asleep: true });
      await passUntil("silence", "firing");
      assert.equal(await asleep(), !wake);
      await view();
      await passUntil("silence", "quiet");
    }
  });

  it("learn while the history is short", async () => {
    weeks = 2;
    await start();
    await switchOn();
    clock.advance(10 * 60 * MINUTE_MS);
    assert.deepEqual(await states(), {
      silence: { state: "learning", since: null },
      rush: { state: "learning", since: null },
    });
  });

  it("judge nothing while the clock is unsure", async () => {
    clock = new FakeClock(NOON, { sure: false });
    await start();
    await switchOn();
    clock.advance(10 * 60 * MINUTE_MS);
    assert.equal((await states()).silence.state, "learning");
    clock.becomeSure(NOON);
    await passUntil("silence", "firing");
  });

  it("are over when they are switched off", async () => {
    await start();
    await switchOn(hook.origin);
    await passAnHour();
    await passUntil("silence", "firing");
    await owner.ask("PUT", PATH, { silence: false, rush: true, webhook: hook.origin });
    assert.equal((await states()).silence.state, "off");
    const [, over] = await hook.times(2);
    assert.equal(JSON.parse(over?.body ?? "").state, "resolved");
  });
});
