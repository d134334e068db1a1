import assert from "node:assert/strict";
import { eachStage } from "./beacon-stage.ts";

describe("the beacon counts a view", () => {
  const stage = eachStage();

  it("of a visitor in a new session the first time", async () => {
    await stage().open();
    assert.deepEqual(await stage().figures(), { pv: 1, uv: 1, sessions: 1, bounce: 0 });
  });

  it("of nobody new the second time", async () => {
    await stage().open("/");
    await stage().open("/about");
    assert.deepEqual(await stage().figures(), { pv: 2, uv: 1, sessions: 1, bounce: 0 });
  });

  it("of a new visitor, yet in the same session, when midnight in UTC has passed", async () => {
    await stage().openAt("2026-03-04T23:50:00Z");
    await stage().openAt("2026-03-05T00:10:00Z");
    assert.deepEqual(await stage().figures(), { pv: 2, uv: 2, sessions: 1, bounce: 0 });
  });

  describe("where days are those of a zone", () => {
    beforeEach(async () => {
      await stage().world.restart({ DAY_ZONE: "Asia/Kolkata" });
      stage().world.clock.setWall("2026-03-08T12:00:00Z");
    });

    it("of a new visitor when midnight there has passed, whatever clock the visitor has", async () => {
      await stage().visitor({ timezoneId: "America/New_York" });
      await stage().openAt("2026-03-08T18:20:00Z", "/");
      await stage().openAt("2026-03-08T18:40:00Z", "/about");
      assert.deepEqual(await stage().figures(), { pv: 2, uv: 2, sessions: 1, bounce: 0 });
    });

    it("of nobody new when midnight in UTC has passed", async () => {
      await stage().openAt("2026-03-08T23:50:00Z", "/");
      await stage().openAt("2026-03-09T00:10:00Z", "/about");
      assert.deepEqual(await stage().figures(), { pv: 2, uv: 1, sessions: 1, bounce: 0 });
    });
  });

  it("in the same session after a little less than 30 minutes", async () => {
    await stage().openAt("2026-03-04T12:00:00.000Z");
    await stage().openAt("2026-03-04T12:29:59.999Z");
    assert.deepEqual(await stage().figures(), { pv: 2, uv: 1, sessions: 1, bounce: 0 });
  });

  it("in a new session after 30 minutes, and a bounce when there was one view before", async () => {
    await stage().openAt("2026-03-04T12:00:00Z");
    await stage().openAt("2026-03-04T12:30:00Z");
    assert.deepEqual(await stage().figures(), { pv: 2, uv: 1, sessions: 2, bounce: 1 });
  });

  it("in a new session without a bounce when there were two views before", async () => {
    await stage().openAt("2026-03-04T12:00:00Z", "/");
    await stage().open("/about");
    await stage().openAt("2026-03-04T13:00:00Z", "/");
    assert.deepEqual(await stage().figures(), { pv: 3, uv: 1, sessions: 2, bounce: 0 });
  });

  it("as the one that engages when it is the second of its session", async () => {
    await stage().openAt("2026-03-04T12:00:00Z", "/");
    assert.deepEqual(await stage().counts("engaged"), {});
    await stage().open("/about");
    await stage().open("/more");
    assert.deepEqual(await stage().counts("engaged"), { _: 1 });
    await stage().openAt("2026-03-04T13:00:00Z", "/");
    assert.deepEqual(await stage().counts("engaged"), { _: 1 });
    await stage().open("/about");
    assert.deepEqual(await stage().counts("engaged"), { _: 2 });
  });

  it("as no second one after a session that had a single view", async () => {
    await stage().openAt("2026-03-04T12:00:00Z");
    await stage().openAt("2026-03-04T12:30:00Z");
    assert.deepEqual(await stage().counts("engaged"), {});
  });

  it("in a session that goes on as long as there are views", async () => {
    for (const time of ["12:00", "12:20", "12:40", "13:00"]) {
      await stage().openAt(`2026-03-04T${time}:00Z`);
    }
    assert.deepEqual(await stage().figures(), { pv: 4, uv: 1, sessions: 1, bounce: 0 });
  });

  it("as a first one when what the browser keeps is not readable", async () => {
    await stage().profile.addInitScript(() => localStorage.setItem("tallydeck", "{]"));
    await stage().open();
    assert.deepEqual(await stage().figures(), { pv: 1, uv: 1, sessions: 1, bounce: 0 });
  });

  it("of no visitor and no session where the browser stores nothing", async () => {
    // A sandboxed page has an opaque origin: its localStorage throws.
    await stage().open("/", { headers: { "content-security-policy": "sandbox allow-scripts" } });
    assert.deepEqual(await stage().figures(), { pv: 1, uv: 0, sessions: 0, bounce: 0 });
  });

  it("of no visitor and no session where the storage is full", async () => {
    await stage().profile.addInitScript(() => {
      localStorage.setItem("page", "x".repeat(5 * 1024 * 1024 - "page".length));
    });
    await stage().open();
    assert.deepEqual(await stage().figures(), { pv: 1, uv: 0, sessions: 0, bounce: 0 });
  });

  it("and keeps its time, its number and the source of its session, hashes of paths, and no cookie", async () => {
    await stage().openAt("2026-03-04T12:00:00Z", "/?utm_source=May%20letter");
    await stage().open("/secret");
    await stage().open("/");
    await stage().settle();
    const { tallydeck = "", ...more } = await stage().page.evaluate(() => ({ ...localStorage }));
    const hashes = /^(\d+) 3 -?\d+,-?\d+ May letter$/.exec(tallydeck);
    assert.equal(Number(hashes?.[1]), Date.parse("2026-03-04T12:00:00Z"), tallydeck);
    assert.deepEqual(more, {});
    assert.deepEqual(await stage().profile.cookies(), []);
  });
});

