import assert from "node:assert/strict";
import { onOneEngine } from "../../../helpers/engines.ts";
import { eachWorld, type Reply, sharedWorld, type World } from "../../../helpers/world.ts";

/** The text for people who cannot see the picture. */
function nameOf({ status, text }: Reply): string {
  assert.equal(status, 200, text);
  const label = /^<svg [^>]*\brole="img" aria-label="([^"]*)"/.exec(text)?.[1];
  assert.ok(label !== undefined, text);
  const title = /<title>([^<]*)<\/title>/.exec(text)?.[1];
  assert.equal(title?.replace(/ \(today in .*\)$/, ""), label);
  return label;
}

/** The texts that are seen, in order; each is drawn above its own shadow. */
function textsOf({ text }: Reply): string[] {
  return [...text.matchAll(/<text (?![^>]*aria-hidden)[^>]*>([^<]*)<\/text>/g)].map(
    ([, shown = ""]) => shown,
  );
}

/** The colors of the boxes, in order. */
function colorsOf({ text }: Reply): string[] {
  return [...text.matchAll(/<rect x=[^>]*fill="([^"]*)"/g)].map(([, color = ""]) => color);
}

function badge(world: World, query = ""): Promise<Reply> {
  return world.ask(`/badge?site=blog${query}`);
}

