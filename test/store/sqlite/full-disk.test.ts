import assert from "node:assert/strict";
import { existsSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import Database from "better-sqlite3";
import type { Space } from "../../../appliance/store/engine.ts";
import {
  databaseFile,
  openForWriting,
  spareBytesOf,
} from "../../../appliance/store/sqlite/database.ts";
import { SqliteDb } from "../../../appliance/store/sqlite/db.ts";
import { BALLAST_BYTES } from "../../../appliance/store/sqlite/room.ts";
import { upkeepStep } from "../../../appliance/store/sqlite/upkeep.ts";
import { tallydeck } from "../../helpers/command-line.ts";
import { Disk, needDisks } from "../../helpers/disk.ts";
import { eachFolder } from "../../helpers/folder.ts";
import { Owner } from "../../helpers/owner.ts";
import { views } from "../../helpers/traffic.ts";
import { eachWorld, World } from "../../helpers/world.ts";

const MB = 1024 ** 2;
const PLENTY: Space = { free: 1e12, total: 1e12 };

describe("on a disk that is full", () => {
  let disk: Disk;
  let world: World;
  let owner: Owner;

  needDisks();
  beforeEach(async () => {
    disk = Disk.inMemory(32);
    const dataDir = join(disk.folder, "data");
    mkdirSync(dataDir);
    // Says that there is plenty, so that a small disk will do for a test.
    world = new World({ dataDir, env: { SITES: "keep" }, space: async () => PLENTY });
    await world.start();
    owner = new Owner(world);
    await owner.ask("POST", "/api/sites", { id: "gone" });
    for (const site of ["gone", "keep"])
      await views(
        world,
        Array.from({ length: 1_500 }, (_, i) => ({ path: `/${site}/${i}` })),
        site,
      );
    await lookAround();
    assert.ok(existsSync(ballast()));
  });
  afterEach(async () => {
    await world.stop();
    disk.remove();
  });

  const ballast = () => join(world.dataDir, "ballast");

  /** The service looks at the disk every ten seconds. */
  async function lookAround(): Promise<void> {
    world.clock.advance(10_000);
    await world.stats({ site: "keep" });
  }

  /** Takes all space, also what the log of the database has left. */
  async function fill(): Promise<void> {
    disk.fill();
    for (let i = 0; !world.service.store.numbers.warnings.includes("storage_unavailable"); i++)
      await world.beacon({ p: `/fill/${i}` }, { s: "keep" });
  }

  const erase = () => owner.ask("DELETE", "/api/sites/gone?confirm=gone");

  it("a site can be erased, by the Web UI", async () => {
    await fill();
    assert.equal((await erase()).status, 204);
    assert.equal((await world.readRaw("/stats", { site: "gone" })).status, 401);
    const db = new Database(databaseFile(world.dataDir), { readonly: true });
    const left = db.prepare("SELECT count(*) FROM erased_site").pluck().get();
    db.close();
    assert.equal(left, 0);
  });

  it("a site can be erased, by the command line", async () => {
    await fill();
    await world.stop();
    const args = ["sites", "erase", "gone", "--confirm", "gone", "--data-dir", world.dataDir];
    const { code, out, err } = await tallydeck(args);
    assert.deepEqual([code, out], [0, "Erased gone.\n"], err);
  });

  it("what is kept in reserve is not for counts, and is had anew once there is room", async () => {
    await fill();
    await lookAround();
    assert.ok(existsSync(ballast()));
    await erase();
    assert.ok(!existsSync(ballast()));
    disk.empty();
    await lookAround();
    assert.ok(existsSync(ballast()));
  });

  it("what is kept in reserve is really taken from the disk", () => {
    assert.ok(statSync(ballast()).blocks * 512 >= BALLAST_BYTES);
  });
});

describe("a disk that does not say how much is free", () => {
  let asked = 0;
  let hangs = false;
  const world = eachWorld({
    async space() {
      asked++;
      if (hangs) await new Promise(() => {});
      return PLENTY;
    },
  });

  it("is asked once, and not again while that lasts", async () => {
    hangs = true;
    asked = 0;
    world().clock.advance(60_000);
    assert.equal(asked, 1);
    await world().beacon({});
    world().clock.advance(60_000);
    assert.equal(asked, 1);
  });
});

describe("the ballast", () => {
  let space: Space;
  const world = eachWorld(() => {
    space = { free: 130 * MB, total: 1_024 * MB };
    return { space: async () => space };
  });

  it("is only taken well above low space", async () => {
    const isThere = () => existsSync(join(world().dataDir, "ballast"));
    const lookAround = async () => {
      world().clock.advance(10_000);
      await world().stats();
    };
    await lookAround();
    assert.equal(isThere(), false);
    space = { free: 140 * MB, total: 1_024 * MB };
    await lookAround();
    assert.equal(isThere(), true);
  });
});

/** Leaves about so many megabytes of free pages in the database. */
function leaveFree(db: Database.Database, megabytes: number): void {
  db.exec("CREATE TABLE filler (bytes BLOB)");
  db.prepare(
    `INSERT INTO filler WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT ?)
     SELECT zeroblob(${MB}) FROM n`,
  ).run(megabytes);
  db.exec("DROP TABLE filler");
}

describe("free space inside the database", () => {
  const folder = eachFolder();
  let space: Space;
  let world: World;

  beforeEach(() => {
    // As versions before this one made it: such a file does not shrink.
    const db = new Database(databaseFile(folder()));
    db.pragma("journal_mode = WAL");
    db.close();
    space = { free: 60 * MB, total: 1_024 * MB };
  });
  afterEach(() => world.stop());

  async function start(megabytes: number): Promise<void> {
    const prepare = (db: Database.Database) => leaveFree(db, megabytes);
    world = new World({ dataDir: folder(), space: async () => space, prepare });
    await world.start();
    await world.service.store.upkeep();
    await lookAround();
  }

  async function lookAround(): Promise<void> {
    world.clock.advance(10_000);
    await nextTurn();
    await world.stats();
  }

  it("counts as room in a file that cannot shrink", async () => {
    await start(50);
    assert.deepEqual((await world.stats()).warnings, undefined);
    await views(world, [{ path: "/new" }]);
    assert.deepEqual((await world.stats()).path, { "/new": 1 });
  });

  it("does not when there is too little of it, or the log has no room beside it", async () => {
    await start(20);
    assert.deepEqual((await world.stats()).warnings, ["storage_full"]);
    space = { free: 100 * MB, total: 1_024 * MB };
    await lookAround();
    assert.equal((await world.stats()).warnings, undefined);
    space = { free: 31 * MB, total: 100 * MB };
    await lookAround();
    assert.deepEqual((await world.stats()).warnings, ["storage_full"]);
  });
});

describe("a database that has become too large", () => {
  const folder = eachFolder();

  it("is given back to the disk in small steps, but for a little", async () => {
    const file = databaseFile(folder());
    const db = openForWriting(file);
    leaveFree(db, 20);
    const time = { boot: "b1", bootedAt: 0, today: 20_000, retentionDays: 800 };
    const spareBytes = spareBytesOf(db);
    const free = [spareBytes()];
    const data = new SqliteDb(db);
    while (await data.transaction((sql) => upkeepStep(db, sql, time))) free.push(spareBytes());
    db.close();
    const steps = free.slice(1).map((bytes, i) => (free[i] ?? 0) - bytes);
    assert.ok(Math.max(...steps) <= 512 * 1024, `${Math.max(...steps)} bytes in one step`);
    assert.ok(statSync(file).size < 10 * MB, `${statSync(file).size} bytes stay`);
  });
});
