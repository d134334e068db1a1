import assert from "node:assert/strict";
import { DAY_MS, HOUR_MS } from "../../../appliance/base/calendar.ts";
import type { DigestAnswer } from "../../../appliance/control/wire.ts";
import { changeByHand } from "../../helpers/by-hand.ts";
import { Callee } from "../../helpers/callee.ts";
import { onOneEngine } from "../../helpers/engines.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { importInto } from "../../helpers/importing.ts";
import { assertError, Owner } from "../../helpers/owner.ts";
import { eachWorld, World } from "../../helpers/world.ts";

const PATH = "/api/sites/blog/digest";
const MINUTE_MS = 60_000;
const DAILY = {
  enabled: true,
  every: "day",
  weekday: 1,
  hour: 8,
  mail: [],
  webhook: null,
  form: "json",
  channel: null,
} as const;

/** The digest of the blog, once it stands as is wanted. */
async function standing(
  owner: Owner,
  wanted: (answer: DigestAnswer) => boolean,
): Promise<DigestAnswer> {
  for (;;) {
    const answer = await owner.get(PATH);
    if (wanted(answer)) return answer;
  }
}

const stateOf = ({ last }: DigestAnswer, at = 0) => last?.deliveries[at]?.state;

onOneEngine(() => {
  describe("a digest", () => {
    let callee: Callee;
    // A Wednesday, at noon.
    const world = eachWorld();
    const owner = Owner.each(world);
    beforeEach(async () => {
      callee = await Callee.start();
      await owner.ask("POST", "/api/origins", { origin: callee.origin });
    });
    afterEach(() => callee.stop());

    const put = (more: object = {}) =>
      owner.ask("PUT", PATH, { ...DAILY, webhook: `${callee.origin}/hook`, ...more });
    const set = async (more: object = {}) => assert.equal((await put(more)).status, 200);
    const restart = () => world().restart();

    it("comes at its hour, to a webhook and a channel, and once", async () => {
      await world().beacon({ p: "/a", u: "1" });
      await set({ channel: "Digest" });
      assert.equal((await owner.get(PATH)).next, Date.parse("2026-03-05T08:00:00Z"));
      world().clock.advance(20 * HOUR_MS);
      const [called] = await callee.times(1);
      const { site, to, views, pages, text } = JSON.parse(called?.body ?? "");
      assert.deepEqual(
        [called?.path, site, to, views, pages],
        ["/hook", "blog", "2026-03-04", { now: 1, before: null }, [{ name: "/a", count: 1 }]],
      );
      assert.match(text, /^blog, 2026-03-04 \(UTC\)\n\nVisitors {2}1\n/);
      const { channels } = await owner.get("/api/push-channels");
      assert.deepEqual(
        channels.map((each: { channel: string; text: string }) => [each.channel, each.text]),
        [["digest", "1 visitor\nyesterday"]],
      );
      await standing(owner, (answer) => stateOf(answer, 1) === "sent");
      await restart();
      world().clock.advance(HOUR_MS);
      world().clock.advance(23 * HOUR_MS);
      const days = (await callee.times(2)).map(({ body }) => JSON.parse(body).to);
      assert.deepEqual(days, ["2026-03-04", "2026-03-05"]);
    });

    it("comes weekly on its day, of seven days, in the zone of days", async () => {
      await world().restart({ DAY_ZONE: "America/New_York" });
      world().clock.advance(DAY_MS);
      await world().restart({ DAY_ZONE: "America/New_York" });
      await set({ every: "week", weekday: 5, hour: 18 });
      assert.equal((await owner.get(PATH)).next, Date.parse("2026-03-06T23:00:00Z"));
      world().clock.advance(3 * DAY_MS);
      const [called] = await callee.times(1);
      const { from, to, zone } = JSON.parse(called?.body ?? "");
      assert.deepEqual([from, to, zone], ["2026-02-27", "2026-03-05", "America/New_York"]);
    });

    it("is tried again with growing pauses for a day, and told on the page", async () => {
      callee.answers = [503];
      await set();
      world().clock.advance(20 * HOUR_MS);
      const tried = await standing(owner, (answer) => answer.last?.deliveries[0]?.next != null);
      assert.equal(tried.last?.deliveries[0]?.why, "The webhook answered 503.");
      assert.equal(tried.last?.deliveries[0]?.next, Date.parse("2026-03-05T08:05:00Z"));
      for (const [times, minutes] of [5, 10, 20, 40, 80, 160, 240, 240, 240, 240].entries()) {
        world().clock.advance(minutes * MINUTE_MS);
        await callee.times(times + 2);
        await standing(owner, ({ last }) => last?.deliveries[0]?.at === world().clock.now());
      }
      callee.answers = [204];
      world().clock.advance(4 * HOUR_MS);
      const [next] = (await callee.times(12)).slice(11);
      assert.equal(JSON.parse(next?.body ?? "").to, "2026-03-05");
    });

    it("is sent once more where it was not taken", async () => {
      callee.answers = [503, 204];
      await set();
      world().clock.advance(20 * HOUR_MS);
      await standing(owner, (answer) => answer.last?.deliveries[0]?.next != null);
      await restart();
      world().clock.advance(5 * MINUTE_MS);
      const [first, second] = await callee.times(2);
      assert.equal(first?.body, second?.body);
      await standing(owner, (answer) => stateOf(answer) === "sent");
    });

    it("is not sent again where it may have been taken", async () => {
      callee.answers = [(response) => response.destroy(), 204];
      await set();
      world().clock.advance(20 * HOUR_MS);
      const { last } = await standing(owner, (answer) => stateOf(answer) === "unsure");
      assert.equal(last?.deliveries[0]?.why, "The webhook did not answer, and may have taken it.");
      world().clock.advance(12 * HOUR_MS);
      world().clock.advance(12 * HOUR_MS);
      const [, next] = await callee.times(2);
      assert.equal(JSON.parse(next?.body ?? "").to, "2026-03-05");
    });

    it("is not sent again where the box stopped in the middle of it", async () => {
      callee.answers = [() => {}, 204];
      await set();
      world().clock.advance(20 * HOUR_MS);
      await callee.times(1);
      await restart();
      const { last } = await standing(owner, (answer) => stateOf(answer) === "unsure");
      assert.equal(last?.deliveries[0]?.why, "The machine stopped in the middle of it.");
    });

    it("is not sent any more where its address is not wanted", async () => {
      callee.answers = [404];
      await set();
      world().clock.advance(20 * HOUR_MS);
      const { last } = await standing(owner, (answer) => stateOf(answer) === "failed");
      assert.deepEqual(
        [last?.deliveries[0]?.why, last?.deliveries[0]?.next],
        ["The webhook answered 404.", null],
      );
      await owner.ask("DELETE", `/api/origins?origin=${encodeURIComponent(callee.origin)}`);
      world().clock.advance(DAY_MS);
      const later = await standing(owner, (answer) => answer.last?.deliveries[0]?.next != null);
      assert.match(later.last?.deliveries[0]?.why ?? "", /not allowed any more/);
      assert.equal(callee.called.length, 1);
    });

    it("comes not for an hour that was over when it was set, nor while it is off", async () => {
      await set({ hour: 11 });
      await set({ hour: 13, enabled: false });
      world().clock.advance(2 * HOUR_MS);
      assert.deepEqual((await owner.get(PATH)).next, null);
      await set({ hour: 13 });
      world().clock.advance(23 * HOUR_MS);
      const [called] = await callee.times(1);
      assert.equal(JSON.parse(called?.body ?? "").to, "2026-03-04");
    });

    it("comes once the box is on again within the day, else with the next", async () => {
      await set();
      await world().stop();
      world().clock.advance(30 * HOUR_MS);
      await world().start();
      assert.equal(JSON.parse((await callee.times(1))[0]?.body ?? "").to, "2026-03-04");
      await standing(owner, (answer) => stateOf(answer) === "sent");
      await world().stop();
      world().clock.advance(3 * DAY_MS);
      await world().start();
      assert.equal(JSON.parse((await callee.times(2))[1]?.body ?? "").to, "2026-03-07");
    });

    it("goes with its site, whatever that is called", async () => {
      await owner.ask("POST", "/api/sites", { id: "notes" });
      const path = "/api/sites/notes/digest";
      await owner.ask("PUT", path, { ...DAILY, webhook: `${callee.origin}/hook` });
      const { store } = world().service;
      await store.numbers.write("renameSite", { id: "notes", to: "news" });
      world().clock.advance(20 * HOUR_MS);
      assert.equal(JSON.parse((await callee.times(1))[0]?.body ?? "").site, "news");
      await owner.ask("DELETE", "/api/sites/news", undefined, {
        headers: { "x-confirm": "news" },
      });
    });

    it("is sent by the box that it was set on, and by no other that shows the site", async () => {
      await set({ hour: 13 });
      await world().stop();
      await changeByHand(
        world(),
        "UPDATE document SET body = replace(body, '\"box\":\"', '\"box\":\"x') WHERE kind = 'digest'",
      );
      await world().start();
      assert.equal((await owner.get(PATH)).isElsewhere, true);
      assertError(await owner.ask("POST", PATH), 404, "not_found");
      world().clock.advance(2 * HOUR_MS);
      await set({ hour: 15 });
      const { isElsewhere, last } = await owner.get(PATH);
      assert.deepEqual([isElsewhere, last], [false, null]);
      world().clock.advance(HOUR_MS);
      assert.equal((await callee.times(1)).length, 1);
    });

    it("can be sent at once, and once more", async () => {
      await set({ channel: "digest", form: "ntfy" });
      for (let times = 1; times <= 2; times++) {
        const { sent } = (await owner.ask("POST", PATH)).json;
        assert.deepEqual(sent, [
          { target: "channel", problem: null },
          { target: "webhook", problem: null },
        ]);
        const [called] = (await callee.times(times)).slice(-1);
        assert.equal(called?.headers.title, "blog, 2026-03-03");
        assert.match(called?.body ?? "", /^Visitors/);
      }
      callee.answers = [500];
      const [, webhook] = (await owner.ask("POST", PATH)).json.sent;
      assert.equal(webhook.problem, "The webhook answered 500.");
    });

    it("tells keys its site where there are several", async () => {
      const onKeys = async () => {
        await owner.ask("POST", PATH);
        return (await owner.get("/api/push-channels")).channels[0];
      };
      await set({ channel: "digest", webhook: null });
      assert.equal((await onKeys()).site, undefined);
      await world().restart({ SITES: "blog,shop" });
      assert.deepEqual(await onKeys().then(({ text, site }) => [text, site]), [
        "0 visitors\nyesterday",
        "blog",
      ]);
    });

    describe("of what moved", () => {
      type Counts = Readonly<Record<string, Readonly<Record<string, number>>>>;
      /** The digest of yesterday, with these counts then and on that weekday a week before. */
      async function moved(now: Counts, before: Counts, day = "2026-02-24") {
        await importInto(world(), [
          { site: "blog", day: "2026-03-03", counts: now, surveys: [] },
          { site: "blog", day, counts: before, surveys: [] },
        ]);
        await set();
        await owner.ask("POST", PATH);
        return JSON.parse((await callee.times(1))[0]?.body ?? "");
      }

      it("names three pages and sources that rose most, and three that fell most", async () => {
        const { rose, fell, text } = await moved(
          {
            path: { "/about": 120, "/a": 50, "/b": 30, "/c": 20, "/old": 10, "/same": 70 },
            source: { "news.example": 90, direct: 210 },
          },
          {
            path: { "/about": 40, "/b": 15, "/old": 95, "/gone": 30, "/less": 20, "/same": 80 },
            source: { "news.example": 20, direct: 240, "past.example": 20 },
          },
        );
        assert.deepEqual(rose, [
          { page: "/about", now: 120, before: 40 },
          { source: "news.example", now: 90, before: 20 },
          { page: "/a", now: 50, before: 0 },
        ]);
        assert.deepEqual(fell, [
          { page: "/old", now: 10, before: 95 },
          { page: "/gone", now: 0, before: 30 },
          { page: "/less", now: 0, before: 20 },
        ]);
        assert.match(
          text,
          /\n\nRose most against the Tuesday before\n {2}\/about +120 {2}\+80\n {2}from news\.example +90 {2}\+70\n {2}\/a +50 {2}\+50\n\nFell most .*\n {2}\/old +10 {2}−85\n/,
        );
      });

      for (const [what, now, before, day] of [
        ["a quiet site", { path: { "/": 9, "/a": 1 } }, { path: { "/b": 9 } }],
        ["a part that is small", { path: { "/": 1_190 } }, { path: { "/": 1_000 } }],
        [
          "days of which pages are not known",
          { path: { "/": 300 } },
          { pv: { _: 300 }, path: { "/": 100 } },
        ],
        [
          "what may be among others",
          { path: { "/a": 300, "(other)": 10 } },
          { path: { "(other)": 250 } },
        ],
        [
          "days of which some were not counted",
          { path: { "/": 300 } },
          { path: { "/": 1 } },
          "2026-02-25",
        ],
      ] as const)
        it(`names nothing of ${what}`, async () => {
          const { rose, fell, text } = await moved(now, before, day);
          assert.deepEqual([rose, fell], [[], []]);
          assert.doesNotMatch(text, /most/);
        });
    });

    it("has the form that Slack takes", async () => {
      await world().beacon({ p: "/a&b<c>" });
      await set({ form: "slack" });
      world().clock.advance(20 * HOUR_MS);
      const { text } = JSON.parse((await callee.times(1))[0]?.body ?? "");
      assert.match(text, /^```\nblog, .*\n {2}\/a&amp;b&lt;c&gt; {2}1\n/s);
    });

    it("goes only where it is allowed, and is of a site that is there", async () => {
      const refused = await put({ webhook: "https://elsewhere.example/" });
      assertError(refused, 400, "invalid_field");
      assert.match(refused.json.error, /which is not allowed yet/);
      assertError(await owner.ask("PUT", "/api/sites/none/digest", DAILY), 404, "not_found");
      assertError(await owner.ask("GET", "/api/sites/none/digest"), 404, "not_found");
    });

    for (const [what, more] of [
      ["a twenty-fifth hour", { hour: 24 }],
      ["half an hour", { hour: 8.5 }],
      ["an eighth day", { weekday: 7 }],
      ["a month", { every: "month" }],
      ["a form that is not known", { form: "xml" }],
      ["a channel with a space", { channel: "my digest" }],
      ["a webhook of 2,049 characters", { webhook: `https://a.example/${"x".repeat(2_031)}` }],
      ["what is not known", { color: "red" }],
    ] as const)
      it(`takes no digest with ${what}`, async () => {
        assertError(await put(more), 400, "invalid_field");
      });
  });
});

describe("a digest of a box whose clock is not set", () => {
  it("waits for it", async () => {
    const callee = await Callee.start();
    const world = new World({ clock: new FakeClock("2026-03-04T12:00:00Z", { sure: false }) });
    try {
      await world.start();
      const owner = new Owner(world);
      await owner.ask("POST", "/api/origins", { origin: callee.origin });
      await owner.ask("PUT", PATH, { ...DAILY, webhook: `${callee.origin}/hook` });
      world.clock.advance(21 * HOUR_MS);
      assert.equal((await owner.get(PATH)).next, null);
      assertError(await owner.ask("POST", PATH), 409, "not_now");
      assert.equal(callee.called.length, 0);
      world.clock.becomeSure("2026-03-06T09:00:00Z");
      assert.equal(JSON.parse((await callee.times(1))[0]?.body ?? "").to, "2026-03-05");
    } finally {
      await world.end();
      await callee.stop();
    }
  });
});
