import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { databaseFile, openForReading } from "../../../../appliance/store/sqlite/database.ts";
import { tallydeck } from "../../../helpers/command-line.ts";
import { assertError, Owner } from "../../../helpers/owner.ts";
import { eachWorld } from "../../../helpers/world.ts";

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe("a site's shared link", () => {
  const world = eachWorld({ env: { SITES: "blog,docs" } });
  const owner = Owner.each(world);
  const share = async (id = "blog"): Promise<string> => {
    const reply = await owner.ask("POST", `/api/sites/${id}/share`);
    assert.equal(reply.status, 200, reply.text);
    return reply.json.token;
  };
  const ask = (path: string, token: string) => world().ask(path, { headers: bearer(token) });
  const opens = async (path: string, token: string) => (await ask(path, token)).status === 200;

  it("opens the traffic of that site", async () => {
    const reply = await ask("/stats?site=blog", await share());
    assert.deepEqual([reply.status, reply.json.site], [200, "blog"]);
    assert.equal(reply.headers["tallydeck-sites"], "1");
  });

  it("opens nothing else, and names no other site", async () => {
    const token = await share();
    for (const path of [
      "/overview",
      "/sites",
      "/stats?site=docs",
      "/stats?site=nobody",
      "/surveys?site=blog",
      "/surveys/export?site=blog",
    ]) {
      const { status, text } = await ask(path, token);
      assert.equal(status, 401, path);
      assert.doesNotMatch(text, /docs/);
    }
    assert.equal((await owner.ask("POST", "/api/session", { token })).status, 401);
  });

  it("leaves the site's own token as it is, and is left by it", async () => {
    const own = (await owner.ask("POST", "/api/sites/blog/token")).json.token;
    const token = await share();
    assert.ok(await opens("/stats?site=blog", own));
    await owner.ask("POST", "/api/sites/blog/token");
    assert.ok(await opens("/stats?site=blog", token));
  });

  it("is worthless once it is revoked, and once there is another", async () => {
    const [first, second] = [await share(), await share()];
    assert.ok(!(await opens("/stats?site=blog", first)));
    assert.ok(await opens("/stats?site=blog", second));
    assert.equal((await owner.ask("DELETE", "/api/sites/blog/share")).status, 204);
    assert.ok(!(await opens("/stats?site=blog", second)));
    assert.equal((await owner.ask("DELETE", "/api/sites/blog/share")).status, 204);
  });

  it("outlives a start, and is nowhere but as a hash", async () => {
    const token = await share();
    await world().restart();
    assert.ok(await opens("/stats?site=blog", token));
    await world().stop();
    assert.ok(!readFileSync(databaseFile(world().dataDir)).includes(token));
  });

  it("keeps its filters through a backup and a restore", async () => {
    const where = ["path:begins:/blog"];
    const { token } = (await owner.ask("POST", "/api/sites/blog/share", { where })).json;
    const { body } = await owner.ask("GET", "/api/backup");
    await owner.ask("DELETE", "/api/sites/blog/share");
    const headers = { "content-type": "application/octet-stream" };
    assert.equal((await owner.ask("POST", "/api/restore", body, { headers })).status, 204);
    assert.deepEqual((await ask("/stats?site=blog", token)).json.bound, where);
  });

  it("is told by the list of sites, without what opens it", async () => {
    const token = await share();
    const { text, json } = await owner.ask("GET", "/api/sites");
    const found = json.sites.map(({ shared }: { shared: boolean }) => shared);
    assert.deepEqual(found, [true, false]);
    assert.ok(!text.includes(token));
  });

  it("is told by the command line, too", async () => {
    await share();
    const { out } = await tallydeck(["tokens", "--data-dir", world().dataDir]);
    assert.match(out, /^blog: no token, shared by a link\ndocs: no token$/m);
  });

  it("goes with its site", async () => {
    await owner.ask("POST", "/api/sites", { id: "shop" });
    const token = await share("shop");
    await owner.ask("DELETE", "/api/sites/shop?confirm=shop");
    await owner.ask("POST", "/api/sites", { id: "shop" });
    assert.ok(!(await opens("/stats?site=shop", token)));
    const db = openForReading(databaseFile(world().dataDir));
    const shared = "SELECT count(*) FROM document WHERE body ->> 'share' IS NOT NULL";
    assert.equal(db.prepare(shared).pluck().get(), 0);
    db.close();
  });

  it("is for a site that is there", async () => {
    for (const method of ["POST", "DELETE"] as const)
      assertError(await owner.ask(method, "/api/sites/nobody/share"), 404, "not_found");
  });

  it("is no guess at the wrong site", async () => {
    const token = await share();
    for (let n = 0; n < 70; n++) await ask("/stats?site=docs", token);
    assert.equal((await ask("/stats?site=docs", "wrong")).status, 401);
  });
});
