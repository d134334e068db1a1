import assert from "node:assert/strict";
import { DAY_MS } from "../../../appliance/base/calendar.ts";
import { logOf, viewOf } from "../../helpers/traffic.ts";
import { eachFleet, type NodeOptions } from "./engine-world.ts";

describe("upkeep in PostgreSQL", () => {
  const { open: openNode, sql } = eachFleet();

  const open = (options?: NodeOptions) => openNode({}, options).ready();

  const countOf = async (table: string) => {
    const [row] = await sql(`SELECT count(*) AS n FROM ${table}`);
    return row?.n;
  };

  it("settles what all have counted, what comes late too, and keeps every sum", async () => {
    const [one, other] = [await open(), await open()];
    const { hour } = one;
    await one.count(["/", "/a"]);
    await other.count(["/", "/b"]);
    await one.settle();
    assert.equal(await countOf("log"), 0);
    assert.deepEqual(await other.counts("path"), { "/": 2, "/a": 1, "/b": 1 });
    for (const { clock } of [one, other]) clock.advance(2 * DAY_MS);
    await one.until(() => one.engine.ready);
    await other.count(["/b", "/c"], { hour });
    await one.upkeep();
    assert.equal(await countOf("log"), 0);
    assert.deepEqual(await sql("SELECT part FROM block"), [{ part: 0 }]);
    const sums = { "/": 2, "/a": 1, "/b": 2, "/c": 1 };
    for (const node of [one, other]) assert.deepEqual(await node.counts("path"), sums);
    assert.deepEqual(await one.counts("pv"), { _: 6 });
  });

  it("ends with what was there when it began, though others go on", async () => {
    const [one, other] = [await open(), await open()];
    await one.count(["/"]);
    let steps = 0;
    const settlement = one.engine.settlement.bind(one.engine);
    one.engine.settlement = async (asked) => {
      const answer = await settlement(asked);
      steps += 1;
      assert.ok(steps < 5, "it never ends");
      await other.count(["/more"]);
      return answer;
    };
    await one.settle();
    assert.ok(Number(await countOf("log")) > 0);
  });

  it("settles no log before it has the bytes that are worth it", async () => {
    const node = await open();
    await node.count(["/"]);
    assert.equal(await node.settle(100, 4_000_000), 0);
    assert.equal(await countOf("log"), 1);
    assert.ok((await node.settle(100, 10)) > 0);
    assert.equal(await countOf("log"), 0);
  });

  it("is done by one node at a time, and by the next when that is gone", async () => {
    const [one, other] = [await open(), await open()];
    await one.upkeep();
    await one.count(["/"]);
    assert.equal(await other.upkeep(), 0);
    assert.equal(await countOf("log"), 1);
    await one.engine.close();
    assert.ok((await other.upkeep()) > 0);
    assert.equal(await countOf("log"), 0);
  });

  it("drops what is past retention once somebody has done upkeep for so long, and keeps totals of all time", async () => {
    const node = await open();
    for (let day = 0; day < 6; day++) {
      await node.count(["/", `/${day}`]);
      await node.upkeep(3);
      node.clock.advance(DAY_MS);
    }
    await node.upkeep(3);
    assert.deepEqual(await node.counts("path"), { "/": 2, "/4": 1, "/5": 1 });
    const total = await node.engine.reads.read("viewCounts", {
      site: node.site(),
      from: node.day,
      to: node.day,
    });
    assert.deepEqual(total, { window: 0, total: 12 });
    assert.deepEqual(await sql("SELECT counter, n FROM past WHERE counter = 'pv'"), [
      { counter: "pv", n: 8 },
    ]);
  });

  it("counts the time run once, whoever does it", async () => {
    const [one, other] = [await open(), await open()];
    const upkeepOfBoth = async () => {
      for (const node of [one, other]) await node.upkeep();
    };
    await upkeepOfBoth();
    for (const { clock } of [one, other]) clock.advance(DAY_MS);
    await upkeepOfBoth();
    await one.engine.close();
    await other.upkeep();
    other.clock.advance(DAY_MS);
    await other.upkeep();
    const [{ value } = {}] = await sql("SELECT value FROM meta WHERE key = 'run_ms'");
    assert.equal(Math.round(Number(value) / DAY_MS), 2);
  });

  it("takes no day for older than somebody has marked it", async () => {
    const node = await open();
    await node.count(["/"]);
    await node.settle();
    // As others have, that had run for longer.
    await sql(`UPDATE counted_day SET run_ms = ${10 * DAY_MS}`);
    await node.count(["/"]);
    await node.settle();
    assert.deepEqual(await sql("SELECT run_ms FROM counted_day"), [{ run_ms: 10 * DAY_MS }]);
    await sql(`INSERT INTO meta (key, value) VALUES ('run_ms', '${11 * DAY_MS}')
      ON CONFLICT (key) DO UPDATE SET value = excluded.value`);
    await node.count(["/"]);
    await node.settle();
    assert.deepEqual(await sql("SELECT run_ms FROM counted_day"), [{ run_ms: 11 * DAY_MS }]);
  });

  it("looks at no block of which nothing is due", async () => {
    const node = await open();
    await node.count(["/"]);
    node.clock.advance(2 * DAY_MS);
    await node.until(() => node.engine.ready);
    await node.upkeep();
    await node.count(["/"]);
    await sql(
      `INSERT INTO piece (site, month, source, part, n, bytes)
       SELECT site, month - i, 0, 0, n - i, 'x' FROM piece, generate_series(1, 400) i;
       INSERT INTO block (site, month, part, counters, counts)
       SELECT site, month - i, 0, counters, counts FROM block, generate_series(1, 400) i;
       ANALYZE block, piece`,
    );
    for (let minute = 0; minute < 10; minute++) {
      await node.count(["/"]);
      await node.settle();
    }
    // Statistics of a session are written at its end.
    await node.engine.close();
    const read = "SELECT seq_tup_read + idx_tup_fetch AS n FROM pg_stat_user_tables";
    const [blocks] = await sql(`${read} WHERE relname = 'block'`);
    // Once an hour it looks for what is past.
    assert.ok(Number(blocks?.n) < 5 * 400, `it looked at ${blocks?.n}`);
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
    assert.deepEqual(await node.counts("path", { days: 2_000 }), { "/": 1 });
  });

  it("forgets nodes after a month, and takes what they count when they come back", async () => {
    const [one, other] = [await open(), await open()];
    await one.count(["/", "/a"]);
    await other.count(["/", "/b"]);
    await other.engine.close();
    await sql("UPDATE node SET seen_at = now() - interval '31 days'");
    await one.upkeep();
    await one.upkeep();
    assert.equal(await countOf("node"), 0);
    assert.equal(await countOf("folded"), 0);
    assert.ok((await one.passing(one.count(["/"]))).ok);
    assert.deepEqual(await one.counts("path"), { "/": 3, "/a": 1, "/b": 1 });
  });

  it("erases a site: its blocks, its part of the log, what comes late for it, and nothing else", async () => {
    const node = await open();
    await node.write("createSite", { id: "shop" });
    const shop = node.site("shop");
    await node.count(["/"]);
    await node.count(["/", "/settled"], { site: shop });
    await node.settle();
    await node.commit({ surveys: [node.survey("{}", { site: shop })] });
    const hits = (site: number, path: string) =>
      logOf(site, { hour: node.hour }, [viewOf({ path })]).log;
    await node.commit({ log: [...hits(shop, "/secret"), ...hits(node.site(), "/kept")] });
    assert.ok((await node.write("eraseSite", { id: "shop" })).ok);
    await node.tend();
    for (const table of ["block", "survey", "survey_day", "past"])
      assert.equal(await countOf(`${table} WHERE site = ${shop}`), 0, table);
    const inLog = async () => {
      const bodies = (await sql("SELECT body FROM log")).map(({ body }) => `${body}`);
      return ["/secret", "/late", "/kept"].filter((path) =>
        bodies.some((body) => body.includes(path)),
      );
    };
    assert.deepEqual(await inLog(), ["/kept"]);
    // A node that has not heard of it: what it sends is of a day, at most.
    const [late] = hits(shop, "/late");
    const [{ node: id, n } = {}] = await sql("SELECT node, max(n) AS n FROM log GROUP BY node");
    await sql(
      `INSERT INTO log VALUES (${id}, ${Number(n) + 1}, '\\x${Buffer.from(late ?? []).toString("hex")}')`,
    );
    assert.equal(await countOf("erased_site"), 1);
    await sql("UPDATE erased_site SET at = now() - interval '25 hours'");
    await node.tend();
    assert.deepEqual(await inLog(), ["/kept"]);
    assert.equal(await countOf("erased_site"), 0);
    assert.deepEqual(await node.counts("path"), { "/": 1, "/kept": 1 });
    assert.deepEqual(await node.counts("path", { site: shop }), {});
  });

  it("does nothing that was prepared before a site was erased", async () => {
    const node = await open();
    await node.write("createSite", { id: "shop" });
    await node.count(["/"], { site: node.site("shop") });
    const settlement = await node.nextSettlement();
    assert.ok(settlement !== null);
    await node.write("eraseSite", { id: "shop" });
    assert.ok((await node.engine.send({ kind: "settle", at: 0, settlement })).ok);
    assert.equal(await countOf("block"), 0);
  });

  it("leaves nothing of sites that do not exist", async () => {
    const node = await open();
    await node.count(["/secret", "/"], { site: 4_711 });
    await node.commit({ surveys: [node.survey('{"name":"x"}', { site: -7 })] });
    const bodies = await sql("SELECT body FROM log");
    assert.ok(!bodies.some(({ body }) => `${body}`.includes("secret")));
    node.clock.advance(DAY_MS);
    await node.upkeep();
    for (const table of ["log", "block", "survey"]) assert.equal(await countOf(table), 0, table);
  });
});
