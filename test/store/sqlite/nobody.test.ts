import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Stamp } from "../../../appliance/store/counting.ts";
import { NOBODY } from "../../../appliance/store/counting.ts";
import { Commits } from "../../../appliance/store/sqlite/commit.ts";
import { databaseFile, openForWriting } from "../../../appliance/store/sqlite/database.ts";
import { addSite, findSite } from "../../../appliance/store/sqlite/tables/sites.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { eachFolder } from "../../helpers/folder.ts";
import { kept } from "../../helpers/kept.ts";
import { keyOf } from "../../helpers/traffic.ts";
import { eachWorld } from "../../helpers/world.ts";

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
        db.transaction(() => commits.add({ log: [], withdraw: [], surveys }))();
        return total() - before;
      };
      const known = changes(findSite(db, "blog")?.key ?? 0);
      assert.ok(known > 0);
      // The last is a site that was erased since it was resolved.
      for (const site of [NOBODY, -7, 4_711]) assert.equal(changes(site), known);
      db.close();
    });
});

describe("what was sent for a site that nobody has", () => {
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

  /** What belongs to no site: records of the log, days of blocks, and responses. */
  function left(): Record<"records" | "days" | "surveys", number> {
    const site = keyOf(world());
    const { inLog, days } = kept(world().dataDir);
    const db = openForWriting(databaseFile(world().dataDir));
    const surveys = ["survey", "waiting_survey"].map((table) =>
      Number(db.prepare(`SELECT count(*) FROM ${table} WHERE site <> ?`).pluck().get(site)),
    );
    db.close();
    return {
      records: inLog.filter((each) => each !== site).length,
      days: days.filter((each) => each.site !== site).length,
      surveys: surveys.reduce((sum, n) => sum + n, 0),
    };
  }
  const NOTHING = { records: 0, days: 0, surveys: 0 };

  function assertNoTrace(): void {
    const { dataDir } = world();
    const traces = readdirSync(dataDir).filter((name) =>
      readFileSync(join(dataDir, name)).includes(SECRET),
    );
    assert.deepEqual(traces, []);
    for (const text of kept(dataDir).texts) assert.ok(!text.includes(SECRET), text);
  }

  it("is in no file, shows nowhere, and is gone once it is settled", async () => {
    await send();
    assertNoTrace();
    assert.deepEqual(await world().counts(), {});
    assert.ok(left().records > 0);
    world().clock.setWall(world().clock.now() + DAY_MS);
    await world().service.store.upkeep();
    assert.deepEqual(left(), NOTHING);
  });

  describe("while the clock is unsure", () => {
    before(() => {
      sure = false;
    });
    after(() => {
      sure = true;
    });

    it("is in no file, and is gone once the clock is sure", async () => {
      await send();
      assertNoTrace();
      assert.ok(left().records > 0);
      await world().service.store.upkeep();
      assert.equal(left().surveys, 0);
      world().clock.becomeSure();
      await world().service.store.upkeep();
      assert.deepEqual(left(), NOTHING);
      assert.deepEqual(await world().counts(), {});
    });
  });
});
