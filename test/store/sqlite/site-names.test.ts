import assert from "node:assert/strict";
import { databaseFile, openForWriting } from "../../../appliance/store/sqlite/database.ts";
import { tallydeck } from "../../helpers/command-line.ts";
import { Owner } from "../../helpers/owner.ts";
import { addSite } from "../../helpers/stored-sites.ts";
import { eachWorld } from "../../helpers/world.ts";

describe("the names of stored sites", () => {
  const world = eachWorld({ env: { SITES: "blog" } });
  /** Stores sites as versions before could. */
  const stored = async (...ids: string[]) => {
    await world().stop();
    const db = openForWriting(databaseFile(world().dataDir));
    for (const id of ids) addSite(db, id);
    db.close();
  };
  const run = (...args: string[]) => tallydeck([...args, "--data-dir", world().dataDir]);

  it("stop the start when a declared site would have the same token", async () => {
    await stored("a-b");
    await assert.rejects(world().start({ SITES: "a_b" }), {
      message:
        "SITES names a_b, and there is a site a-b: the token of both would be STATS_TOKEN_A_B. Name another in SITES, or rename the one that is there: tallydeck sites rename a-b NEW",
    });
    await world().start();
    assert.equal((await world().read("/sites")).length, 2);
  });

  it("stop the start when two would have the same token, until one is renamed", async () => {
    await stored("a-b", "a_b");
    await assert.rejects(world().start(), {
      message: /^There are sites a-b and a_b: .* STATS_TOKEN_A_B/,
    });
    const { code, out } = await run("sites", "rename", "a_b", "ab");
    assert.deepEqual([code, out.slice(0, 13)], [0, "a_b is ab now"]);
    await world().start({ STATS_TOKEN_A_B: "one" });
    assert.equal((await world().readRaw("/stats", { site: "a-b" }, "one")).status, 200);
    assert.equal((await world().readRaw("/stats", { site: "ab" }, "one")).status, 401);
  });

  it("end `tallydeck run` with exit code 2 and what to do", async () => {
    await stored("a-b");
    const args = ["run", "--data-dir", world().dataDir, "--port", "0", "--webui-port", "0"];
    const { code, out, err } = await tallydeck(args, { SITES: "a_b" });
    assert.deepEqual([code, out], [2, ""]);
    assert.match(err, /^The configuration cannot be used:\n {2}SITES names a_b, and there is/);
  });

  it("refuse a restore that brings the twin of a declared site, and all stays as it was", async () => {
    const owner = new Owner(world());
    await owner.ask("POST", "/api/sites", { id: "a-b" });
    const file = (await owner.ask("GET", "/api/backup")).body;
    await owner.ask("DELETE", "/api/sites/a-b?confirm=a-b");
    await world().restart({ SITES: "blog,a_b" });
    await world().beacon({ p: "/kept" }, { s: "a_b" });
    const headers = { "content-type": "application/octet-stream" };
    const { status, json } = await owner.ask("POST", "/api/restore", file, { headers });
    assert.deepEqual([status, json.code], [400, "invalid_backup"]);
    assert.match(json.error, /SITES names a_b, and there is a site a-b: /);
    assert.deepEqual((await world().stats({ site: "a_b" })).path, { "/kept": 1 });
  });

  it("may be like a retired one, which does not come back then", async () => {
    await world().restart({ SITES: "blog,a-b" });
    await world().restart({ SITES: "blog,a_b" });
    const { status, json } = await new Owner(world()).ask("POST", "/api/sites", { id: "a-b" });
    assert.deepEqual([status, json.code], [409, "same_token_name"]);
  });

  it("may be `admin` where it was so before: it counts on, and the start says what to do", async () => {
    await stored("admin");
    await world().start();
    assert.match(world().said.join("\n"), /The site admin goes on counting, .* rename admin NEW/);
    await world().beacon({ p: "/" }, { s: "admin" });
    const { code, err } = await run("sites", "rename", "admin", "main");
    assert.equal(code, 0, err);
    world().said.length = 0;
    await world().restart();
    assert.deepEqual((await world().stats({ site: "main" })).path, { "/": 1 });
    assert.deepEqual(world().said, []);
  });

  it("that BADGE_SITES does not find are told at the start", async () => {
    await world().restart({ BADGE_SITES: "blog,bolg", SITES: "blog,," });
    assert.deepEqual(world().said.slice(-2), [
      "info: SITES has an empty entry, which is left out: is there a comma too many?",
      "info: BADGE_SITES names bolg: there is no such site now, and so no badge.",
    ]);
  });
});
