import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { databaseFile, openForWriting } from "../../../appliance/store/sqlite/database.ts";
import { tallydeck } from "../../helpers/command-line.ts";
import { directoryBecomes, hasSite } from "../../helpers/directory.ts";
import { engineOfSuite, onEachEngine } from "../../helpers/engines.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { keptIn } from "../../helpers/kept.ts";
import { Owner } from "../../helpers/owner.ts";
import { removeSite } from "../../helpers/stored-sites.ts";
import { keyOf, viewOf, views } from "../../helpers/traffic.ts";
import { eachWorld } from "../../helpers/world.ts";

const DAY_MS = 86_400_000;
/** In all that the erased site sends. */
const SECRET = "zqxjkv";

onEachEngine(() => {
  describe("erasing a site", () => {
    const isFile = engineOfSuite() === "SQLite";
    /** Tests for files only, whose bytes are checked, or whose power is cut. */
    const onFile = isFile ? it : () => {};
    let sure = true;
    const world = eachWorld(() => ({
      env: { SITES: "keep", BADGE_SITES: "gone,keep" },
      clock: new FakeClock("2026-03-04T12:00:00Z", { sure }),
    }));

    async function command(...args: string[]): Promise<string> {
      const ended = await tallydeck([...args, ...world().dataArgs]);
      assert.equal(ended.code, 0, ended.err);
      return ended.out;
    }

    async function add(): Promise<void> {
      await command("sites", "add", "gone", "--host", `${SECRET}.example`);
      await directoryBecomes(world(), hasSite("gone"));
    }

    async function erase(): Promise<void> {
      assert.match(
        await command("sites", "erase", "gone", "--confirm", "gone"),
        isFile ? /^Erased gone\.\n$/ : /^Erased gone\. Those who count there/,
      );
      await directoryBecomes(world(), (directory) => !hasSite("gone")(directory));
      // A fleet takes it out of what it has by and by.
      if (!isFile) await world().service.store.upkeep();
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

    /** Places with the secret: files in the data folder, and rows of a database elsewhere. */
    async function traces(): Promise<string[]> {
      const { dataDir } = world();
      const files = readdirSync(dataDir).filter((name) =>
        readFileSync(join(dataDir, name)).includes(SECRET),
      );
      if (isFile) return files;
      const payloads = (await world().rows("SELECT payload FROM survey")) as { payload: string }[];
      const texts = [...(await keptIn(world())).texts, ...payloads.map(({ payload }) => payload)];
      return [...files, ...texts.filter((text) => text.includes(SECRET))];
    }

    it("leaves nothing of what it counted, and no byte in any file, while the service runs", async () => {
      await add();
      await fill();
      assert.notDeepEqual(await traces(), []);
      await erase();
      assert.deepEqual(await traces(), []);
      if (isFile) await world().stop();
      assert.deepEqual(await traces(), []);
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

    onFile("goes to its end by itself when the power went in the middle", async () => {
      await add();
      await fill();
      await world().stop();
      const db = openForWriting(databaseFile(world().dataDir));
      removeSite(db, "gone");
      db.close();
      await world().start();
      await world().service.store.upkeep();
      assert.deepEqual(await traces(), []);
    });

    it("refuses to count for it from then on, and answers as always", async () => {
      await add();
      const { store } = world().service;
      const key = keyOf(world(), "gone");
      await erase();
      // As what is on its way while the site goes.
      await store.numbers.count(key, viewOf({ path: `/${SECRET}` }));
      await store.numbers.addSurvey(key, 1, JSON.stringify({ sv: 1, c: SECRET }));
      assert.deepEqual(await traces(), []);
      assert.equal((await world().beacon({ p: "/" }, { s: "gone" })).status, 200);
      assert.equal((await world().survey({ sv: 1 }, { s: "gone" })).status, 204);
      assert.equal((await world().readRaw("/stats", { site: "gone" })).status, 401);
    });

    for (const [where, isByHand] of [
      ["on the command line", true],
      ["in the Web UI", false],
    ] as const)
      it(`takes in nothing that was on its way to a site which counted until it was erased ${where}`, async () => {
        await add();
        const key = keyOf(world(), "gone");
        await views(world(), [{ path: "/known" }], "gone");
        if (isByHand) await erase();
        else await new Owner(world()).ask("DELETE", "/api/sites/gone?confirm=gone");
        await world().service.store.upkeep();
        await world().service.store.numbers.count(key, viewOf({ path: `/${SECRET}` }));
        assert.deepEqual(await traces(), []);
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

    if (isFile)
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
          assert.notDeepEqual(await traces(), []);
          await erase();
          assert.deepEqual(await traces(), []);
          world().clock.becomeSure();
          await world().service.store.upkeep();
          assert.deepEqual(await traces(), []);
        });
      });
  });
});
