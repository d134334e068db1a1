import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type Database from "better-sqlite3";
import { createLog, RecentProblems } from "../../../appliance/base/log.ts";
import {
  databaseFile,
  openForWriting,
  withDatabase,
} from "../../../appliance/store/sqlite/database.ts";
import { Owner } from "../../helpers/owner.ts";
import { until } from "../../helpers/until.ts";
import { eachWorld } from "../../helpers/world.ts";

const LAST = 2n ** 53n;
const FILE = { "content-type": "application/octet-stream" };

type Bend = (db: Database.Database) => void;

/** Numbers that a card has bent, and that are found in a file of any size. */
const BENT: Readonly<Record<string, Bend>> = {
  "up to which the log is folded": (db) => db.prepare("UPDATE folded SET n = ?").run(LAST - 1n),
  "of the node whose log is folded": (db) => db.exec("UPDATE folded SET node = 3"),
  "of batches": (db) => db.prepare("UPDATE log SET n = n + ?").run(LAST),
  "of the generation": (db) =>
    db.prepare("UPDATE generation SET n = ?").run(9_223_372_036_854_775_807n),
  "of the source that is counted here": (db) => db.exec("UPDATE generation SET source = -1"),
  "of a source": (db) =>
    db.exec(`INSERT INTO source (number, origin, kind, name) VALUES (${LAST}, 'ab', 'copy', 'x')`),
  "of a site": (db) => db.exec("UPDATE document SET id = '2147483646' WHERE kind = 'site'"),
  "of the newest site, which is another's": (db) => db.exec("UPDATE revision SET last_site = 0"),
  "of the newest site, which none may have": (db) =>
    db.exec("UPDATE revision SET last_site = 2147483646"),
  "of a change": (db) => db.prepare("UPDATE document SET revision = ?").run(LAST),
  "of the newest change": (db) => db.prepare("UPDATE revision SET n = ?").run(LAST),
  "of the rows of blocks": (db) => db.prepare("UPDATE block SET rowid = rowid + ?").run(LAST),
  "of a site that is erased": (db) =>
    db.prepare("INSERT INTO erased_site (key) VALUES (?)").run(LAST + 1n),
  "of a day that was counted on": (db) =>
    db.prepare("INSERT INTO counted_day (day, run_ms) VALUES (?, 0)").run(-LAST - 1n),
  "of a response": (db) => db.prepare("UPDATE survey SET id = ?").run(LAST + 1n),
  "of the next response": (db) =>
    db.prepare("UPDATE sqlite_sequence SET seq = ?").run(2n ** 63n - 1n),
  "of a response that waits": waits,
};

/** Numbers that are found in a file that a start looks through. */
const BENT_IN_SMALL: Readonly<Record<string, Bend>> = {
  "of a site that has a past": (db) => db.exec("INSERT INTO past VALUES (-1, 0, 'pv', 1)"),
  "of the source of a response": (db) => db.exec("UPDATE survey SET source = 2147483646"),
};

/** Numbers that mean another thing, and which nobody can tell. */
const UNTOLD: Readonly<Record<string, Bend>> = {
  "of a source, which is another's": (db) => db.exec("UPDATE block SET source = 7"),
  "of a part, which is the last of its day": (db) =>
    db.exec("UPDATE block SET part = (part / 65536 + 1) * 65536 - 1"),
};

function waits(db: Database.Database): void {
  db.prepare(
    `INSERT INTO waiting_survey (id, site, boot, at, saved_clock, version, payload)
     VALUES (?, 1, 'before', 0, 0, 1, '{"sv":1,"c":"waits"}')`,
  ).run(LAST + 1n);
}

/** A file that is larger than what a start looks through. */
function enlarge(db: Database.Database): void {
  db.exec("INSERT INTO past SELECT 1, 0, hex(zeroblob(5000000)), 1");
}

