import assert from "node:assert/strict";
import { describe, it } from "mocha";
import { eachWorld } from "../helpers/world.ts";

describe("a page view", () => {
  const world = eachWorld();

  it("counts pv, and every dimension a view always has", async () => {
    await world().beacon({
      p: "/about/",
      h: "https://example.com",
      r: "news.ycombinator.com",
      l: "de-DE",
      tz: "Europe/Berlin",
    });
    const { site, day, ...counts } = await world().stats();
    assert.deepEqual({ site, day }, { site: "blog", day: "2026-03-04" });
    assert.deepEqual(counts, {
      pv: { _: 1 },
      path: { "/about": 1 },
      host: { "https://example.com": 1 },
      ref: { "news.ycombinator.com": 1 },
      ref_group: { social: 1 },
      lang: { de: 1 },
      tz: { "Europe/Berlin": 1 },
      browser: { Chrome: 1 },
      os: { Windows: 1 },
      device: { desktop: 1 },
      hour: { "12": 1 },
      dowhour: { "3-12": 1 },
    });
  });
});