onOneEngine(() => {
  describe("/badge", () => {
    const world = sharedWorld({
      env: { SITES: "blog,quiet,hidden", BADGE_SITES: "blog,quiet", RETENTION_DAYS: "800" },
    });
    before(async () => {
      // 400 days ago to the day, 399, 30, 29, yesterday and today.
      for (const [day, views] of [
        ["2025-01-28", 1],
        ["2025-01-29", 2],
        ["2026-02-02", 4],
        ["2026-02-03", 8],
        ["2026-03-03", 16],
        ["2026-03-04", 32],
      ] as const) {
        world().clock.setWall(`${day}T12:00:00Z`);
        for (let n = 0; n < views; n++) await world().beacon({ u: "1" });
        await world().ping({ os: "linux" });
        await world().beacon({ ev: "bot" });
      }
    });

    it("shows the page views of the last 30 days", async () => {
      const reply = await badge(world());
      assert.equal(nameOf(reply), "views (30d): 56");
      assert.deepEqual(textsOf(reply), ["views (30d)", "56"]);
      assert.match(String(reply.headers["content-type"]), /^image\/svg\+xml/);
    });

    it("says in its title, which anybody may read, whose today one of a single day has", async () => {
      const title = async (query: string) =>
        /<title>(.*)<\/title>/.exec((await badge(world(), query)).text)?.[1];
      assert.equal(await title("&days=1"), "views (1d): 32 (today in UTC)");
      assert.equal(await title("&days=2"), "views (2d): 48");
    });

    for (const [query, name] of [
      ["&days=1", "views (1d): 32"],
      ["&days=2", "views (2d): 48"],
      ["&days=31", "views (31d): 60"],
      ["&days=400", "views (400d): 62"],
      ["&days=401", "views (400d): 62"],
      ["&days=1e9", "views (400d): 62"],
      ["&days=0", "views (1d): 32"],
      ["&days=-7", "views (1d): 32"],
      ["&days=", "views (30d): 56"],
      ["&days=week", "views (30d): 56"],
      ["&days=NaN", "views (30d): 56"],
      ["&days=7&days=1", "views (7d): 48"],
      ["&days=all", "views (all): 63"],
      ["&total=1", "views (30d): 56, 63 total"],
      ["&days=1&total=1", "views (1d): 32, 63 total"],
      ["&total=0", "views (30d): 56"],
      ["&days=all&total=1", "views (all): 63"],
      ["&label=hits", "hits: 56"],
      ["&label=50%25+%2B+more_1.0-x", "50% + more_1.0-x: 56"],
      ["&label=Aufrufe%20f%C3%BCr%20%E8%AA%9E", "Aufrufe für 語: 56"],
      [`&label=${"x".repeat(24)}`, `${"x".repeat(24)}: 56`],
      [`&label=${"x".repeat(25)}`, `${"x".repeat(24)}: 56`],
      [`&label=${encodeURIComponent("𝒳".repeat(25))}`, `${"𝒳".repeat(24)}: 56`],
      ["&label=", "views (30d): 56"],
      ["&label=a:b", "ab: 56"],
      ["&label=%3Cscript%3E", "script: 56"],
      ["&label=a%22b", "ab: 56"],
      ["&label=a%26b", "ab: 56"],
      ["&label=a%00b", "ab: 56"],
      ["&label=a%0Ab", "ab: 56"],
      ["&label=%3C%20%3E", "views (30d): 56"],
      ["&label=cafe%CC%81", "café: 56"],
      ["&label=%F0%9F%98%80", "views (30d): 56"],
    ] as const)
      it(`${query} is called "${name}"`, async () => {
        assert.equal(nameOf(await badge(world(), query)), name);
      });

    it("shows the window and the all-time total side by side with total=1", async () => {
      assert.deepEqual(textsOf(await badge(world(), "&total=1")).slice(0, 2), [
        "views (30d)",
        "56",
      ]);
      assert.match(textsOf(await badge(world(), "&total=1"))[2] ?? "", /\b63\b/);
    });

    it("has two boxes side by side, three with the total, that fill its width", async () => {
      for (const [query, boxes] of [
        ["", 2],
        ["&total=1", 3],
        ["&label=%E8%AA%9E%E8%AA%9E", 2],
      ] as const) {
        const { text } = await badge(world(), query);
        const rects = [...text.matchAll(/<rect x="([\d.]+)" width="([\d.]+)"/g)].map(
          ([, x, width]) => [Number(x), Number(width)],
        );
        assert.equal(rects.length, boxes);
        let right = 0;
        for (const [x, width = 0] of rects) {
          assert.equal(x, right);
          right += width;
        }
        assert.equal(Number(/^<svg [^>]*?\bwidth="([\d.]+)"/.exec(text)?.[1]), right);
      }
    });

    it("takes its colors as 3 or 6 hex digits", async () => {
      const query = "&color=f00&labelColor=00FF00&totalColor=abc&total=1";
      assert.deepEqual(colorsOf(await badge(world(), query)), ["#00FF00", "#f00", "#abc"]);
    });

    it("keeps its own colors where they are anything else", async () => {
      const own = colorsOf(await badge(world(), "&total=1"));
      assert.equal(own.length, 3);
      for (const color of [
        "",
        "red",
        "%23f00",
        "ff",
        "ffff",
        "fffff",
        "fffffff",
        "f%22/%3E",
        "ggg",
      ]) {
        const query = `&total=1&color=${color}&labelColor=${color}&totalColor=${color}`;
        assert.deepEqual(colorsOf(await badge(world(), query)), own, color);
      }
    });

    it("lets nothing of the query reach the picture unescaped", async () => {
      const evil = encodeURIComponent(`"><script>alert('x')</script>&`);
      const keys = ["days", "label", "color", "labelColor", "totalColor", "total", "x"];
      const { text } = await badge(world(), keys.map((key) => `&${key}=${evil}`).join(""));
      assert.doesNotMatch(text, /<script|alert\(|'/);
    });

    it("is 0 where nothing was counted", async () => {
      assert.equal(nameOf(await world().ask("/badge?site=quiet")), "views (30d): 0");
      assert.equal(nameOf(await world().ask("/badge?site=quiet&days=all")), "views (all): 0");
    });

    it("answers a site that did not opt in and one that does not exist byte by byte alike", async () => {
      const [hidden, nobody] = await Promise.all(
        ["hidden", "nobody"].map((site) => world().ask(`/badge?site=${site}`)),
      );
      assert.equal(hidden?.status, 404);
      assert.equal(hidden?.json.code, "not_found");
      assert.deepEqual(hidden?.body, nobody?.body);
      const headersOf = (reply?: Reply) => ({ ...reply?.headers, date: "" });
      assert.deepEqual(headersOf(hidden), headersOf(nobody));
      assert.equal(nobody?.status, 404);
    });

    it("needs the opt-in whatever token comes with it", async () => {
      const headers = { authorization: "Bearer the-admin-token" };
      assert.equal((await world().ask("/badge?site=hidden", { headers })).status, 404);
    });

    it("may be kept for five minutes and shown on any page", async () => {
      const { headers } = await badge(world());
      assert.equal(headers["cache-control"], "public, max-age=300");
      assert.equal(headers["cross-origin-resource-policy"], "cross-origin");
    });
  });

  describe("the total of a badge", () => {
    const world = eachWorld({ env: { BADGE_SITES: "blog", RETENTION_DAYS: "10" } });

    it("does not shrink when days are past retention", async () => {
      for (let n = 0; n < 3; n++) await world().beacon({});
      for (let day = 0; day < 20; day++) {
        world().clock.jump(86_400_000);
        await world().service.store.upkeep();
      }
      await world().beacon({});
      assert.equal(nameOf(await badge(world(), "&days=400&total=1")), "views (400d): 1, 4 total");
      assert.equal(nameOf(await badge(world(), "&days=all")), "views (all): 4");
    });
  });

  describe("where no site opted in", () => {
    const world = sharedWorld();

    it("there is no badge, not even of the only site", async () => {
      for (const query of ["", "?site=blog"])
        assert.equal((await world().ask(`/badge${query}`)).status, 404);
    });
  });
});
