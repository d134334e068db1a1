import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { PATIENCE_MS } from "../../appliance/store/intake/intake.ts";
import { databaseFile } from "../../appliance/store/sqlite/database.ts";
import { Disk, needDisks } from "../helpers/disk.ts";
import { until } from "../helpers/until.ts";
import { World } from "../helpers/world.ts";

/** Above low space, and below what ballast is taken at. */
const ENOUGH = { free: 110 * 1024 ** 2, total: 1024 ** 3 };

/** Lets time pass in steps of `ms` until commits have failed so many times more. */
async function failMore(world: World, times: number, ms: number): Promise<void> {
  const failed = () => world.service.store.numbers.figures.failedBatches;
  for (const wanted = failed() + times; failed() < wanted; ) {
    const before = failed();
    world.clock.advance(ms);
    await until(() => failed() > before);
  }
}

/** Lets time pass until all that waited is stored. */
async function recover(world: World, stepMs: number): Promise<void> {
  while ((await world.stats()).warnings?.includes("storage_unavailable"))
    world.clock.advance(stepMs);
  // Is answered by a commit that holds everything before.
  await world.ping({ v: "last" });
}

describe("while commits are tried in vain", () => {
  let world: World;
  let holder: Database.Database;

  beforeEach(async () => {
    world = new World();
    await world.start();
    holder = new Database(databaseFile(world.dataDir));
  });
  afterEach(async () => {
    holder.close();
    await world.end();
  });

  it("hits that come are counted with those that wait, in every dimension", async () => {
    const healthy = new World();
    await healthy.start();
    try {
      const sent: Promise<unknown>[] = [];
      const views = (to: World, round: number) =>
        ["/", "/", "/", "/", `/${round}`, `/${round}`, "/a", "/b"].map((p) =>
          to.beacon({ p, r: p === "/" ? "news.example" : "direct", l: "de", z: "Europe/Berlin" }),
        );
      holder.exec("BEGIN IMMEDIATE");
      for (let round = 0; round < 3; round++) {
        // A commit is tried from now on, which takes a second to fail.
        world.clock.advance(100);
        sent.push(...views(world, round));
        await until(() => world.service.store.numbers.figures.waitingHits === 8 * (round + 1));
        await failMore(world, 1, PATIENCE_MS);
      }
      holder.exec("ROLLBACK");
      await Promise.all(sent);
      await recover(world, 100);
      for (let round = 0; round < 3; round++) await Promise.all(views(healthy, round));
      await healthy.ping({ v: "last" });
      assert.deepEqual(await world.counts(), await healthy.counts());
    } finally {
      await healthy.end();
    }
  });

  it("a survey that is refused in the middle of a commit is never stored", async () => {
    holder.exec("BEGIN IMMEDIATE");
    const refused = world.survey({ sv: 1, c: "refused" });
    // Its commit is tried for a second.
    for (let reads = 0; reads < 20; reads++) await world.stats();
    world.clock.advance(PATIENCE_MS);
    assert.equal((await refused).status, 503);
    await failMore(world, 1, 100);
    holder.exec("ROLLBACK");
    await recover(world, 100);
    assert.equal((await world.survey({ sv: 1, c: "stored" })).status, 204);
    const { comments } = await world.read("/surveys");
    const found = comments.map(({ c }: { c: string }) => c);
    assert.deepEqual(found, ["stored"]);
  });
});

describe("after a disk was full for long", () => {
  let disk: Disk;
  let world: World;

  needDisks();
  beforeEach(async () => {
    disk = Disk.inMemory(4);
    const dataDir = join(disk.folder, "data");
    mkdirSync(dataDir);
    world = new World({ dataDir, space: async () => ENOUGH });
    await world.start();
  });
  afterEach(async () => {
    await world.stop();
    disk.remove();
  });

  /** The log of the database may have room for a little. */
  async function fill(): Promise<void> {
    disk.fill();
    for (let i = 0; !world.service.store.numbers.figures.unavailable; i++)
      await world.beacon({ p: `/fill/${i}` });
  }

  it("what waits is stored within seconds when it is full for a moment again", async () => {
    await fill();
    await failMore(world, 8, 64_000);
    disk.empty();
    await recover(world, 1_000);
    await fill();
    disk.empty();
    world.clock.advance(2_000);
    // No more time passes, however long its commit takes.
    await until(() => !world.service.store.numbers.figures.unavailable);
  });
});
