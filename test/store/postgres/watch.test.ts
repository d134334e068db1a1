import assert from "node:assert/strict";
import pg from "pg";
import { FLEET_FORMAT } from "../../../appliance/store/format.ts";
import type { Login } from "../../helpers/postgres.ts";
import { untilTold } from "../../helpers/until.ts";
import { type EngineWorld, eachFleet } from "./engine-world.ts";

describe("nodes on one PostgreSQL database", () => {
  const { database, open: openNode, server, sql } = eachFleet();

  const open = (name: string, login?: Login) => openNode(login, { name });
  const ready = (name: string) => open(name).ready();
  const told = (node: EngineWorld, what: RegExp) => node.lines.filter((line) => what.test(line));

  it("hear of each other's sites, and know their own at once", async () => {
    const [one, other] = [await ready("one"), await ready("other")];
    assert.ok((await one.write("createSite", { id: "shop", badge: true })).ok);
    assert.ok(one.site("shop") > 0);
    await other.until(() => other.site("shop") === one.site("shop"));
    await one.write("setAdminToken", { hash: Buffer.alloc(32, 7), kept: null });
    await other.until(() => other.directory.adminHash !== null);
    assert.deepEqual(other.directory.adminHash, new Uint8Array(32).fill(7));
  });

  it("answer a change once who listens has heard of it", async () => {
    const node = await ready("one");
    const { promise, resolve } = Promise.withResolvers<void>();
    node.hearing = promise;
    let isAnswered = false;
    const answer = node.write("createSite", { id: "shop" }).finally(() => {
      isAnswered = true;
    });
    await node.until(() => node.site("shop") > 0);
    await node.engine.reads.read("sources", undefined);
    assert.equal(isAnswered, false);
    resolve();
    assert.ok((await answer).ok);
  });

  it("hear that others have counted, and not that they have themselves", async () => {
    const [one, other] = [await ready("one"), await ready("other")];
    await one.count(["/"]);
    await other.until(() => other.counted === 1);
    // By then it has looked, too.
    await other.write("createSite", { id: "shop" });
    await one.until(() => one.site("shop") > 0);
    assert.equal(one.counted, 0);
  });

  it("hear of each other's views of the last minutes", async () => {
    const [one, other] = [await ready("one"), await ready("other")];
    const bars = [0, 0, 0, 0, 0, 0, 0, 0, 1, 4];
    one.views.set(one.site(), bars);
    one.views.set(-1, [7]);
    other.asked = [other.site()];
    await other.until(() => {
      one.clock.advance(20);
      return other.live.length > 0;
    }, 20);
    assert.deepEqual(other.live[0]?.bars, new Map([[other.site(), bars]]));
    await one.engine.close();
    await other.until(() => other.live.length === 0, 20);
  });

  it("are not told of views that they do not ask for", async () => {
    const [one, other] = [await ready("one"), await ready("other")];
    one.views.set(one.site(), [5]);
    one.clock.advance(5_000);
    await one.until(() => one.live.length > 0 || one.clock.monotonic() > 12_000, 20);
    await other.until(() => other.clock.monotonic() > 12_000, 20);
    assert.deepEqual(other.live, []);
  });

  it("hold back what they count once the tables are of a newer version, and say why once", async () => {
    const node = await ready("one");
    const set = (format: number) =>
      sql(`UPDATE meta SET value = '${format}' WHERE key IN ('format', 'readable_by')`);
    await set(FLEET_FORMAT.format + 1);
    await node.until(() => !node.engine.ready);
    assert.match(
      node.refused[0]?.message ?? "",
      /from a newer Tallydeck: .*Bring this one up to date/,
    );
    const answer = await node.count(["/"]);
    assert.ok(!answer.ok && /from a newer Tallydeck/.test(answer.message));
    await assert.rejects(node.engine.reads.read("siteAlarms", undefined), /from a newer Tallydeck/);
    await node.until(() => node.clock.monotonic() > 3_000);
    assert.equal(node.refused.length, 1);
    await set(FLEET_FORMAT.format);
    await node.until(() => node.engine.ready);
    assert.ok((await node.count(["/"])).ok);
  });

  it("tell none of their views once they have said goodbye", async () => {
    const one = await ready("one");
    one.views.set(one.site(), [1]);
    const db = new pg.Client({ connectionString: server().url({ database: database() }) });
    await db.connect();
    await db.query("BEGIN; LOCK TABLE revision");
    one.clock.advance(400);
    const looks = "SELECT 1 FROM pg_locks WHERE NOT granted";
    await untilTold(async () => (await sql(looks)).length > 0);
    // By now it looks; next it would tell its views.
    const closed = one.engine.close();
    await db.query("COMMIT");
    await db.end();
    await closed;
    const sessions = "SELECT 1 FROM pg_stat_activity WHERE application_name = 'tallydeck one'";
    await untilTold(async () => (await sql(sessions)).length === 0);
    assert.deepEqual(await sql("SELECT live FROM node"), [{ live: null }]);
  });

  it("say when their clock is not that of the database", async () => {
    const node = open("late");
    node.databaseNow = () => node.clock.now() + 45_000;
    await node.ready();
    assert.match(told(node, /clock/)[0] ?? "", /is behind that of the database.*"seconds":45/);
    assert.equal(told(node, /clock/).length, 1);
  });

  it("are not ready before the database answers, and say each refusal once", async () => {
    const writer = await server().createWriter(database());
    const node = open("one", writer);
    await node.until(() => node.refused.length > 0);
    assert.match(node.refused[0]?.message ?? "", /tallydeck migrate --database-url/);
    assert.ok(!node.engine.ready);
    assert.ok(!(await node.write("createSite", { id: "shop" })).ok);
    await ready("owner");
    await node.until(() => node.engine.ready);
    assert.equal(node.refused.length, 1);
    assert.ok((await node.count(["/"])).ok);
  });

  it("say how a role gets the rights that it lacks, and count once it has them", async () => {
    await ready("owner");
    const writer = await server().createWriter(database());
    await sql(`REVOKE INSERT ON node FROM ${writer.user}`);
    const node = open("one", writer);
    await node.until(() => node.refused.length > 0);
    assert.match(
      node.refused[0]?.message ?? "",
      /may not use Tallydeck's tables \(permission denied for table node\).*migrate.*--grant writer_/,
    );
    await sql(`GRANT INSERT ON node TO ${writer.user}`);
    await node.until(() => node.engine.ready);
    assert.ok((await node.count(["/"])).ok);
  });

  it("count, and do upkeep, by a role that may change no table", async () => {
    await ready("owner");
    const node = open("one", await server().createWriter(database()));
    await node.ready();
    await node.commit({ surveys: [node.survey("{}")] });
    assert.ok((await node.count(["/", "/a"])).ok);
    node.clock.advance(3 * 86_400_000);
    await node.upkeep();
    assert.deepEqual(await sql("SELECT n FROM log"), []);
    assert.deepEqual(await sql("SELECT part FROM block"), [{ part: 0 }]);
  });
});
