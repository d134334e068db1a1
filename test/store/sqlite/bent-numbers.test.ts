import assert from "node:assert/strict";
import type Database from "better-sqlite3";
import { describe, it } from "mocha";
import { createLog, RecentProblems } from "../../../appliance/base/log.ts";
import { databaseFile, openForWriting } from "../../../appliance/store/sqlite/database.ts";
import { Owner } from "../../helpers/owner.ts";
import { eachWorld } from "../../helpers/world.ts";

const LAST = 2n ** 53n;

/** Numbers that a card has bent, and what is told of it. */
const BENT: readonly [what: string, bend: (db: Database.Database) => void, told: RegExp | null][] =
  [
    [
      "up to which the log is folded",
      (db) => db.prepare("UPDATE meta SET value = ? WHERE key = 'folded'").run(LAST - 1n),
      /Numbers of what was counted last were damaged/,
    ],
    [
      "up to which the log is folded, which is no number any more",
      (db) => db.prepare("UPDATE meta SET value = 'x' WHERE key = 'folded'").run(),
      /Numbers of what was counted last were damaged/,
    ],
    [
      "of batches",
      (db) => db.prepare("UPDATE log SET n = n + ?").run(LAST),
      /Numbers of what was counted last were damaged/,
    ],
    [
      "of the generation",
      (db) =>
        db
          .prepare("UPDATE meta SET value = ? WHERE key = 'generation'")
          .run(9_223_372_036_854_775_807n),
      /Numbers of what was counted last were damaged/,
    ],
    [
      "of a site",
      (db) => {
        db.exec("DELETE FROM log; UPDATE site SET key = 2147483646");
        db.exec("UPDATE block SET site = 2147483646");
        db.exec("UPDATE sqlite_sequence SET seq = 2147483646 WHERE name = 'site'");
      },
      /The number of the site blog was damaged/,
    ],
    [
      "of a part, which is no part any more",
      (db) => db.prepare("UPDATE block SET part = part + ?").run(LAST),
      /Numbers of counts were damaged; they are mended/,
    ],
    [
      "of a part, which is the last of its day",
      (db) => db.exec("UPDATE block SET part = (part / 65536 + 1) * 65536 - 1"),
      null,
    ],
  ];

describe("numbers that the card has bent", () => {
  const world = eachWorld(() => {
    const problems = new RecentProblems();
    return { problems, log: createLog(() => {}, problems) };
  });
  const views = async (site = "blog") => (await world().stats({ site })).pv?._ ?? 0;

  async function count(n: number, s = "blog"): Promise<void> {
    for (; n > 0; n--) await world().beacon({ p: "/" }, { s });
  }

  /** Five views that are settled, and three that are not. */
  async function bent(bend: (db: Database.Database) => void): Promise<void> {
    await count(5);
    await world().service.store.upkeep();
    await count(3);
    await world().stop();
    const db = openForWriting(databaseFile(world().dataDir));
    bend(db);
    db.close();
    await world().start({ SITES: "blog,later" });
  }

  for (const [what, bend, told] of BENT)
    it(`hold up nothing, and are told: that ${what}`, async () => {
      await bent(bend);
      const before = await views();
      assert.ok(before === 8 || what === "of a site");
      for (let fold = 1; fold <= 3; fold++) {
        await count(4);
        await count(2, "later");
        await world().service.store.upkeep();
        assert.deepEqual([await views(), await views("later")], [before + 4 * fold, 2 * fold]);
      }
      const { errors } = await new Owner(world()).get("/api/diagnostics");
      const messages = errors.map(({ message }: { message: string }) => message).join("\n");
      if (told === null) assert.equal(messages, "");
      else assert.match(messages, told);
    });

  it("of the month of a block are passed over, and told", async () => {
    await bent((db) => db.exec("UPDATE block SET month = month + 1000000000"));
    assert.equal(await views(), 3);
    await count(2);
    await world().service.store.upkeep();
    assert.equal(await views(), 5);
    const { errors } = await new Owner(world()).get("/api/diagnostics");
    assert.match(errors[0].message, /Numbers of 1 months of counts are damaged/);
  });
});