describe("numbers that the card has bent", () => {
  const world = eachWorld(() => {
    const problems = new RecentProblems();
    return { problems, log: createLog(() => {}, problems) };
  });
  const views = async (site = "blog") => (await world().stats({ site })).pv?._ ?? 0;
  const said = async () =>
    (await new Owner(world()).get("/api/diagnostics")).errors
      .map(({ message }: { message: string }) => message)
      .join("\n");

  async function count(n: number, s = "blog"): Promise<void> {
    for (; n > 0; n--) await world().beacon({ p: "/" }, { s });
  }

  function bend(...bends: readonly Bend[]): void {
    withDatabase(openForWriting(databaseFile(world().dataDir)), (db) => {
      db.pragma("ignore_check_constraints = ON");
      for (const each of bends) each(db);
    });
  }

  /** Five views that are settled, three that are not, and a response. */
  async function bent(...bends: readonly Bend[]): Promise<void> {
    await count(5);
    await world().service.store.upkeep();
    await count(3);
    await world().survey({ sv: 1, c: "stored" });
    await world().stop();
    bend(...bends);
    await world().start({ SITES: "blog,later" });
  }

  function assertRefused(): void {
    const { message, flaw } = world().service.unusable ?? assert.fail("it was taken");
    assert.match(message, /is damaged \(.+\)\. Restore a backup with `tallydeck restore FILE`\.$/);
    assert.equal(flaw, "damaged");
  }

  for (const [what, change] of Object.entries(BENT))
    it(`have a start ask for a backup, however large the file is: that ${what}`, async () => {
      await bent(change, enlarge);
      assertRefused();
    });

  for (const [what, change] of Object.entries(BENT_IN_SMALL))
    it(`have a start ask for a backup: that ${what}`, async () => {
      await bent(change);
      assertRefused();
    });

  for (const [what, change] of Object.entries(UNTOLD))
    it(`hold up nothing where they may be right: that ${what}`, async () => {
      await bent(change);
      for (let fold = 0; fold < 3; fold++) {
        assert.deepEqual([await views(), await views("later")], [8 + 4 * fold, 2 * fold]);
        await count(4);
        await count(2, "later");
        await world().service.store.upkeep();
      }
      assert.equal(await said(), "");
    });

  it("are other ones once the file itself is restored", async () => {
    await bent(BENT["of batches"] ?? assert.fail());
    assertRefused();
    const owner = new Owner(world());
    const file = readFileSync(databaseFile(world().dataDir));
    const reply = await owner.ask("POST", "/api/restore", file, { headers: FILE });
    assert.equal(reply.status, 204, reply.text);
    while (world().service.unusable !== undefined) await owner.ask("GET", "/api/rescue");
    await count(2);
    assert.equal(await views(), 10);
  });

  it("of a site that cannot be read are told, and others count on", async () => {
    await bent((db) =>
      db.exec(`INSERT INTO document (kind, id, body, revision) VALUES ('site', '77', '{', 1);
        UPDATE revision SET last_site = 77`),
    );
    assert.match(await said(), /The site of number 77 is damaged/);
    assert.equal(await views(), 8);
  });

  it("hold up no upkeep where they are bent while it runs", async () => {
    await bent();
    bend(
      waits,
      BENT["of a site that is erased"] ?? assert.fail(),
      BENT["of a day that was counted on"] ?? assert.fail(),
    );
    await world().service.store.upkeep();
    assert.equal(await views(), 8);
    assert.equal((await world().read("/surveys", { sv: 1 })).total, 2);
  });

  it("stop the counting, and are told, where what comes next would have none that is sound", async () => {
    await bent();
    bend(BENT["up to which the log is folded"] ?? assert.fail());
    await count(1);
    await until(() => world().service.unusable !== undefined);
    assert.match(world().service.unusable?.message ?? "", /The data is damaged \(CHECK constraint/);
  });

  it("of the month of a block are passed over where no start has looked", async () => {
    await bent();
    bend((db) => db.exec("UPDATE block SET month = month + 1000000000"));
    assert.equal(await views(), 0);
    await count(2);
    await world().service.store.upkeep();
    assert.equal(await views(), 2);
  });
});
