import assert from "node:assert/strict";
import type Database from "better-sqlite3";
import { createLog, RecentProblems } from "../../../appliance/base/log.ts";
import { databaseFile, openForWriting } from "../../../appliance/store/sqlite/database.ts";
import { Owner } from "../../helpers/owner.ts";
import { eachWorld } from "../../helpers/world.ts";

const LAST = 2n ** 53n;

const LOG_DAMAGED = /Numbers of what was counted last were damaged/;

/** Numbers that a card has bent, and what is told of it. */
const BENT: Readonly<Record<string, readonly [(db: Database.Database) => void, RegExp | null]>> = {
  "up to which the log is folded": [
    (db) => db.prepare("UPDATE folded SET n = ?").run(LAST - 1n),
    LOG_DAMAGED,
  ],
  "up to which the log is folded, which is no number any more": [
    (db) =>
      db.exec(`DROP TABLE folded; CREATE TABLE folded (node INTEGER PRIMARY KEY, n);
                 INSERT INTO folded VALUES (0, 'x')`),
    LOG_DAMAGED,
  ],
  "of batches": [(db) => db.prepare("UPDATE log SET n = n + ?").run(LAST), LOG_DAMAGED],
  "of the generation": [
    (db) => db.prepare("UPDATE generation SET n = ?").run(9_223_372_036_854_775_807n),
    LOG_DAMAGED,
  ],
  "of a site": [
    (db) => {
      db.exec("DELETE FROM log; UPDATE document SET id = '2147483646' WHERE kind = 'site'");
      db.exec("UPDATE block SET site = 2147483646");
      db.exec("UPDATE revision SET last_site = 2147483646");
    },
    /The number of the site blog was damaged/,
  ],
  "of a part, which is no part any more": [
    (db) => db.prepare("UPDATE block SET part = part + ?").run(LAST),
    /Numbers of counts were damaged; they are mended/,
  ],
  "of a source, which is no source any more": [
    (db) => db.prepare("UPDATE block SET source = ?").run(LAST),
    /Numbers of counts were damaged; they are mended/,
  ],
  "of a source, which is another's": [(db) => db.exec("UPDATE block SET source = 7"), null],
  "of the rows of blocks": [
    (db) => db.prepare("UPDATE block SET rowid = rowid + ?").run(LAST),
    /Numbers of responses or of counts were damaged/,
  ],
  "of a site that is erased": [
    (db) => db.prepare("INSERT INTO erased_site (key) VALUES (?)").run(LAST + 1n),
    /The number of a site that is erased was damaged/,
  ],
  "of a day that was counted on": [
    (db) =>
      db.prepare("INSERT INTO counted_day (day, run_ms) VALUES (?, ?)").run(-LAST - 1n, -LAST),
    /The marks of days that were counted on were damaged/,
  ],
  "of a part, which is the last of its day": [
    (db) => db.exec("UPDATE block SET part = (part / 65536 + 1) * 65536 - 1"),
    null,
  ],
};

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

  for (const [what, [bend, told]] of Object.entries(BENT))
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

  it("hold up nothing, and are told: those of responses, and of all that follow", async () => {
    await world().survey({ sv: 1, c: "stored" });
    await bent((db) => {
      db.prepare("UPDATE survey SET id = ?").run(LAST + 1n);
      db.prepare("UPDATE sqlite_sequence SET seq = ?").run(2n ** 63n - 1n);
      db.prepare(
        `INSERT INTO waiting_survey (id, site, boot, at, saved_clock, version, payload)
         VALUES (?, 1, 'before', 0, ?, 1, '{"sv":1,"c":"waited"}')`,
      ).run(LAST + 1n, world().clock.now());
    });
    await world().survey({ sv: 1, c: "later" });
    await world().service.store.upkeep();
    const { comments } = await world().read("/surveys", { sv: 1 });
    const said = comments.map(({ c }: { c: string }) => c).sort();
    assert.deepEqual(said, ["later", "stored", "waited"]);
    const { errors } = await new Owner(world()).get("/api/diagnostics");
    assert.match(errors[0].message, /Numbers of responses or of counts were damaged/);
  });

  it("of a site that cannot be read are told, and others count on", async () => {
    await bent((db) => {
      db.exec(`INSERT INTO document (kind, id, body, revision) VALUES ('site', '77', '{', 1)`);
    });
    const { errors } = await new Owner(world()).get("/api/diagnostics");
    assert.match(errors[0].message, /The site of number 77 is damaged/);
    assert.equal(await views(), 8);
  });

  it("of a site leave it what its surveys are called", async () => {
    const labels = { "1": { q: { name: "Was it good?" } } };
    const owner = new Owner(world());
    assert.equal((await owner.ask("PUT", "/api/sites/blog/survey-labels", labels)).status, 200);
    await bent((db) => {
      db.exec("DELETE FROM log");
      db.exec("UPDATE document SET id = '2147483646' WHERE kind IN ('site', 'survey_labels')");
    });
    const found = await new Owner(world()).get("/api/sites/blog/survey-labels");
    assert.deepEqual(found, labels);
  });

  it("hold up no upkeep where they are bent while it runs", async () => {
    await bent(() => {});
    const db = openForWriting(databaseFile(world().dataDir));
    const more = `INSERT INTO waiting_survey (id, site, boot, at, saved_clock, version, payload)
                  VALUES (?, 1, 'before', 0, 0, 1, '{"sv":1,"c":"waits"}')`;
    db.prepare(more).run(LAST + 1n);
    db.prepare("INSERT INTO erased_site (key) VALUES (?)").run(LAST + 1n);
    db.prepare("INSERT INTO counted_day (day, run_ms) VALUES (?, ?)").run(-LAST - 1n, -LAST);
    db.close();
    await world().service.store.upkeep();
    assert.equal(await views(), 8);
    assert.equal((await world().read("/surveys", { sv: 1 })).total, 1);
  });

  it("leave nothing of a site that is erased", async () => {
    await bent((db) => {
      db.prepare("INSERT INTO erased_site (key) VALUES (?)").run(LAST + 1n);
      db.exec("INSERT INTO past (site, counter, n) VALUES (77, 'pv', 3)");
    });
    await world().service.store.upkeep();
    assert.deepEqual(await world().rows("SELECT * FROM past"), []);
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
