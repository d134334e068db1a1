import assert from "node:assert/strict";
import { BOUNDS, FULL_LOG_BYTES } from "../../../appliance/base/bounds.ts";
import { OTHER } from "../../../appliance/base/names.ts";
import { BatchEncoder } from "../../../appliance/store/log/batch.ts";
import type { Dimension } from "../../../appliance/store/log/record.ts";
import { databaseFile, openForWriting } from "../../../appliance/store/sqlite/database.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { Owner } from "../../helpers/owner.ts";
import { World } from "../../helpers/world.ts";

const FILE = { "content-type": "application/octet-stream" };
/** Five seconds of work: the bound of a log is as it is, and a backup of all of it is made, taken in and tried. */
const FULL = { batches: 160, views: 500 };

describe("a log that waits for the clock", () => {
  const start = "2026-03-04T10:00:00Z";
  let world: World;
  beforeEach(async () => {
    world = new World({ clock: new FakeClock(new Date(start).getTime(), { sure: false }) });
    await world.start();
  });
  afterEach(() => world.end());

  const owner = () => new Owner(world);
  const log = async () =>
    (await world.rows("SELECT count(*) AS rows, sum(length(body)) AS bytes FROM log"))[0] as {
      rows: number;
      bytes: number;
    };

  /** Batches of this boot, as commits would have added them. */
  function add(
    count: number,
    views: number,
    path: (n: number) => string,
    dimensions: readonly Dimension[] = ["path"],
    savedZero = world.clock.now(),
  ): void {
    const undated = { boot: world.clock.boot, savedZero };
    insert(
      Array.from({ length: count }, (_, batch) => {
        const encoder = new BatchEncoder(undated);
        for (let n = 0; n < views; n++) {
          const text = path(batch * views + n);
          const values = dimensions.map((name, i) => [name, `${text}${i || ""}`] as const);
          encoder.add({ site: 1, kind: "view", flags: 0, moment: n, times: 1, values });
        }
        return encoder.encode();
      }),
    );
  }

  function insert(batches: readonly Uint8Array[]): void {
    const db = openForWriting(databaseFile(world.dataDir));
    const one = db.prepare("INSERT INTO log (body) VALUES (?)");
    db.transaction(() => {
      for (const batch of batches) one.run(batch);
    })();
    db.close();
  }

  it("stays few batches, however many commits there were", async () => {
    add(3_000, 1, (n) => `/${n % 7}`);
    assert.equal((await world.stats()).pending, 3_000);
    await world.service.store.upkeep();
    assert.ok((await log()).rows < 200, JSON.stringify(await log()));
    assert.equal((await world.stats()).pending, 3_000);
    world.clock.becomeSure();
    await world.service.store.upkeep();
    const { path } = await world.stats();
    assert.equal(path["/0"], Math.ceil(3_000 / 7));
    assert.equal(Object.keys(path).length, 7);
  });

  it("puts together what waits for one clock, and not what another has stamped", async () => {
    const days = ["2026-02-10", "2026-02-20"] as const;
    // Batches of both, in turns.
    const [first, second] = days.map((day) => {
      const encoder = new BatchEncoder({ boot: world.clock.boot, savedZero: Date.parse(day) });
      const values = [["path", `/on-${day}`]] as const;
      encoder.add({ site: 1, kind: "view", flags: 0, moment: 0, times: 1, values });
      return encoder.encode();
    }) as [Uint8Array, Uint8Array];
    insert(Array.from({ length: 600 }, (_, n) => (n % 2 === 0 ? first : second)));
    await world.service.store.upkeep();
    assert.ok((await log()).rows < 300, JSON.stringify(await log()));
    await world.stop();
    world = new World({ clock: new FakeClock(start, { boot: "b2" }), after: world });
    await world.start();
    await world.service.store.upkeep();
    for (const day of days)
      assert.deepEqual((await world.stats({ day })).path, { [`/on-${day}`]: 300 });
  });

  it("keeps apart in its backup what waits for one clock and what another has stamped", async () => {
    const days = ["2026-02-10", "2026-02-20"] as const;
    for (const day of [...days, ...days]) add(1, 1, () => "/", ["path"], Date.parse(day));
    const file = (await owner().ask("GET", "/api/backup")).body;
    assert.equal((await owner().ask("POST", "/api/restore", file, { headers: FILE })).status, 204);
    await world.stop();
    world = new World({ clock: new FakeClock(start, { boot: "b2" }), after: world });
    await world.start();
    await world.service.store.upkeep();
    for (const day of days) assert.deepEqual((await world.stats({ day })).path, { "/": 2 });
  });

  it("takes hits without their texts once it is full, and its backup restores", async () => {
    const long = (n: number) => `/${String(n).padStart(120, "x")}`;
    add(FULL.batches, FULL.views, long, ["path", "host", "ref", "source", "utm_source"]);
    const before = await log();
    assert.ok(before.bytes > FULL_LOG_BYTES && before.bytes < BOUNDS.log.together);
    await world.stop();
    await world.start();
    for (let n = 0; n < 20; n++) await world.beacon({ p: `/after/${n}`.padEnd(100, "y") });
    const after = await log();
    assert.ok(after.bytes < BOUNDS.log.together);
    const file = (await owner().ask("GET", "/api/backup")).body;
    const reply = await owner().ask("POST", "/api/restore", file, { headers: FILE });
    assert.equal(reply.status, 204, reply.text);
    const db = openForWriting(databaseFile(world.dataDir));
    // The others are many, and another test's.
    db.exec("DELETE FROM log WHERE length(body) > 100000");
    db.close();
    world.clock.becomeSure();
    await world.service.store.upkeep();
    assert.equal((await world.stats()).path?.[OTHER], 20);
  });
});
