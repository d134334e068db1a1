import assert from "node:assert/strict";
import { ADMIN, eachWorld, sharedWorld, type World } from "../../helpers/world.ts";

const READS = ["/stats", "/goals", "/marks", "/surveys", "/surveys/export", "/surveys/versions"];
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe("who may read", () => {
  const world = sharedWorld({
    env: {
      SITES: "blog,my-site,open",
      STATS_TOKEN_BLOG: "blogs-token",
      STATS_TOKEN_MY_SITE: "my-sites-token",
    },
  });

  for (const path of READS)
    for (const [who, query, headers, status] of [
      ["the site's token in the header", "site=blog", bearer("blogs-token"), 200],
      ["the site's token in the address", "site=blog&token=blogs-token", {}, 200],
      ["the token of a site with a dash", "site=my-site", bearer("my-sites-token"), 200],
      ["the admin token in the header", "site=blog", bearer(ADMIN), 200],
      ["the admin token in the address", `site=blog&token=${ADMIN}`, {}, 200],
      ["the admin token, of a site without a token", "site=open", bearer(ADMIN), 200],
      ["the scheme in small letters", "site=blog", { authorization: "bearer blogs-token" }, 200],
      [
        "another scheme, beside a token in the address",
        "site=blog&token=blogs-token",
        { authorization: "Basic eDp5" },
        200,
      ],
      ["no token", "site=blog", {}, 401],
      ["an empty token", "site=blog&token=", bearer(""), 401],
      ["a wrong token", "site=blog", bearer("wrong"), 401],
      ["another site's token", "site=blog", bearer("my-sites-token"), 401],
      ["some site's token, of a site without one", "site=open", bearer("blogs-token"), 401],
      ["no token, of a site without one", "site=open", {}, 401],
      ["the beginning of the token", "site=blog", bearer("blogs-toke"), 401],
      ["the token and more", "site=blog", bearer("blogs-token2"), 401],
      ["the token in other letters", "site=blog", bearer("Blogs-Token"), 401],
      ["the token under another scheme", "site=blog", { authorization: "Basic blogs-token" }, 401],
      ["the token without a scheme", "site=blog", { authorization: "blogs-token" }, 401],
      [
        "a wrong token in the header, the right one in the address",
        "site=blog&token=blogs-token",
        bearer("wrong"),
        401,
      ],
      ["the admin token, of a site that does not exist", "site=nobody", bearer(ADMIN), 401],
      ["the admin token, of no site", "", bearer(ADMIN), 401],
    ] as const)
      it(`${path} answers ${status} to ${who}`, async () => {
        const reply = await world().ask(`${path}?${query}`, { headers });
        assert.equal(reply.status, status, reply.text);
      });

  it("says how a read names its site to who names it as the tag does", async () => {
    const headers = bearer(ADMIN);
    const refused = (query: string) => world().ask(`/stats${query}`, { headers });
    for (const query of ["?s=blog", "?s=nobody"]) {
      const reply = await refused(query);
      assert.equal(reply.status, 401, query);
      assert.match(reply.json.error, /^Name the site as `site`, like \?site=blog/, query);
    }
    assert.match((await refused("?site=nobody&s=blog")).json.error, /^The token is wrong/);
  });

  it("is told alike that a token is wrong and that a site does not exist", async () => {
    const refusals = await Promise.all(
      ["blog", "open", "nobody"].map((site) =>
        world().ask(`/stats?site=${site}`, { headers: bearer("wrong") }),
      ),
    );
    for (const { status, headers, json } of refusals) {
      assert.equal(status, 401);
      assert.equal(json.code, "unauthorized");
      assert.equal(headers["www-authenticate"], "Bearer");
      assert.deepEqual(json, refusals[0]?.json);
    }
  });

  it("is decided before the query is judged", async () => {
    for (const query of ["site=blog&day=yesterday", "site=blog&sv=0", "site=blog&cursor=x"])
      for (const path of READS)
        assert.equal((await world().ask(`${path}?${query}`)).status, 401, path);
  });

  it("is decided before a copy the client has is confirmed", async () => {
    const { headers } = await world().readRaw("/stats");
    const reply = await world().ask("/stats?site=blog", {
      headers: { "if-none-match": String(headers.etag) },
    });
    assert.equal(reply.status, 401);
  });

  it("needs no token for collection, badge and pages", async () => {
    for (const path of ["/", "/s.js", "/e", "/a", "/dashboard", "/help", "/dashboard.js"])
      assert.equal((await world().ask(path)).status, 200, path);
  });

  it("never shows a token back", async () => {
    const { text } = await world().ask("/stats?site=blog&token=my-sites-token&day=x");
    assert.doesNotMatch(text, /my-sites/);
  });
});

