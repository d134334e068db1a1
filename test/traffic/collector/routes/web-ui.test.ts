import assert from "node:assert/strict";
import { ADMIN, sharedWorld } from "../../../helpers/world.ts";

const OWN = "the-blogs-token";

describe("the address of the Web UI", () => {
  const env = { SITES: "blog,shop", STATS_TOKEN_BLOG: OWN, TRUSTED_PROXIES: "127.9.9.9" };
  const world = sharedWorld({ env });
  const onLan = sharedWorld({ env: { ...env, BIND: "0.0.0.0" } });

  const tellsOf =
    (of: typeof world) =>
    async (headers: Record<string, string> = {}, { token = ADMIN, from = "127.0.0.1" } = {}) => {
      const authorization = `Bearer ${token}`;
      const ask = { from, headers: { authorization, ...headers } };
      const { status, json } = await of().ask("/web-ui?site=blog", ask);
      assert.equal(status, 200);
      return json.url;
    };
  const tells = tellsOf(world);
  const onLanTells = tellsOf(onLan);

  it("is told to who reads all sites, at the name that they use", async () => {
    const { collector, control } = onLan().service;
    for (const name of ["tallydeck.local", "192.0.2.7", "[2001:db8::1]"])
      assert.equal(
        await onLanTells({ host: `${name}:${collector.port}` }),
        `http://${name}:${control.port}`,
      );
  });

  it("is told to nobody else, and not without a token", async () => {
    assert.equal(await tells({}, { token: OWN }), null);
    const { status } = await world().ask("/web-ui?site=blog");
    assert.equal(status, 401);
  });

  it("is told on the machine itself only where no other reaches the Web UI", async () => {
    const { collector, control } = world().service;
    assert.equal(await tells(), `http://127.0.0.1:${control.port}`);
    assert.equal(await tells({ host: `tallydeck.local:${collector.port}` }), null);
    assert.equal(await tells({ "x-forwarded-for": "192.0.2.9" }), null);
  });

  it("is not guessed behind a proxy, whose name need not lead there", async () => {
    const { port } = onLan();
    assert.equal(await onLanTells({ host: "stats.example" }), null);
    assert.equal(await onLanTells({ host: "stats.example:8080" }), null);
    const told = { host: `127.0.0.1:${port}`, "x-forwarded-host": `stats.example:${port}` };
    assert.equal(await onLanTells(told, { from: "127.9.9.9" }), null);
  });
});