describe("a view tells", () => {
  const stage = eachStage();

  it("its path, without a slash at the end", async () => {
    await stage().open("/posts/first/?page=2#top");
    assert.deepEqual(await stage().counts("path"), { "/posts/first": 1 });
  });

  it("the root as /", async () => {
    await stage().open("/");
    assert.deepEqual(await stage().counts("path"), { "/": 1 });
  });

  it("the origin of its page", async () => {
    await stage().open();
    assert.deepEqual(await stage().counts("host"), { [new URL(stage().url()).origin]: 1 });
  });

  it("no referrer when the address was typed", async () => {
    await stage().open();
    assert.deepEqual(await stage().counts("ref"), { direct: 1 });
  });

  it("the host of the page before", async () => {
    stage().looks({});
    await stage().page.goto(stage().url(), { referer: "https://news.ycombinator.com/item?id=1" });
    assert.deepEqual(await stage().counts("ref"), { "news.ycombinator.com": 1 });
    assert.deepEqual(await stage().counts("ref_group"), { social: 1 });
  });

  it("its own host when the page before was of the same site", async () => {
    await stage().open("/", { html: '<a href="/about">About</a>' });
    stage().looks({});
    await stage().page.click("a");
    await stage().page.waitForURL("**/about");
    assert.deepEqual(await stage().counts("ref_group"), { internal: 1 });
  });

  it("language and time zone of the browser, and the country of the zone", async () => {
    await stage().visitor({ locale: "pt-BR", timezoneId: "America/Sao_Paulo" });
    await stage().open();
    assert.deepEqual(await stage().counts("lang"), { pt: 1 });
    assert.deepEqual(await stage().counts("tz"), { "America/Sao_Paulo": 1 });
    assert.deepEqual(await stage().counts("country"), { BR: 1 });
  });

  it("the campaign it came by", async () => {
    await stage().open("/?utm_source=letter&utm_medium=e-mail&utm_campaign=fr%C3%BChling");
    assert.deepEqual(await stage().counts("utm_source"), { letter: 1 });
    assert.deepEqual(await stage().counts("utm_medium"), { "e-mail": 1 });
    assert.deepEqual(await stage().counts("utm_campaign"), { frühling: 1 });
  });

  it("no campaign when there was none", async () => {
    await stage().open("/?utm_source=");
    assert.deepEqual(await stage().counts("utm_source"), {});
  });

  it("how wide its window is", async () => {
    for (const width of [639, 640, 1024, 1025]) {
      await stage().page.setViewportSize({ width, height: 500 });
      await stage().open();
    }
    assert.deepEqual(await stage().counts("viewport"), { "<640": 1, "640-1024": 2, ">1024": 1 });
  });
});
