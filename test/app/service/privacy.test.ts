import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { databaseFile } from "../../../appliance/store/sqlite/database.ts";
import { until } from "../../helpers/until.ts";
import { eachWorld, World } from "../../helpers/world.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Files in the data folder that hold one of these, as bytes. */
function filesWith(world: World, found: readonly Buffer[]): string[] {
  return readdirSync(world.dataDir, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .filter((name) => {
      const bytes = readFileSync(join(world.dataDir, name));
      return found.some((one) => bytes.includes(one));
    });
}

/** All blobs that a question finds, which has to find some. */
async function blobs(world: World, question: string): Promise<Buffer[]> {
  const found = (await world.rows(question)) as { blob: Buffer }[];
  const some = found.map(({ blob }) => blob).filter((blob) => blob.length > 0);
  assert.notEqual(some.length, 0);
  return some;
}

describe("with DETAIL_DAYS=0", () => {
  const world = eachWorld({ env: { DETAIL_DAYS: "0" } });
  let other: Database.Database | undefined;
  afterEach(() => other?.close());

  it("no file holds a record of a single visit once the log is folded", async () => {
    for (const p of ["/a", "/b", "/c"]) await world().beacon({ p });
    const records = await blobs(world(), "SELECT body AS blob FROM log");
    assert.notDeepEqual(filesWith(world(), records), []);
    await world().service.store.upkeep();
    assert.deepEqual(await world().rows("SELECT * FROM log"), []);
    assert.deepEqual(await world().rows("SELECT * FROM piece"), []);
    assert.deepEqual(filesWith(world(), records), []);
    assert.deepEqual((await world().counts()).path, { "/a": 1, "/b": 1, "/c": 1 });
  });

  it("none does after a power cut before the traces were taken away, once the service runs again", async () => {
    await world().beacon({ p: "/a" });
    const records = await blobs(world(), "SELECT body AS blob FROM log");
    other = new Database(databaseFile(world().dataDir), { readonly: true });
    // In the way of who empties the write-ahead log.
    other.exec("BEGIN; SELECT * FROM log");
    await world().service.store.upkeep();
    const dataDir = mkdtempSync(join(tmpdir(), "tallydeck-test-"));
    cpSync(world().dataDir, dataDir, { recursive: true });
    const after = new World({ dataDir, env: { DETAIL_DAYS: "0" }, clock: world().clock });
    try {
      assert.notDeepEqual(filesWith(after, records), []);
      await after.start();
      await after.service.store.upkeep();
      assert.deepEqual(filesWith(after, records), []);
    } finally {
      await after.end();
    }
  });

  it("none does an hour after the visit, whenever upkeep comes by", async () => {
    world().clock.advance(MINUTE_MS);
    await world().beacon({ p: "/a" });
    other = new Database(databaseFile(world().dataDir), { readonly: true });
    const batches = other.prepare("SELECT count(*) FROM log").pluck();
    assert.equal(batches.get(), 1);
    world().clock.advance(59 * MINUTE_MS);
    await until(() => batches.get() === 0);
  });
});

describe("with DETAIL_DAYS=2", () => {
  const world = eachWorld({ env: { DETAIL_DAYS: "2" } });

  it("no file holds what came together once those days are over", async () => {
    await world().beacon({ p: "/a" });
    const { service, clock } = world();
    await service.store.upkeep();
    const details = await blobs(world(), "SELECT bytes AS blob FROM piece");
    assert.notDeepEqual(filesWith(world(), details), []);
    for (let day = 0; day < 3; day++) {
      clock.advance(DAY_MS);
      await service.store.upkeep();
    }
    assert.deepEqual(await world().rows("SELECT * FROM piece"), []);
    assert.deepEqual(filesWith(world(), details), []);
  });
});
