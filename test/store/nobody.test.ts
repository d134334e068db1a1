import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { NOBODY, type Stamp } from "../../appliance/store/counting.ts";
import { Commits } from "../../appliance/store/sqlite/commit.ts";
import { openForWriting } from "../../appliance/store/sqlite/database.ts";
import { engineOfSuite, onEachEngine } from "../helpers/engines.ts";
import { FakeClock } from "../helpers/fake-clock.ts";
import { eachFolder } from "../helpers/folder.ts";
import { keptIn } from "../helpers/kept.ts";
import { addSite, findSite } from "../helpers/stored-sites.ts";
import { keyOf } from "../helpers/traffic.ts";
import { eachWorld } from "../helpers/world.ts";

const DAY_MS = 86_400_000;
const SECRET = "zqxjkv";
const HOUR: Stamp = { hour: 492_000 };
const UNSURE: Stamp = { boot: "b1", at: 5_000, savedClock: 1_770_000_000_000 };

describe("a survey for a site that nobody has", () => {
  const folder = eachFolder();

  for (const [what, stamp] of [
    ["with a sure clock", HOUR],
    ["with an unsure clock", UNSURE],
  ] as const)
    it(`changes as many rows as for one that is there, ${what}`, () => {
      const db = openForWriting(join(folder(), "tallydeck.db"));
      addSite(db, "blog");
      const commits = new Commits(db);
      const total = () => db.prepare("SELECT total_changes()").pluck().get() as number;
      const changes = (site: number) => {
        const before = total();
        const surveys = [{ site, stamp, version: 1, payload: '{"sv":1}' }];
        db.transaction(() => commits.add({ log: [], surveys }))();
        return total() - before;
      };
      const known = changes(findSite(db, "blog")?.key ?? 0);
      assert.ok(known > 0);
      // The last is a site that was erased since it was resolved.
      for (const site of [NOBODY, -7, 4_711]) assert.equal(changes(site), known);
      db.close();
    });
});

onEachEngine(() => {
  describe("what was sent for a site that nobody has", () => {
    /** Nothing waits for a clock in a database elsewhere. */
    const isFile = engineOfSuite() === "SQLite";
    let sure = true;
    const world = eachWorld(() => ({ clock: new FakeClock("2026-03-04T12:00:00Z", { sure }) }));

    async function send(): Promise<void> {
      for (let i = 0; i < 5; i++) {
        const reply = await world().beacon({ p: `/${SECRET}${i}` }, { s: "nothere" });
        assert.equal(reply.status, 200);
        await world().ping({ dv: SECRET }, { s: "nothere" });
        assert.equal((await world().survey({ sv: 1, c: SECRET }, { s: "nothere" })).status, 204);
      }
    }

    const surveys = async () =>
      (await world().rows(
        `SELECT site, payload FROM survey${isFile ? " UNION ALL SELECT site, payload FROM waiting_survey" : ""}`,
      )) as { site: number; payload: string }[];

    /** Data of no site: records of the log, days of blocks, and responses. */
    async function left(): Promise<Record<"records" | "days" | "surveys", number>> {
      const site = keyOf(world());
      const { inLog, days } = await keptIn(world());
      return {
        records: inLog.filter((each) => each !== site).length,
        days: days.filter((each) => each.site !== site).length,
        surveys: (await surveys()).filter((each) => each.site !== site).length,
      };
    }
    const NOTHING = { records: 0, days: 0, surveys: 0 };

    async function assertNoTrace(): Promise<void> {
      const { dataDir } = world();
      const traces = readdirSync(dataDir).filter((name) =>
        readFileSync(join(dataDir, name)).includes(SECRET),
      );
      assert.deepEqual(traces, []);
      const texts = [
        ...(await keptIn(world())).texts,
        ...(await surveys()).map(({ payload }) => payload),
      ];
      for (const text of texts) assert.ok(!text.includes(SECRET), text);
    }

    it("is in no file, shows nowhere, and is gone once it is settled", async () => {
      await send();
      await assertNoTrace();
      assert.deepEqual(await world().counts(), {});
      assert.ok((await left()).records > 0);
      world().clock.setWall(world().clock.now() + DAY_MS);
      await world().service.store.upkeep();
      assert.deepEqual(await left(), NOTHING);
    });

    if (isFile)
      describe("while the clock is unsure", () => {
        before(() => {
          sure = false;
        });
        after(() => {
          sure = true;
        });

        it("is in no file, and is gone once the clock is sure", async () => {
          await send();
          await assertNoTrace();
          assert.ok((await left()).records > 0);
          await world().service.store.upkeep();
          assert.equal((await left()).surveys, 0);
          world().clock.becomeSure();
          await world().service.store.upkeep();
          assert.deepEqual(await left(), NOTHING);
          assert.deepEqual(await world().counts(), {});
        });
      });
  });
});
