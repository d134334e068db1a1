import assert from "node:assert/strict";
import { ADMIN, type Ask, CHROME, sharedWorld } from "../../helpers/world.ts";

const asAdmin = { authorization: `Bearer ${ADMIN}` };
const EVERYTHING: readonly (readonly [string, Ask])[] = [
  ["/", {}],
  ["/s.js", {}],
  ["/e", {}],
  ["/e?s=blog&v=*", { headers: { "user-agent": CHROME, cookie: "a=b" } }],
  ["/a", {}],
  ["/s", { method: "POST", body: '{"sv":1}' }],
  ["/s", { method: "OPTIONS" }],
  ["/stats", { headers: asAdmin }],
  ["/stats", {}],
  ["/goals", { headers: asAdmin }],
  ["/marks", { headers: asAdmin }],
  ["/surveys", { headers: asAdmin }],
  ["/surveys/export", { headers: asAdmin }],
  ["/surveys/versions", { headers: asAdmin }],
  ["/overview", { headers: asAdmin }],
  ["/sites", { headers: asAdmin }],
  ["/badge?site=blog", {}],
  ["/badge?site=nobody", {}],
  ["/dashboard", {}],
  ["/help", {}],
  ["/dashboard.js", {}],
  ["/nothing", {}],
];

describe("the collector's headers", () => {
  const world = sharedWorld({ env: { BADGE_SITES: "blog" } });

  for (const path of ["/s.js", "/e", "/a", "/badge?site=blog", "/badge?site=nobody"])
    it(`let any page embed ${path}`, async () => {
      const { headers } = await world().ask(path);
      assert.equal(headers["cross-origin-resource-policy"], "cross-origin");
    });

  for (const path of ["/e", "/a"])
    it(`keep ${path} out of every cache`, async () => {
      assert.equal((await world().ask(path)).headers["cache-control"], "no-store");
    });

  for (const path of ["/dashboard", "/help"])
    describe(`of ${path}`, () => {
      const policyOf = async () => {
        const { headers } = await world().ask(path);
        const policy = String(headers["content-security-policy"]);
        return new Map(
          policy.split(";").map((directive) => {
            const [name = "", ...sources] = directive.trim().split(/\s+/);
            return [name, sources] as const;
          }),
        );
      };

      it("allow scripts of its own and none that is inline", async () => {
        const policy = await policyOf();
        const scripts = policy.get("script-src") ?? policy.get("default-src") ?? [];
        assert.deepEqual(scripts, ["'self'"]);
      });

      it("name no other origin", async () => {
        const known = new Set(["'self'", "'none'", "'unsafe-inline'", "data:"]);
        for (const [name, sources] of await policyOf())
          for (const source of sources) assert.ok(known.has(source), `${name} ${source}`);
      });

      it("allow nothing that they do not name", async () => {
        assert.deepEqual((await policyOf()).get("default-src"), ["'none'"]);
      });

      it("let nobody frame it", async () => {
        assert.deepEqual((await policyOf()).get("frame-ancestors"), ["'none'"]);
      });

      it("allow inline styles, which the charts write, and only for styles", async () => {
        for (const [name, sources] of await policyOf())
          assert.equal(sources.includes("'unsafe-inline'"), name === "style-src");
      });

      it("tell browsers to believe its type and to send no referrer", async () => {
        const { headers } = await world().ask(path);
        assert.equal(headers["x-content-type-options"], "nosniff");
        assert.equal(headers["referrer-policy"], "no-referrer");
      });
    });

  for (const [path, ask] of EVERYTHING)
    it(`set no cookie and name no program: ${ask.method ?? "GET"} ${path}`, async () => {
      const { headers } = await world().ask(path, ask);
      for (const name of ["set-cookie", "server", "x-powered-by"])
        assert.equal(headers[name], undefined, name);
    });

  it("open nothing but surveys and the beacon script to scripts of other origins", async () => {
    for (const [path, ask] of EVERYTHING) {
      const { headers } = await world().ask(path, {
        ...ask,
        headers: { ...ask.headers, origin: "https://evil.example" },
      });
      const open = headers["access-control-allow-origin"];
      assert.equal(open, ["/s", "/s.js"].includes(path) ? "*" : undefined, path);
    }
  });
});
