import assert from "node:assert/strict";
import { oneOf } from "../helpers/long.ts";
import { eachStage } from "./beacon-stage.ts";

const SANDBOX = { "content-security-policy": "sandbox allow-scripts" };

describe("the first view of a path on a day", () => {
  const stage = eachStage();
  const go = (path: string) => stage().page.evaluate(`history.pushState(null, "", "${path}")`);

  it("is told once for each path, whatever way it is come by", async () => {
    await stage().open("/");
    await go("/about");
    await stage().open("/about/?page=2");
    await stage().open("/posts");
    await go("/");
    assert.deepEqual(await stage().said("n"), ["1", "1", undefined, "1", undefined]);
  });

  it("is a visitor of the page, and the first of a session an entry", async () => {
    await stage().openAt("2026-03-04T12:00:00Z", "/about");
    await stage().open("/posts");
    await stage().open("/about");
    await stage().openAt("2026-03-04T13:00:00Z", "/posts");
    const { world } = stage();
    const pages = async (of: string) => (await world.stats({ day: "2026-03-04", of })).path;
    // The last may still be on its way.
    while ((await pages("views"))?.["/posts"] !== 2);
    assert.deepEqual(await pages("views"), { "/about": 2, "/posts": 2 });
    assert.deepEqual(await pages("visitors"), { "/about": 1, "/posts": 1 });
    assert.deepEqual(await pages("sessions"), { "/about": 1, "/posts": 1 });
    const where = "path:is:/posts";
    const { uv, sessions, source } = await world.stats({ day: "2026-03-04", where });
    assert.deepEqual([uv, sessions, source], [{ _: 1 }, { _: 1 }, { direct: 2 }]);
  });

  it("is told again on the next day in UTC, though the session goes on", async () => {
    await stage().openAt("2026-03-04T23:50:00Z", "/");
    await stage().open("/about");
    await stage().openAt("2026-03-05T00:10:00Z", "/about");
    await stage().open("/about");
    assert.deepEqual(await stage().said("n"), ["1", "1", "1", undefined]);
  });

  it("is told once of a day with two sessions", async () => {
    await stage().openAt("2026-03-04T12:00:00Z", "/");
    await stage().openAt("2026-03-04T13:00:00Z", "/");
    assert.deepEqual(await stage().said("n"), ["1", undefined]);
  });

  it("is remembered of the last 64 paths", async () => {
    await stage().open("/0");
    for (let i = 1; i < 64; i++) await go(`/${i}`);
    await go("/0");
    await go("/64");
    await go("/1");
    await go("/0");
    const said = await stage().said("n");
    assert.deepEqual(said.splice(0, 64), Array(64).fill("1"));
    assert.deepEqual(said, [undefined, "1", undefined, "1"]);
    const kept = await stage().page.evaluate(() => localStorage.tallydeck.split(" ")[2]);
    assert.equal(kept.split(",").length, 64);
  });

  it("is told of paths that differ by two letters only", async () => {
    await stage().open("/Aa");
    await stage().open("/BB");
    await stage().open("/AA");
    assert.deepEqual(await stage().said("n"), ["1", "1", "1"]);
  });

  it("is not told by an event", async () => {
    await stage().open("/");
    await stage().page.evaluate(`tallydeck("signup")`);
    assert.deepEqual(await stage().said("n"), ["1", undefined]);
  });
});

describe("the first view of a day", () => {
  const stage = eachStage();

  it("says how long ago the browser was here last, in days, and no other view does", async () => {
    for (const day of ["03-01", "03-01", "03-02", "03-04", "03-11", "03-19", "04-18", "05-19"])
      await stage().openAt(`2026-${day}T12:00:00Z`, "/");
    assert.deepEqual(await stage().said("q"), [
      "new",
      undefined,
      "1",
      "2-7",
      "2-7",
      "8-30",
      "8-30",
      ">30",
    ]);
    const { world } = stage();
    const again = async () => (await world.stats({ from: "2026-03-01", to: "2026-05-19" })).again;
    while (Object.keys(await again()).length < 5);
    assert.deepEqual(await again(), { new: 1, 1: 1, "2-7": 2, "8-30": 2, ">30": 1 });
  });

  it("says the least where a clock was set back, and that a day is one where clocks change", async () => {
    await stage().openAt("2026-03-28T12:00:00Z", "/");
    await stage().openAt("2026-03-29T12:00:00Z", "/");
    await stage().openAt("2026-03-20T12:00:00Z", "/");
    assert.deepEqual(await stage().said("q"), ["new", "1", "1"]);
  });
});

