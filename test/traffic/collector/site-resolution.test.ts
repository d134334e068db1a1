import assert from "node:assert/strict";
import { onOneEngine } from "../../helpers/engines.ts";
import { ADMIN, type Ask, CHROME, encode, sharedWorld, type World } from "../../helpers/world.ts";

const asAdmin = { authorization: `Bearer ${ADMIN}` };

let hits = 0;

/** Which of `sites` a hit made with `query` and `headers` counts for, or null. */
async function countedFor(
  world: World,
  sites: readonly string[],
  query: string,
  { headers = {}, path = "/e" }: Ask & { path?: string } = {},
): Promise<string | null> {
  const mark = `/hit${hits++}`;
  const v = encode(path === "/e" ? { p: mark } : { os: mark });
  const reply = await world.ask(`${path}?${query}&v=${v}`, {
    headers: { "user-agent": CHROME, ...headers },
  });
  assert.deepEqual([reply.status, reply.headers["content-type"]], [200, "image/gif"]);
  const found: string[] = [];
  for (const site of sites) {
    const { path: paths = {}, app_os = {} } = await world.stats({ site });
    if (mark in paths || mark in app_os) found.push(site);
  }
  assert.ok(found.length < 2, `counted for ${found}`);
  return found[0] ?? null;
}

