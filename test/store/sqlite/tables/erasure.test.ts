import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { databaseFile, openForWriting } from "../../../../appliance/store/sqlite/database.ts";
import { findSite, removeSite } from "../../../../appliance/store/sqlite/tables/sites.ts";
import { directoryBecomes, hasSite } from "../../../helpers/directory.ts";
import { FakeClock } from "../../../helpers/fake-clock.ts";
import { tallydeck } from "../../../helpers/tallydeck.ts";
import { keyOf, viewOf, views } from "../../../helpers/traffic.ts";
import { eachWorld } from "../../../helpers/world.ts";

const DAY_MS = 86_400_000;
/** In all that the erased site sends. */
const SECRET = "zqxjkv";

describe("erasing a site", () => {
  let sure = true;
  const world = eachWorld(() => ({
    env: { SITES: "keep", BADGE_SITES: "gone,keep" },
    clock: new FakeClock("2026-03-04T12:00:00Z", { sure }),
  }));

  async function command(...args: string[]): Promise<string> {
    const ended = await tallydeck([...args, "--data-dir", world().dataDir]);
    assert.equal(ended.code, 0, ended.err);
    return ended.out;
  }

  async function add(): Promise<void> {
    await command("sites", "add", "gone", "--host", `${SECRET}.example`);
    await directoryBecomes(world(), hasSite("gone"));
  }

  async function erase(): Promise<void> {
    assert.match(await command("sites", "erase", "gone", "--confirm", "gone"), /^Erased gone\.\n$/);
    await directoryBecomes(world(), (directory) => !hasSite("gone")(directory));
  }

  /** Views of both sites in turn, so that they lie side by side in the file; and surveys. */
  async function fill(): Promise<void> {
    for (let day = 0; day < 4; day++) {
      for (let part = 0; part < 10; part++) {
        const of = (word: string) =>
          Array.from({ length: 40 }, (_, i) => ({
            path: `/${word}/${"x".repeat((i * 7) % 90)}/${day}-${part}-${i}`,
            event_target: `${i}-${part}.${word}`,
          }));
        await views(world(), of(SECRET), "gone");
        await views(world(), of("keep"), "keep");
        for (const [s, word] of [
          ["gone", SECRET],
          ["keep", "keep"],
        ] as const)
          await world().survey({ sv: 1, c: `${word} ${"y".repeat(part * 20)}` }, { s });
      }
      world().clock.setWall(world().clock.now() + DAY_MS);
    }
    await world().service.store.upkeep();
  }

  /** Files in the data folder that hold the secret. */
  function traces(): string[] {
    const { dataDir } = world();
    return readdirSync(dataDir).filter((name) =>
      readFileSync(join(dataDir, name)).includes(SECRET),
    );
  }

  it("leaves no byte of what it counted in any file, while the service runs", async () => {
    await add();
    await fill();
    assert.notDeepEqual(traces(), []);
    await erase();
    assert.deepEqual(traces(), []);
    await world().stop();
    assert.deepEqual(traces(), []);
  });

  it("leaves other sites as they are", async () => {
    await add();
    await fill();
    const answers = () =>
      Promise.all([
        world().stats({ site: "keep", from: "first", series: 1, daily: 1 }),
        world().read("/surveys", { site: "keep" }),
        world()
          .ask("/badge?site=keep&days=all")
          .then(({ text }) => text),
      ]);
    const before = await answers();
    await erase();
    assert.deepEqual(await answers(), before);
  });

  it("goes to its end by itself when the power went in the middle", async () => {
    await add();
    await fill();
    await world().stop();
    const db = openForWriting(databaseFile(world().dataDir));
    removeSite(db, findSite(db, "gone")?.key ?? 0);
    db.close();
    await world().start();
    await world().service.store.upkeep();
    assert.deepEqual(traces(), []);
  });

  it("refuses to count for it from then on, and answers as always", async () => {
    await add();
    const { store } = world().service;
    const key = keyOf(world(), "gone");
    await erase();
    // As what is on its way while the site goes.
    await store.count(key, viewOf({ path: `/${SECRET}` }));
    await store.addSurvey(key, 1, JSON.stringify({ sv: 1, c: SECRET }));
    assert.deepEqual(traces(), []);
    assert.equal((await world().beacon({ p: "/" }, { s: "gone" })).status, 200);
    assert.equal((await world().survey({ sv: 1 }, { s: "gone" })).status, 204);
    assert.equal((await world().readRaw("/stats", { site: "gone" })).status, 401);
  });

  it("lets a site made anew under its name begin with nothing", async () => {
    await add();
    await fill();
    const token = (await command("tokens", "make", "gone")).trim();
    await erase();
    await add();
    await views(world(), [{ path: "/" }], "gone");
    const { pv, path } = await world().stats({ site: "gone", from: "first" });
    assert.deepEqual([pv, path], [{ _: 1 }, { "/": 1 }]);
    assert.equal((await world().read("/surveys", { site: "gone" })).total, 0);
    assert.match((await world().ask("/badge?site=gone&days=all")).text, /views \(all\): 1"/);
    assert.equal((await world().readRaw("/stats", { site: "gone" }, token)).status, 401);
  });

  describe("while the clock is unsure", () => {
    before(() => {
      sure = false;
    });
    after(() => {
      sure = true;
    });

    it("takes what waits for the clock with it", async () => {
      await add();
      await world().beacon({ p: `/${SECRET}` }, { s: "gone" });
      await world().survey({ sv: 1, c: SECRET }, { s: "gone" });
      assert.notDeepEqual(traces(), []);
      await erase();
      assert.deepEqual(traces(), []);
      world().clock.becomeSure();
      await world().service.store.upkeep();
      assert.deepEqual(traces(), []);
    });
  });
});