describe("where a session began", () => {
  const stage = eachStage();
  const from = (referer: string, path = "/") => stage().page.goto(stage().url(path), { referer });

  it("is told by each of its views and events", async () => {
    stage().looks({});
    await from("https://news.ycombinator.com/item?id=1");
    await stage().page.evaluate(`tallydeck("signup", "pro")`);
    await stage().page.evaluate(`history.pushState(null, "", "/about")`);
    await from(stage().url("/about"), "/posts");
    await stage().page.evaluate(`tallydeck("signup", "pro")`);
    assert.deepEqual(await stage().said("o"), Array(5).fill("news.ycombinator.com"));
    assert.deepEqual(await stage().counts("source"), { "news.ycombinator.com": 3 });
  });

  it("is the source of the campaign that its first view named", async () => {
    stage().looks({});
    await from("https://bing.com/", "/?utm_source=May%20letter%2C%20%C3%BC");
    await stage().open("/about?utm_source=other");
    assert.deepEqual(await stage().counts("source"), { "May letter, ü": 2 });
  });

  it("is direct where the address was typed, also for what comes from a page later", async () => {
    await stage().open("/");
    stage().looks({});
    await from("https://bing.com/", "/about");
    assert.deepEqual(await stage().said("o"), ["", ""]);
    assert.deepEqual(await stage().counts("source"), { direct: 2 });
  });

  it("is another one in the next session", async () => {
    stage().looks({});
    await stage().at("2026-03-04T12:00:00Z");
    await from("https://bing.com/");
    await stage().at("2026-03-04T12:30:00Z");
    await from("https://t.co/");
    await stage().open("/about");
    assert.deepEqual(await stage().said("o"), ["bing.com", "t.co", "t.co"]);
  });

  it("stays when midnight has passed", async () => {
    stage().looks({});
    await stage().at("2026-03-04T23:50:00Z");
    await from("https://bing.com/");
    await stage().openAt("2026-03-05T00:10:00Z", "/about");
    assert.deepEqual(await stage().said("o"), ["bing.com", "bing.com"]);
  });

  it("is cut where a link names a campaign of any length", async () => {
    await stage().open(`/?utm_source=${"x".repeat(4_000)}`);
    await stage().open("/about");
    assert.deepEqual(await stage().said("o"), Array(2).fill("x".repeat(128)));
  });
});

describe("neither is told", () => {
  const stage = eachStage();
  const nothing = async () => {
    await stage().page.evaluate(`tallydeck("signup")`);
    const said = await stage().payloads();
    assert.deepEqual(
      said.map(({ ev, n, o }) => [ev, n, o]),
      [
        [undefined, undefined, undefined],
        ["signup", undefined, undefined],
      ],
    );
    assert.deepEqual(await stage().counts("source"), {});
  };

  it("where the browser stores nothing", async () => {
    await stage().open("/?utm_source=letter", { headers: SANDBOX });
    await nothing();
  });

  it("where the storage is full", async () => {
    await stage().profile.addInitScript(() => {
      localStorage.setItem("page", "x".repeat(5 * 1024 * 1024 - "page".length));
    });
    await stage().open("/?utm_source=letter");
    await nothing();
  });
});

describe("an entry that the page or an older script has left", () => {
  const stage = eachStage();

  for (const entry of oneOf(["", "on", "{]", "NaN NaN", `${Date.now()} 1`, `${Date.now()} x   `]))
    it(`keeps no view from being counted: ${JSON.stringify(entry.replace(/\d{9,}/, "now"))}`, async () => {
      await stage().open("/", { html: "" });
      await stage().page.evaluate((kept) => localStorage.setItem("tallydeck", kept), entry);
      await stage().open("/");
      await stage().open("/");
      assert.deepEqual(await stage().said("n"), ["1", undefined]);
      assert.equal((await stage().figures()).pv, 2);
    });
});