onOneEngine(() => {
  describe("the site of a hit", () => {
    describe("among several, of which some have a host", () => {
      const sites = ["blog", "shop", "docs"];
      const world = sharedWorld({
        env: {
          SITES: "blog:Stats.Example.com,shop:t.example.org:8480,docs",
          BADGE_SITES: "blog,docs",
        },
      });

      for (const [host, query, site, why] of [
        ["stats.example.com", "", "blog", "the host of the request names it"],
        ["STATS.example.COM", "", "blog", "the host names it in other letters"],
        ["www.stats.example.com", "", "blog", "a leading www. is ignored"],
        ["t.example.org:8480", "", "shop", "the host's port is the site's"],
        ["t.example.org", "", null, "the host's port is not the site's"],
        ["stats.example.com:8480", "", null, "the host has a port and the site's has none"],
        ["x.stats.example.com", "", null, "it is another host below the site's"],
        ["stats.example.com", "s=shop", "blog", "the host goes before the name"],
        ["stats.example.com", "s=nobody", "blog", "the host goes before a name nobody has"],
        ["other.example", "s=shop", "shop", "s names it"],
        ["other.example", "site=docs", "docs", "site names it"],
        ["other.example", "s=shop&site=docs", "shop", "s goes before site"],
        ["other.example", "s=&site=docs", "docs", "an empty s is no name"],
        ["other.example", "s=nobody", null, "nobody has the name"],
        ["other.example", "s=Blog", "blog", "s names it in other letters"],
        ["other.example", "site=DOCS", "docs", "site names it in other letters"],
        ["stats.example.com.", "", "blog", "the host ends with the root's dot"],
        ["t.example.org.:8480", "", "shop", "the host ends with the root's dot before its port"],
        ["other.example", "s=stats.example.com", null, "a host is no name"],
        ["other.example", "", null, "there are several and no name"],
        ["", "", null, "there is no host"],
      ] as const)
        for (const path of ["/e", "/a"])
          it(`${path} is ${site} when ${why}`, async () => {
            assert.equal(
              await countedFor(world(), sites, query, { headers: { host }, path }),
              site,
            );
          });

      for (const [host, query, site] of [
        ["stats.example.com", "s=docs", "blog"],
        ["www.STATS.example.com", "", "blog"],
        ["other.example", "s=docs", "docs"],
        ["other.example", "s=nobody", null],
      ] as const)
        it(`is ${site} for a survey to ${host}/s?${query}`, async () => {
          const totals = () =>
            Promise.all(
              sites.map(async (id) => (await world().read("/surveys", { site: id })).total),
            );
          const before = await totals();
          await world().ask(`/s?${query}`, {
            method: "POST",
            headers: { host },
            from: `127.4.${host.length}.${query.length + 1}`,
            body: '{"sv":1}',
          });
          const after = await totals();
          const stored = sites.filter((_, at) => after[at] !== before[at]);
          assert.deepEqual(stored, site === null ? [] : [site]);
        });

      for (const [host, query, status] of [
        ["stats.example.com", "", 200],
        ["stats.example.com", "site=shop", 200],
        ["other.example", "site=docs", 200],
        ["other.example", "s=docs", 200],
        ["other.example", "site=Docs", 200],
        ["other.example", "site=nobody", 404],
        ["other.example", "", 404],
        ["t.example.org:8480", "site=blog", 404],
      ] as const)
        it(`has a badge: ${status} at ${host}/badge?${query}`, async () => {
          assert.equal(
            (await world().ask(`/badge?${query}`, { headers: { host } })).status,
            status,
          );
        });

      for (const [host, query, site] of [
        ["other.example", "site=shop", "shop"],
        ["other.example", "site=SHOP", "shop"],
        ["stats.example.com", "site=shop", "shop"],
        ["stats.example.com", "site=Shop", "shop"],
        ["stats.example.com", "", "blog"],
        ["stats.example.com", "site=", "blog"],
        ["stats.example.com", "site=nobody", "blog"],
        ["other.example", "site=nobody", null],
        ["other.example", "site=", null],
        ["other.example", "", null],
        ["other.example", "s=shop", null],
      ] as const)
        for (const path of ["/stats", "/surveys", "/surveys/export", "/surveys/versions"])
          it(`is ${site} for a read of ${host}${path}?${query}`, async () => {
            const reply = await world().ask(`${path}?${query}`, { headers: { ...asAdmin, host } });
            assert.equal(reply.status, site === null ? 401 : 200);
            if (site !== null) assert.equal(reply.json.site, site);
          });
    });

    describe("when there is exactly one", () => {
      const world = sharedWorld({ env: { BADGE_SITES: "blog" } });

      for (const [query, site] of [
        ["", "blog"],
        ["s=", "blog"],
        ["s=blog", "blog"],
        ["s=nobody", null],
        ["site=nobody", null],
      ] as const)
        for (const path of ["/e", "/a"])
          it(`${path}?${query} is ${site}`, async () => {
            assert.equal(await countedFor(world(), ["blog"], query, { path }), site);
          });

      for (const [query, status] of [
        ["", 200],
        ["site=blog", 200],
        ["site=nobody", 404],
      ] as const)
        it(`/badge?${query} answers ${status}`, async () => {
          assert.equal((await world().ask(`/badge?${query}`)).status, status);
        });

      for (const [query, status] of [
        ["", 200],
        ["site=blog", 200],
        ["site=nobody", 401],
      ] as const)
        it(`/stats?${query} answers ${status}`, async () => {
          assert.equal((await world().ask(`/stats?${query}`, { headers: asAdmin })).status, status);
        });
    });

    describe("when there is none", () => {
      const world = sharedWorld({ env: { SITES: "" } });

      it("is nothing: hits and surveys are answered as always", async () => {
        for (const path of ["/e", "/e?s=blog", "/a", "/a?s=blog"])
          assert.equal((await world().ask(path)).status, 200);
        assert.equal((await world().survey({ sv: 1 })).status, 204);
      });

      it("is nothing: reads answer 401 and badges 404", async () => {
        for (const path of ["/stats", "/stats?site=blog", "/surveys", "/surveys/export"])
          assert.equal((await world().ask(path, { headers: asAdmin })).status, 401);
        assert.equal((await world().ask("/badge?site=blog")).status, 404);
      });
    });

    describe("behind a proxy", () => {
      const env = { SITES: "blog:stats.example.com,shop" };
      const headers = { host: "127.0.0.1", "x-forwarded-host": "www.Stats.example.com" };

      describe("that is trusted", () => {
        const world = sharedWorld({ env: { ...env, TRUSTED_PROXIES: "127.0.0.0/8" } });

        it("is found by the host the proxy was asked for", async () => {
          assert.equal(await countedFor(world(), ["blog", "shop"], "", { headers }), "blog");
        });

        it("is found by the host itself where the proxy names none", async () => {
          const plain = { host: "stats.example.com" };
          assert.equal(await countedFor(world(), ["blog", "shop"], "", { headers: plain }), "blog");
        });
      });

      describe("that nobody trusts", () => {
        const world = sharedWorld({ env });

        it("is not found by what the proxy says", async () => {
          assert.equal(await countedFor(world(), ["blog", "shop"], "", { headers }), null);
        });
      });
    });
  });
});
