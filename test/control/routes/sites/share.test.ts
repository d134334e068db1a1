import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { sha256 } from "../../../../appliance/base/system/secrets.ts";
import type { NewShare, Share } from "../../../../appliance/control/wire.ts";
import {
  databaseFile,
  openForReading,
  openForWriting,
} from "../../../../appliance/store/sqlite/database.ts";
import { tallydeck } from "../../../helpers/command-line.ts";
import { assertError, Owner } from "../../../helpers/owner.ts";
import { setSite } from "../../../helpers/stored-sites.ts";
import { untilTold } from "../../../helpers/until.ts";
import { eachWorld } from "../../../helpers/world.ts";

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe("a site's shared link", () => {
  const world = eachWorld({ env: { SITES: "blog,docs" } });
  const owner = Owner.each(world);
  const PATH = "/api/sites/blog/shares";
  const make = async (name = "A client", where: string[] = []) => {
    const reply = await owner.ask("POST", PATH, { name, where });
    assert.equal(reply.status, 201, reply.text);
    return reply.json as NewShare;
  };
  const share = async () => (await make()).token;
  const list = async (): Promise<Share[]> => (await owner.get(PATH)).shares;
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

  it("is taken back alone", async () => {
    const [first, second] = [await make("One"), await make("Two")];
    assert.equal((await owner.ask("DELETE", `${PATH}/${first.id}`)).status, 204);
    assert.ok(!(await opens("/stats?site=blog", first.token)));
    assert.ok(await opens("/stats?site=blog", second.token));
    assertError(await owner.ask("DELETE", `${PATH}/${first.id}`), 404, "not_found");
  });

  it("is listed with its name and what it shows, and with nothing that opens it", async () => {
    const { token } = await make("  A <b>client</b> ", ["path:begins:/blog"]);
    const all = await make("All");
    const { text } = await owner.ask("GET", PATH);
    assert.ok(!text.includes(token.slice(4)));
    const [part, second] = await list();
    assert.deepEqual(
      [part?.name, part?.where, part?.lastUsed],
      ["A <b>client</b>", ["path:begins:/blog"], null],
    );
    assert.deepEqual(second, { id: all.id, name: "All", where: [], lastUsed: null });
  });

  it("is listed with the day on which it was used last", async () => {
    const { clock } = world();
    clock.setWall("2026-03-04T12:00:00Z");
    const [first] = [await make("One"), await make("Two")];
    const used = async () => (await list()).map(({ lastUsed }) => lastUsed);
    const becomes = (day: string) => untilTold(async () => (await used())[0] === day);
    await ask("/stats?site=blog", first.token);
    await becomes("2026-03-04");
    clock.advance(86_400_000);
    await ask("/marks?site=blog", first.token);
    await becomes("2026-03-05");
    await ask("/stats?site=docs", first.token);
    await world().restart();
    assert.deepEqual(await used(), ["2026-03-05", null]);
  });

  it("is one of sixteen at most, and the seventeenth is refused", async () => {
    for (let n = 1; n <= 16; n += 1) await make(`Link ${n}`);
    assertError(await owner.ask("POST", PATH, { name: "More" }), 409, "share_limit");
    const [first] = await list();
    await owner.ask("DELETE", `${PATH}/${first?.id}`);
    await make("More");
  });

  for (const [what, body] of [
    ["none", {}],
    ["an empty one", { name: " " }],
    ["one of 41 characters", { name: "é".repeat(41) }],
    ["a number", { name: 5 }],
    ["another field beside it", { name: "A", site: "docs" }],
  ] as const)
    it(`has a name, and not ${what}`, async () => {
      assertError(await owner.ask("POST", PATH, body), 400, "invalid_field");
    });

  it("of an earlier release keeps working, and is taken back like others", async () => {
    const token = `tds_${"a".repeat(43)}`;
    await world().stop();
    const db = openForWriting(databaseFile(world().dataDir));
    setSite(db, "blog", { share: { hash: sha256(token), where: [] } });
    db.close();
    await world().start();
    await make("Another");
    assert.ok(await opens("/stats?site=blog", token));
    assert.deepEqual(
      (await list()).map(({ name }) => name),
      ["First link", "Another"],
    );
    assert.equal((await owner.ask("DELETE", `${PATH}/first`)).status, 204);
    assert.ok(!(await opens("/stats?site=blog", token)));
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
    const { id, token } = await make("A part", where);
    const { body } = await owner.ask("GET", "/api/backup");
    await owner.ask("DELETE", `${PATH}/${id}`);
    const headers = { "content-type": "application/octet-stream" };
    assert.equal((await owner.ask("POST", "/api/restore", body, { headers })).status, 204);
    assert.deepEqual((await ask("/stats?site=blog", token)).json.bound, where);
  });

  it("is told by the list of sites, without what opens it", async () => {
    const token = await share();
    const { text, json } = await owner.ask("GET", "/api/sites");
    const found = json.sites.map(({ shares }: { shares: number }) => shares);
    assert.deepEqual(found, [1, 0]);
    assert.ok(!text.includes(token));
  });

  it("is told by the command line, too", async () => {
    const listed = async () => (await tallydeck(["tokens", "--data-dir", world().dataDir])).out;
    await share();
    assert.match(await listed(), /^blog: no token, shared by a link\ndocs: no token$/m);
    await share();
    assert.match(await listed(), /^blog: no token, shared by 2 links$/m);
  });

  it("goes with its site", async () => {
    await owner.ask("POST", "/api/sites", { id: "shop" });
    const { token } = (await owner.ask("POST", "/api/sites/shop/shares", { name: "A" })).json;
    await ask("/stats?site=shop", token);
    await owner.ask("DELETE", "/api/sites/shop?confirm=shop");
    await owner.ask("POST", "/api/sites", { id: "shop" });
    assert.ok(!(await opens("/stats?site=shop", token)));
    const db = openForReading(databaseFile(world().dataDir));
    const kept = "SELECT count(*) FROM document WHERE kind = 'shares'";
    assert.equal(db.prepare(kept).pluck().get(), 0);
    db.close();
  });

  it("is for a site that is there", async () => {
    const path = "/api/sites/nobody/shares";
    for (const reply of [
      await owner.ask("GET", path),
      await owner.ask("POST", path, { name: "A" }),
      await owner.ask("DELETE", `${path}/first`),
    ])
      assertError(reply, 404, "not_found");
  });

  it("is no guess at the wrong site", async () => {
    const token = await share();
    for (let n = 0; n < 70; n++) await ask("/stats?site=docs", token);
    assert.equal((await ask("/stats?site=docs", "wrong")).status, 401);
  });
});