describe("without any token configured", () => {
  const world = sharedWorld({ env: { STATS_TOKEN: "" } });

  it("nobody may read: unset means no token, never any token", async () => {
    for (const path of [...READS, "/overview", "/sites"])
      for (const headers of [{}, bearer(""), bearer("null"), bearer("undefined"), bearer("0")]) {
        const { status } = await world().ask(`${path}?site=blog`, { headers });
        assert.equal(status, 401, path);
      }
  });
});

describe("an address with wrong tokens", () => {
  const world = eachWorld({ env: { STATS_TOKEN_BLOG: "blogs-token" } });
  const from = "127.0.0.7";

  async function fail(world: World, times: number, path = "/stats?site=blog"): Promise<number[]> {
    const statuses = [];
    for (let n = 0; n < times; n++)
      statuses.push((await world.ask(path, { from, headers: bearer(`wrong${n}`) })).status);
    return statuses;
  }

  it("gets 429 after 60 within a minute, with Retry-After", async () => {
    assert.deepEqual(new Set(await fail(world(), 60)), new Set([401]));
    const { status, headers, json } = await world().ask("/stats", { from, headers: bearer("x") });
    assert.deepEqual([status, json.code], [429, "rate_limited"]);
    assert.match(String(headers["retry-after"]), /^[1-9]\d*$/);
  });

  it("gets 429 with wrong ones until it waited, at every read; the right one always passes", async () => {
    await fail(world(), 61);
    for (const path of [...READS, "/overview", "/sites"]) {
      assert.deepEqual(await fail(world(), 1, path), [429], path);
      const query = path === "/sites" ? "" : "?site=blog&sv=1";
      const reply = await world().ask(path + query, { from, headers: bearer(ADMIN) });
      assert.equal(reply.status, 200, path);
    }
    world().clock.advance(60_000);
    assert.deepEqual(await fail(world(), 1), [401]);
  });

  it("is not one whose right tokens come to the wrong site", async () => {
    for (let n = 0; n < 70; n++) {
      const headers = bearer(n % 2 === 0 ? ADMIN : "blogs-token");
      const { status } = await world().ask("/stats?site=nobody", { from, headers });
      assert.equal(status, 401);
    }
    assert.deepEqual(await fail(world(), 1), [401]);
  });

  it("leaves other addresses alone", async () => {
    await fail(world(), 61);
    assert.equal((await world().ask("/stats", { headers: bearer(ADMIN) })).status, 200);
  });

  it("is counted over all reads, known sites and unknown", async () => {
    await fail(world(), 20, "/stats?site=blog");
    await fail(world(), 20, "/surveys?site=nobody");
    await fail(world(), 20, "/sites");
    assert.deepEqual(await fail(world(), 1, "/surveys/export?site=blog"), [429]);
  });

  it("may ask with the right token as often as it likes", async () => {
    const ask = () => world().ask("/stats?site=blog", { from, headers: bearer(ADMIN) });
    for (let n = 0; n < 8; n++) {
      const statuses = await Promise.all(Array.from({ length: 10 }, ask));
      assert.deepEqual(new Set(statuses.map(({ status }) => status)), new Set([200]));
    }
  });
});
