import assert from "node:assert/strict";
import { DAY_MS } from "../../../appliance/base/calendar.ts";
import { unpack } from "../../../appliance/store/counts/pack.ts";
import { logOf, viewOf } from "../../helpers/traffic.ts";
import { type EngineWorld, eachFleet, type NodeOptions } from "./engine-world.ts";

describe("upkeep in PostgreSQL", () => {
  const { open: openNode, sql } = eachFleet();

  const open = (options?: NodeOptions) => openNode({}, options).ready();

  /** What was counted of all paths, open and packed. */
  async function paths(): Promise<Record<string, number>> {
    const sums = new Map<number, number>();
    const add = (id: number, n: number) => sums.set(id, (sums.get(id) ?? 0) + n);
    for (const { value, n } of await sql("SELECT value, n FROM count"))
      add(value as number, n as number);
    for (const { counts } of await sql("SELECT counts FROM packed_day"))
      unpack(counts as Uint8Array, add);
    const texts = await sql("SELECT id, text FROM value WHERE dimension = 'path' ORDER BY text");
    return Object.fromEntries(
      texts.map(({ id, text }) => [text, sums.get(id as number) ?? 0] as const),
    );
  }

  const countOf = async (table: string) => {
    const [row] = await sql(`SELECT count(*) AS n FROM ${table}`);
    return row?.n;
  };

  it("packs days that are over, what comes late for them too, and keeps every sum", async () => {
    const [one, other] = [await open(), await open()];
    const { hour } = one;
    await one.count(["/", "/a"]);
    await other.count(["/", "/b"]);
    for (const { clock } of [one, other]) clock.advance(2 * DAY_MS);
    await one.until(() => one.engine.ready);
    await one.upkeep();
    assert.equal(await countOf("count"), 0);
    assert.equal(await countOf("packed_day"), 1);
    assert.equal(await countOf("day_value"), 0);
    assert.deepEqual(await sql("SELECT counter, node, n FROM day_total"), [
      { counter: "pv", node: 0, n: 4 },
    ]);
    await other.count(["/b", "/c"], { hour });
    assert.deepEqual(await paths(), { "/": 2, "/a": 1, "/b": 2, "/c": 1 });
    await one.upkeep();
    assert.equal(await countOf("count"), 0);
    assert.deepEqual(await paths(), { "/": 2, "/a": 1, "/b": 2, "/c": 1 });
    assert.deepEqual(await sql("SELECT counter, node, n FROM day_total"), [
      { counter: "pv", node: 0, n: 6 },
    ]);
  });

  it("leaves yesterday open", async () => {
    const node = await open();
    await node.count(["/"]);
    node.clock.advance(DAY_MS);
    await node.upkeep();
    assert.equal(await countOf("packed_day"), 0);
  });

  it("is done by one node at a time, and by the next when that is gone", async () => {
    const [one, other] = [await open(), await open()];
    await one.count(["/"]);
    for (const { clock } of [one, other]) clock.advance(2 * DAY_MS);
    await one.engine.send({
      kind: "upkeep",
      at: 0,
      time: { boot: "b1", bootedAt: null, today: one.day, retentionDays: 9 },
    });
    await one.count(["/"], { hour: one.hour - 48 });
    assert.equal(await other.upkeep(), 0);
    assert.equal(await countOf("count"), 3 + 1);
    assert.equal(await other.engine.read("foldPlan", { today: other.day }), null);
    await one.engine.close();
    assert.ok((await other.upkeep()) > 0);
    assert.equal(await countOf("count"), 0);
  });

  it("drops what is past retention once somebody has done upkeep for so long, and keeps totals of all time", async () => {
    const node = await open();
    const first = node.day;
    for (let day = 0; day < 6; day++) {
      await node.count(["/", `/${day}`]);
      await node.upkeep(3);
      node.clock.advance(DAY_MS);
    }
    await node.upkeep(3);
    const kept = await sql("SELECT day FROM packed_day UNION SELECT day FROM count ORDER BY day");
    assert.deepEqual(
      kept.map(({ day }) => (day as number) - first),
      [4, 5],
    );
    assert.deepEqual(Object.keys(await paths()), ["/", "/4", "/5"]);
    const [total] = await sql(
      "SELECT (SELECT sum(n) FROM total)::int AS gone, (SELECT sum(n) FROM day_total)::int AS kept",
    );
    assert.deepEqual(total, { gone: 8, kept: 4 });
    const rooms = await sql("SELECT n, bytes FROM room WHERE day = -1 AND dimension = 'path'");
    assert.deepEqual(rooms, [{ n: 3, bytes: 5 }]);
  });

  it("drops nothing because a clock has gone ahead", async () => {
    const node = await open();
    await node.count(["/"]);
    await node.upkeep(3);
    node.clock.setWall("2031-01-01T00:00:00Z");
    await node.until(() => node.engine.ready);
    await node.upkeep(3);
    node.clock.advance(10_000);
    await node.upkeep(3);
    assert.deepEqual(await paths(), { "/": 1 });
  });

  it("merges what nodes have counted that are gone, and forgets them after a month", async () => {
    const [one, other] = [await open(), await open()];
    await one.count(["/", "/a"]);
    await other.count(["/", "/b"]);
    await other.engine.close();
    await sql("UPDATE node SET seen_at = now() - interval '11 minutes' WHERE batch = 1");
    await one.upkeep();
    assert.equal(await countOf("count WHERE node <> 0"), 0);
    assert.equal(await countOf("day_total"), 1);
    assert.deepEqual(await paths(), { "/": 2, "/a": 1, "/b": 1 });
    await sql("UPDATE node SET seen_at = now() - interval '31 days'");
    await one.upkeep();
    assert.equal(await countOf("node"), 0);
    // It comes back.
    assert.ok((await one.passing(one.count(["/"]))).ok);
    assert.deepEqual(await paths(), { "/": 3, "/a": 1, "/b": 1 });
  });

  it("erases a site, what comes late for it too", async () => {
    const node = await open();
    await node.write("createSite", { id: "shop" });
    const shop = node.site("shop");
    await node.count(["/"]);
    await node.count(["/", "/a"], { site: shop });
    await node.commit({ surveys: [node.survey("{}", { site: shop })] });
    assert.ok((await node.write("eraseSite", { id: "shop" })).ok);
    await node.upkeep();
    for (const table of [
      "count",
      "value",
      "room",
      "day_value",
      "day_total",
      "survey",
      "survey_day",
    ])
      assert.equal(await countOf(`${table} WHERE site = ${shop}`), 0, table);
    assert.equal(await countOf("erased_site"), 1);
    await sql(`INSERT INTO count VALUES (${shop}, 1, 0, 1, 1)`);
    await sql("UPDATE erased_site SET at = now() - interval '25 hours'");
    await node.upkeep();
    assert.equal(await countOf(`count WHERE site = ${shop}`), 0);
    assert.equal(await countOf("erased_site"), 0);
    assert.deepEqual(await paths(), { "/": 1 });
  });

  it("files what waited for a clock, also of a node that is gone for a day", async () => {
    const [one, other] = [await open({ sure: false }), await open({ sure: false, boot: "b2" })];
    const waiting = (node: EngineWorld) => {
      const { clock } = node;
      const stamp = { boot: clock.boot, at: clock.monotonic(), savedClock: clock.now() };
      const survey = { site: node.site(), stamp, version: 1, payload: '{"q":1}' };
      const hits = logOf(node.site(), stamp, [viewOf({ path: "/" })]);
      return node.commit({ ...hits, surveys: [survey] });
    };
    assert.ok((await waiting(one)).ok && (await waiting(other)).ok);
    await one.upkeep();
    assert.equal(await countOf("waiting"), 4);
    one.clock.becomeSure("2026-03-05T12:00:00Z");
    await one.upkeep();
    assert.equal(await countOf("waiting"), 2);
    await other.engine.close();
    await sql("UPDATE node SET seen_at = now() - interval '25 hours'");
    await one.upkeep();
    assert.equal(await countOf("waiting"), 0);
    assert.deepEqual(await paths(), { "/": 2 });
    const days = await sql("SELECT day FROM survey ORDER BY day");
    assert.deepEqual(
      days.map(({ day }) => one.day - (day as number)),
      [1, 0],
    );
  });

  it("leaves nothing of sites that do not exist when their day is over", async () => {
    const node = await open();
    await node.count(["/secret", "/"], { site: 4_711 });
    await node.commit({ surveys: [node.survey('{"name":"x"}', { site: -7 })] });
    assert.equal(await countOf("value WHERE text LIKE '%secret%'"), 0);
    assert.equal(await countOf("value WHERE site = 0 AND dimension = 'path'"), 2);
    node.clock.advance(DAY_MS);
    await node.upkeep();
    for (const table of ["count", "value", "day_value", "survey", "day_total"])
      assert.equal(await countOf(table), 0, table);
  });

  it("counts the rarest values of past days as one where there are too many", async () => {
    const node = await open();
    const { hour } = node;
    for (let day = 0; day < 11; day++) {
      const rare = Array.from({ length: 1_990 }, (_, i) => `/${day}/${i}`);
      await node.count(["/", ...rare], { hour: hour - 24 * (13 - day) });
      await node.count(["/often"], { hour: hour - 24 * (13 - day) });
    }
    // What came late stays for as long as it would have if it had come today.
    node.clock.advance(2 * DAY_MS);
    await node.upkeep();
    const before = Object.values(await paths()).reduce((sum, n) => sum + n, 0);
    const plan = await node.engine.read("foldPlan", { today: node.day });
    assert.ok(plan !== null);
    for (let next: typeof plan | null = plan, more = true; more; next = null) {
      const answer = await node.engine.send({ kind: "fold", plan: next });
      assert.ok(answer.ok);
      more = answer.more;
    }
    const after = await paths();
    assert.equal(
      Object.values(after).reduce((sum, n) => sum + n, 0),
      before,
    );
    assert.deepEqual([after["/"], after["/often"]], [11, 11]);
    const [room] = await sql("SELECT n FROM room WHERE day = -1 AND dimension = 'path'");
    assert.equal(room?.n, Object.keys(after).length - 1);
    assert.ok(Number(room?.n) < 20_000);
  });
});
