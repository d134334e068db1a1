import assert from "node:assert/strict";
import { DAY_MS } from "../../../appliance/base/calendar.ts";
import { OTHER } from "../../../appliance/base/names.ts";
import { eachFleet } from "./engine-world.ts";

describe("values in PostgreSQL", () => {
  const { open: openNode, sql } = eachFleet();

  const open = () => openNode().ready();

  const some = (count: number, prefix: string) =>
    Array.from({ length: count }, (_, i) => `/${prefix}/${i}`);

  /** How many values of paths are counted, and how often OTHER is. */
  async function held(): Promise<{ values: number; others: number }> {
    const [row] = await sql(
      `SELECT count(DISTINCT text) FILTER (WHERE text <> '${OTHER}') AS values,
         coalesce(sum(n) FILTER (WHERE text = '${OTHER}'), 0)::bigint AS others
       FROM count JOIN value ON id = value WHERE dimension = 'path'`,
    );
    return row as { values: number; others: number };
  }

  it("are the same for all nodes", async () => {
    const all = [await open(), await open(), await open()];
    await Promise.all(all.map((node) => node.count(["/", ...some(50, "a")])));
    const [row] = await sql("SELECT count(*) AS n FROM value WHERE dimension = 'path'");
    assert.deepEqual(row, { n: 51 });
    assert.deepEqual(await sql("SELECT day, n FROM room WHERE dimension = 'path' ORDER BY day"), [
      { day: -1, n: 51 },
      { day: all[0]?.day, n: 51 },
    ]);
  });

  it("are 2,000 on a day of a site, over all nodes, and others count as one", async () => {
    const [one, other] = [await open(), await open()];
    await one.count(some(1_500, "one"));
    await Promise.all([other.count(some(1_500, "other")), one.count(some(1_500, "one"))]);
    assert.deepEqual(await held(), { values: 2_000, others: 1_000 });
    // What the day holds goes on, be it the other's; what it does not hold is not asked for again.
    await Promise.all([one.count(["/other/0", "/x"]), other.count(["/one/0", "/x"])]);
    assert.deepEqual(await held(), { values: 2_000, others: 1_002 });
    const known = await sql(
      "SELECT sum(n)::int AS n FROM count JOIN value ON id = value WHERE text IN ('/one/0', '/other/0')",
    );
    assert.deepEqual(known, [{ n: 5 }]);
  });

  it("are so many over all days, and those that are known go on", async () => {
    const node = await open();
    await node.count(["/known"]);
    await sql("UPDATE room SET n = 22000 WHERE day = -1 AND dimension = 'path'");
    node.clock.advance(DAY_MS);
    await node.count(["/known", "/new"]);
    assert.deepEqual(await held(), { values: 1, others: 1 });
    await sql("UPDATE room SET n = 1, bytes = 3145728 WHERE day = -1 AND dimension = 'path'");
    await node.count(["/newer"]);
    assert.deepEqual(await held(), { values: 1, others: 2 });
  });

  it("of a day that is packed are within its bound, too", async () => {
    const node = await open();
    const { hour } = node;
    await node.count(some(1_999, "early"));
    node.clock.advance(3 * DAY_MS);
    await node.upkeep();
    await node.count(["/late", "/later", "/early/7"], { hour });
    assert.deepEqual(await held(), { values: 2, others: 1 });
    const late = await sql(
      "SELECT text FROM count JOIN value ON id = value WHERE dimension = 'path' ORDER BY text",
    );
    assert.deepEqual(
      late.map(({ text }) => text),
      [OTHER, "/early/7", "/late"].sort(),
    );
  });

  it("that the database could not take count as one, with all that came with them", async () => {
    const node = await open();
    const odd = ["/a\0b", `/${"ü".repeat(3_000)}`, "/\ud800", '/"{}\\,', "/NULL", " "];
    const answer = await node.count(["/", ...odd]);
    assert.ok(answer.ok);
    assert.deepEqual(await held(), { values: 6, others: 1 });
    const surveys = [{ ...node.survey('"\\u0000"'), version: Number.MAX_SAFE_INTEGER }];
    assert.ok((await node.commit({ surveys })).ok);
  });

  it("are asked for once", async () => {
    const node = await open();
    await node.count(some(100, "a"));
    // Who asked again would hold them again.
    await sql("DELETE FROM day_value");
    await node.count(some(100, "a"));
    assert.deepEqual(await sql("SELECT value FROM day_value"), []);
    assert.deepEqual(await held(), { values: 100, others: 0 });
  });

  it("are found again after a start on a database in use", async () => {
    const before = await open();
    await before.count(["/", "/a"]);
    await before.engine.close();
    const after = await open();
    await after.count(["/", "/b"]);
    assert.deepEqual(await held(), { values: 3, others: 0 });
    const [row] = await sql("SELECT sum(n)::int AS n FROM day_total");
    assert.deepEqual(row, { n: 4 });
  });
});
