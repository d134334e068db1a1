import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { dayOf } from "../../../../appliance/base/calendar.ts";
import type { BatchData, Stamp } from "../../../../appliance/store/counting.ts";
import { NOBODY } from "../../../../appliance/store/counting.ts";
import { maskedHit } from "../../../../appliance/store/counts/nobody.ts";
import { Ledger } from "../../../../appliance/store/sqlite/counts/ledger.ts";
import { emptyNobody } from "../../../../appliance/store/sqlite/counts/nobody.ts";
import {
  type Database,
  databaseFile,
  openForWriting,
} from "../../../../appliance/store/sqlite/database.ts";
import { addSite, findSite } from "../../../../appliance/store/sqlite/tables/sites.ts";
import { FakeClock } from "../../../helpers/fake-clock.ts";
import { eachFolder } from "../../../helpers/folder.ts";
import { keyOf, logOf, viewOf } from "../../../helpers/traffic.ts";
import { eachWorld } from "../../../helpers/world.ts";

const DAY_MS = 86_400_000;
const SECRET = "zqxjkv";
const HOUR: Stamp = { hour: 492_000 };
const UNSURE: Stamp = { boot: "b1", at: 5_000, savedClock: 1_770_000_000_000 };
const TWO = ["/a", "/b"];

describe("what is sent for a site that nobody has", () => {
  const folder = eachFolder();
  let db: Database;
  let ledger: Ledger;
  let site: number;

  beforeEach(() => {
    db = openForWriting(join(folder(), "tallydeck.db"));
    addSite(db, "blog");
    site = findSite(db, "blog")?.key ?? 0;
    ledger = new Ledger(db);
    // The day's first hit notes that there is such a day, whosever it is.
    addSite(db, "other");
    const other = findSite(db, "other")?.key ?? 0;
    for (const stamp of [HOUR, UNSURE]) changes(viewsOf(other, TWO, stamp));
  });
  afterEach(() => db.close());

  function viewsOf(key: number, paths: readonly string[], stamp: Stamp): Partial<BatchData> {
    const hits = paths.map((path) => viewOf({ path, browser: "Firefox" }));
    return logOf(key, stamp, key === NOBODY ? hits.map(maskedHit) : hits);
  }

  /** How many rows a batch of one site changes. */
  function changes(batch: Partial<BatchData>): number {
    const total = () => db.prepare("SELECT total_changes()").pluck().get() as number;
    const before = total();
    const whole = { log: [], hits: 0, surveys: [], withdraw: [], lowSpace: false, ...batch };
    db.transaction(() => ledger.apply(whole))();
    return total() - before;
  }

  const many = Array.from({ length: 2_100 }, (_, i) => `/${i}`);
  const survey = (key: number) => ({ site: key, stamp: HOUR, version: 1, payload: '{"sv":1}' });

  const CASES: [string, (key: number) => Partial<BatchData>][] = [
    ["values that are new", (key) => viewsOf(key, TWO, HOUR)],
    ["values past the day's bound", (key) => viewsOf(key, many, HOUR)],
    ["an unsure clock", (key) => viewsOf(key, TWO, UNSURE)],
    ["low space", (key) => ({ ...viewsOf(key, TWO, HOUR), lowSpace: true })],
    ["a survey", (key) => ({ surveys: [survey(key)] })],
  ];
  for (const [what, batch] of CASES)
    it(`changes as many rows as for a site that is there: ${what}`, () => {
      for (const time of ["first", "second"]) {
        const known = changes(batch(site));
        assert.ok(known > 0);
        assert.equal(changes(batch(NOBODY)), known, time);
        // A site that was erased since it was resolved.
        if (time === "second") assert.equal(changes(batch(4_711)), known);
      }
    });

  it("can be counted on a day that is being emptied, also after a stop in between", () => {
    changes(viewsOf(NOBODY, many, HOUR));
    const tomorrow = dayOf((492_000 + 24) * 3_600_000);
    let steps = 0;
    while (emptyNobody(db, () => {}, tomorrow, 500)) {
      steps += 1;
      ledger = new Ledger(db);
      assert.ok(changes(viewsOf(NOBODY, TWO, HOUR)) > 0);
    }
    assert.ok(steps > 4);
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

  /** Rows by table that belong to no site. */
  function left(): Record<string, number> {
    const db = openForWriting(databaseFile(world().dataDir));
    const rows = ["count", "value", "survey", "waiting"].map((table) => [
      table,
      db.prepare(`SELECT count(*) FROM ${table} WHERE site <> ?`).pluck().get(keyOf(world())),
    ]);
    db.close();
    return Object.fromEntries(rows);
  }
  const NOTHING = { count: 0, value: 0, survey: 0, waiting: 0 };

  function assertNoTrace(): void {
    const { dataDir } = world();
    const traces = readdirSync(dataDir).filter((name) =>
      readFileSync(join(dataDir, name)).includes(SECRET),
    );
    assert.deepEqual(traces, []);
  }

  it("is in no file, shows nowhere, and is gone when its day is over", async () => {
    await send();
    assertNoTrace();
    assert.deepEqual(await world().counts(), {});
    assert.ok((left().count ?? 0) > 0);
    world().clock.setWall(world().clock.now() + DAY_MS);
    await world().service.store.upkeep();
    assert.deepEqual(left(), NOTHING);
    // What the ledger remembers of it must not point nowhere.
    await send();
    assert.ok((left().value ?? 0) > 0);
  });

  describe("while the clock is unsure", () => {
    before(() => {
      sure = false;
    });
    after(() => {
      sure = true;
    });

    it("is in no file, and is gone at the next upkeep", async () => {
      await send();
      assertNoTrace();
      assert.ok((left().waiting ?? 0) > 0);
      await world().service.store.upkeep();
      assert.deepEqual(left(), NOTHING);
      world().clock.becomeSure();
      await world().service.store.upkeep();
      assert.deepEqual(await world().counts(), {});
    });
  });
});
