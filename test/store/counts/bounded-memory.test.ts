import assert from "node:assert/strict";
import Sqlite from "better-sqlite3";
import { dayOf } from "../../../appliance/base/calendar.ts";
import { SystemClock } from "../../../appliance/base/system/system-clock.ts";
import { BatchEncoder } from "../../../appliance/store/log/batch.ts";
import type { Dimension } from "../../../appliance/store/log/record.ts";
import { Connection } from "../../../appliance/store/postgres/connection/connection.ts";
import { parseDatabaseUrl } from "../../../appliance/store/postgres/connection/url.ts";
import { databaseFile } from "../../../appliance/store/sqlite/database.ts";
import { onEachEngine } from "../../helpers/engines.ts";
import { inserts } from "../../helpers/postgres-rows.ts";
import { keyOf } from "../../helpers/traffic.ts";
import { eachWorld, type World } from "../../helpers/world.ts";

const TODAY = dayOf(Date.parse("2026-03-04T12:00:00Z"));

/** The values of the n-th view: pages, languages and referrers of an ordinary site. */
function ordinaryView(n: number): [Dimension, string][] {
  return [
    ["path", `/notes/some-longer-title-${(n * 7_919) % 1_900}`],
    ["host", "https://blog.example"],
    ["ref", n % 3 === 0 ? "direct" : `site-${n % 211}.example`],
    ["ref_group", n % 3 === 0 ? "direct" : "referral"],
    ["lang", `l${n % 34}`],
    ["tz", `Europe/City-${n % 60}`],
    ["browser", ["Chrome", "Firefox", "Safari"][n % 3] as string],
    ["os", `OS-${n % 7}`],
    ["device", n % 2 === 0 ? "mobile" : "desktop"],
    ["country", `C${n % 90}`],
  ];
}

/** As many as there are pages, times the browsers: one log has each many times. */
const DIFFERENT = 5_700;

/** Adds views to the log as if each had come alone. */
async function addLoneViews(world: World, count: number): Promise<void> {
  const site = keyOf(world);
  const batch = new BatchEncoder();
  const different = Array.from({ length: DIFFERENT }, (_, n) => {
    const moment = 24 * TODAY + (n % 12);
    batch.add({ site, kind: "view", flags: 3, moment, times: 1, values: ordinaryView(n) });
    const body = batch.encode();
    batch.clear();
    return body;
  });
  const bodies = Array.from({ length: count }, (_, n) => different[n % DIFFERENT] as Uint8Array);
  const { databaseUrl } = world;
  if (databaseUrl !== undefined) return addAsNode(databaseUrl, bodies);
  const db = new Sqlite(databaseFile(world.dataDir));
  const add = db.prepare("INSERT INTO log (n, body) SELECT coalesce(max(n), 0) + 1, ? FROM log");
  db.transaction(() => {
    for (const body of bodies) add.run(body);
  })();
  db.close();
}

/** As another node adds them. */
async function addAsNode(url: string, bodies: readonly Uint8Array[]): Promise<void> {
  const options = { clock: new SystemClock(), role: "chores" } as const;
  const connection = new Connection(parseDatabaseUrl(url), options);
  await connection.transaction((sql) =>
    sql.all([
      ...inserts("folded", "node:bigint, n:bigint", [[9, 0]]),
      ...inserts(
        "log",
        "node:bigint, n:bigint, body:bytea",
        bodies.map((body, n) => [9, n + 1, body]),
      ),
    ]),
  );
  await connection.close();
}

onEachEngine(() => {
  describe("a question", () => {
    // As the image gives a reader.
    const world = eachWorld({ readerMemoryMb: 96 });

    it("is answered on a day of which 64,000 views came one after the other and none is settled", async () => {
      await addLoneViews(world(), 64_000);
      const { pv, path, lang } = await world().stats();
      assert.equal(pv._, 64_000);
      assert.equal(Object.keys(path).length, 1_900);
      assert.equal(Object.keys(lang).length, 34);
      const { browser } = await world().stats({ where: "browser:is:Firefox" });
      assert.deepEqual(Object.keys(browser), ["Firefox"]);
    });
  });
});
