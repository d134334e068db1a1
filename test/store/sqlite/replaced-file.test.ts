import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { silentLog } from "../../../appliance/base/log.ts";
import { databaseFile, openForReading } from "../../../appliance/store/sqlite/database.ts";
import { SqliteEngine } from "../../../appliance/store/sqlite/engine.ts";
import { Store } from "../../../appliance/store/store.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { eachFolder } from "../../helpers/folder.ts";
import { UNHEARD } from "../../helpers/memory-engine.ts";
import { reusedThreads } from "../../helpers/threads.ts";
import { viewOf } from "../../helpers/traffic.ts";

/** Detail for no day, and all days kept. */
const DAYS = { retentionDays: 1_000, detailDays: 0 };

describe("a file that takes the place of another", () => {
  const folder = eachFolder();
  const clock = new FakeClock();
  const options = () => ({ dataDir: folder(), clock, log: silentLog(), threads: reusedThreads });
  const opened: Store[] = [];
  afterEach(() => Promise.all(opened.splice(0).map((store) => store.close())));

  async function open(): Promise<Store> {
    const store = await Store.open({ ...options(), ...DAYS });
    opened.push(store);
    await store.local.upkeep.first;
    return store;
  }

  /** A view that waits in the log. */
  async function view({ numbers }: Store): Promise<void> {
    if (numbers.directory.sites.length === 0) await numbers.write("createSite", { id: "blog" });
    await numbers.count(numbers.directory.sites[0]?.key ?? null, viewOf({ path: "/" }));
  }

  /** A copy of the data with one view in its log, as a restore brings it. */
  async function copied(): Promise<string> {
    const store = await open();
    await view(store);
    await opened.pop()?.close();
    const copy = join(folder(), "copy.db");
    copyFileSync(databaseFile(folder()), copy);
    return copy;
  }

  const rowsOf = (table: string) => {
    const db = openForReading(databaseFile(folder()));
    const count = db.prepare(`SELECT count(*) FROM ${table}`).pluck().get();
    db.close();
    return count;
  };

  it("is settled though the one before had been on this day", async () => {
    const copy = await copied();
    const store = await open();
    assert.deepEqual([rowsOf("log"), rowsOf("block")], [0, 1]);
    await store.local.replaceFile(async (file) => copyFileSync(copy, file));
    assert.ok(await store.local.upkeep.first);
    assert.deepEqual([rowsOf("log"), rowsOf("block")], [0, 1]);
  });

  it("has its sites changed by what it has, where that was asked for meanwhile", async () => {
    const copy = await copied();
    const { numbers, local, write } = await open();
    for (const id of ["news", "shop"]) await numbers.write("createSite", { id });
    const origins = { kind: { name: "origin" }, put: [{ id: "a", body: "{}" }], remove: [] };
    const sites = [{ id: "shop", host: "shop.example" }];
    const begun = Promise.withResolvers<void>();
    const replaced = Promise.withResolvers<void>();
    const held = local.replaceFile(async (file) => {
      begun.resolve();
      await replaced.promise;
      copyFileSync(copy, file);
    });
    await begun.promise;
    // It waits for the file, and is planned by what there is then.
    const imported = write("importSettings", { sites, documents: [origins] });
    replaced.resolve();
    await held;
    await imported;
    await numbers.write("createSite", { id: "later" });
    assert.deepEqual(
      numbers.directory.sites.map(({ id, key, host }) => [id, key, host]),
      [
        ["blog", 1, null],
        ["later", 3, null],
        ["shop", 2, "shop.example"],
      ],
    );
  });

  it("is not settled by what was prepared on the one before", async () => {
    const copy = await copied();
    const engine = await SqliteEngine.open(options(), UNHEARD);
    try {
      const time = { boot: clock.boot, bootedAt: clock.now() - clock.monotonic() };
      const asked = {
        ...time,
        today: Math.floor(clock.now() / 86_400_000),
        ...DAYS,
        isFirst: true,
        minBytes: 0,
      };
      const settle = async () => {
        const settlement = await engine.settlement(asked);
        assert.ok(settlement);
        return () => engine.send({ kind: "settle", at: 0, settlement });
      };
      const before = await settle();
      await engine.replaceFile(async (file) => copyFileSync(copy, file));
      assert.deepEqual(await before(), { ok: true, surveys: [], more: false, isInVain: true });
      assert.deepEqual([rowsOf("log"), rowsOf("block")], [1, 0]);
      await (await settle())();
      assert.deepEqual([rowsOf("log"), rowsOf("block")], [0, 1]);
    } finally {
      await engine.close();
    }
  });
});
