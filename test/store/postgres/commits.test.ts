import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { dayOf } from "../../../appliance/base/calendar.ts";
import { CuttingProxy } from "../../helpers/cutting-proxy.ts";
import { groupsOf } from "../../helpers/groups.ts";
import { type Login, Postgres } from "../../helpers/postgres.ts";
import { logOf, viewOf } from "../../helpers/traffic.ts";
import { EngineWorld, eachFleet } from "./engine-world.ts";

/** Ten seconds for those with standbys: real servers, which are waited for. */

/** An answer that is later is given up. */
const LONGEST_ANSWER_MS = 30_000;
const LOOK_MS = 5;

/** The processes that collectors have on a server, with what they wait for. */
function sessions(server: Postgres) {
  return server.sql(
    "SELECT wait_event FROM pg_stat_activity WHERE application_name LIKE 'tallydeck%'",
  );
}

/** The number of connections that wait for one of these events. */
async function waits(server: Postgres, ...events: string[]): Promise<number> {
  return (await sessions(server)).filter(({ wait_event: event }) => events.includes(String(event)))
    .length;
}

/** The number of each path in the log, from any node. */
async function pathsOf(server: Postgres, database?: string): Promise<Record<string, number>> {
  const rows = await server.sql("SELECT body FROM log", database);
  const sums = new Map<string, number>();
  for (const { counts } of rows.flatMap(({ body }) => groupsOf(body as Uint8Array)))
    for (const [path, n] of counts.get("path") ?? []) sums.set(path, (sums.get(path) ?? 0) + n);
  return Object.fromEntries([...sums].sort());
}

/** Waits for a sign of life, after which none comes for some seconds. */
async function beat(node: EngineWorld): Promise<void> {
  const before = node.live;
  await node.until(() => node.live !== before);
}

/** Lets time pass, no faster than it does, until something holds that a server tells. */
async function passing(node: EngineWorld, holds: () => Promise<boolean>): Promise<void> {
  let last = performance.now();
  while (!(await holds())) {
    await setTimeout(LOOK_MS);
    const now = performance.now();
    node.clock.advance(Math.floor(now - last));
    last += Math.floor(now - last);
  }
}

describe("batches in PostgreSQL", () => {
  const { database, nodes, open: openNode, server, sql } = eachFleet();

  const open = (login?: Login) => openNode(login).ready();

  /** Counted paths of all nodes. */
  const paths = () => pathsOf(server(), database());

  it("are stored as counts, days and hours", async () => {
    const node = await open();
    assert.deepEqual(await node.count(["/", "/a", "/"]), { ok: true, surveys: [], more: false });
    await node.count(["/a"]);
    for (const settled of [false, true]) {
      if (settled) await node.settle();
      assert.deepEqual(await node.counts("path"), { "/": 2, "/a": 2 });
      assert.deepEqual(await node.counts("pv"), { _: 4 });
      assert.deepEqual(await node.counts("hour"), { "12": 4 });
    }
  });

  it("of several nodes add up", async () => {
    const [one, other] = [await open(), await open()];
    await Promise.all([one.count(["/", "/a"]), other.count(["/", "/b"])]);
    assert.deepEqual(await paths(), { "/": 2, "/a": 1, "/b": 1 });
    assert.deepEqual(await sql("SELECT n FROM log"), [{ n: 1 }, { n: 1 }]);
    await other.until(() => other.counted > 0);
  });

  it("are counted once, whenever the connection is cut in their commit", async () => {
    const proxy = await CuttingProxy.open(server().port, 7);
    const node = await open({ ports: [proxy.port] });
    proxy.trouble = { commits: 0.5 };
    for (let batch = 0; batch < 30; batch++) {
      const answer = await node.passing(node.count(["/", `/${batch % 3}`]));
      assert.ok(answer.ok);
    }
    assert.ok(proxy.counts.unsent > 0 && proxy.counts.sent > 0 && proxy.counts.answered > 0);
    assert.deepEqual(await paths(), { "/": 30, "/0": 10, "/1": 10, "/2": 10 });
    assert.ok(node.engine.figures.reconnects > 0);
  });

  it("wait while the database is away, which is told once, and are stored when it is back", async () => {
    const own = await Postgres.open();
    const node = new EngineWorld(own.url());
    nodes.push(node);
    await node.ready();
    await node.count(["/"]);
    await own.stop();
    const waiting = node.count(["/", "/late"]);
    await node.until(() => node.lines.some((line) => line.includes("The database is away")));
    await own.restart();
    assert.ok((await node.passing(waiting)).ok);
    await node.until(() => node.lines.some((line) => line.includes("The database is back")));
    assert.equal(node.lines.filter((line) => line.includes("away")).length, 1);
    assert.deepEqual(await pathsOf(own), { "/": 2, "/late": 1 });
  });

  it("are refused when the node is closed while they wait", async () => {
    const proxy = await CuttingProxy.open(server().port, 1);
    const node = await open({ ports: [proxy.port] });
    proxy.hang(true);
    const waiting = node.count(["/"]);
    await node.passing(node.engine.close(), 100);
    assert.equal((await waiting).ok, false);
    assert.deepEqual(await paths(), {});
  });

  it("that the database refuses are not counted, and their hits go with the next", async () => {
    const node = await open();
    await node.count(["/"]);
    await sql(`CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = 'disk_full'; END $$`);
    await sql("CREATE TRIGGER full_disk BEFORE INSERT ON log EXECUTE FUNCTION full_disk()");
    const answer = await node.count(["/", "/new"]);
    assert.ok(!answer.ok && /No space left on device/.test(answer.message));
    await sql("DROP TRIGGER full_disk ON log");
    assert.ok((await node.count(["/", "/new", "/"])).ok);
    assert.deepEqual(await paths(), { "/": 3, "/new": 1 });
    assert.deepEqual(await sql("SELECT n FROM log ORDER BY n"), [{ n: 1 }, { n: 2 }]);
  });

  it("are sent again when other transactions were in their way", async () => {
    const node = await open();
    await node.count(["/"]);
    // A sequence goes on though its transaction is taken back.
    await sql(`CREATE SEQUENCE tries;
      CREATE FUNCTION in_the_way() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN
        IF nextval('tries') < 4 THEN
          RAISE EXCEPTION 'could not serialize' USING ERRCODE = 'serialization_failure';
        END IF;
        RETURN NEW;
      END $$;
      CREATE TRIGGER in_the_way BEFORE INSERT ON log FOR EACH ROW
        EXECUTE FUNCTION in_the_way()`);
    assert.ok((await node.passing(node.count(["/", "/new"]))).ok);
    assert.equal(node.engine.figures.retries, 3);
    assert.deepEqual(await paths(), { "/": 2, "/new": 1 });
  });

  it("go on with a database that has gone back to an earlier state, and say so", async () => {
    const node = await open();
    await node.count(["/"]);
    await node.count(["/"]);
    await sql("DELETE FROM log WHERE n = 2");
    assert.ok((await node.count(["/", "/a"])).ok);
    assert.deepEqual(await paths(), { "/": 2, "/a": 1 });
    assert.ok(node.lines.some((line) => /gone back to an earlier state.*"batches":1/.test(line)));
    await sql("DELETE FROM node; DELETE FROM folded");
    assert.ok((await node.count(["/"])).ok);
    assert.deepEqual(await paths(), { "/": 3, "/a": 1 });
  });

  it("go to the standby that takes over", async () => {
    const primary = await Postgres.open();
    const standby = await primary.standby({ synchronous: true });
    const node = new EngineWorld(primary.url({ ports: [primary.port, standby.port] }));
    nodes.push(node);
    await node.ready();
    await node.count(["/"]);
    await primary.kill();
    const counting = node.count(["/", "/after"]);
    await standby.promote();
    assert.ok((await node.passing(counting)).ok);
    assert.deepEqual(await pathsOf(standby), { "/": 2, "/after": 1 });
  });

  it("go to a standby that lacks the last of them, and no site shows what is another's", async () => {
    const primary = await Postgres.open();
    const standby = await primary.standby();
    const sites = ["blog", "shop"];
    const one = new EngineWorld(primary.url({ ports: [primary.port, standby.port] }), { sites });
    nodes.push(one);
    await one.ready();
    const shop = one.site("shop");
    await one.count(["/blog"]);
    await one.count(["/shop"], { site: shop });
    await one.settle();
    await standby.caughtUp(primary);
    await standby.stop();
    for (const site of [one.site(), shop])
      await one.count([`/lost of ${site}`, `/lost too of ${site}`], { site });
    await one.settle();
    await one.count(["/lost at last"], { site: shop });
    const all = ["/shop", `/lost of ${shop}`, `/lost too of ${shop}`, "/lost at last"];
    assert.deepEqual(Object.keys(await one.counts("path", { site: shop })).sort(), all.sort());
    await primary.kill();
    await standby.restart();
    await standby.promote();
    // Numbers of blocks and batches come again, for something else.
    assert.ok((await one.passing(one.count(["/after of blog"]))).ok);
    assert.ok((await one.passing(one.count(["/after of shop"], { site: shop }))).ok);
    await one.passing(one.settle());
    for (const path of ["/last of blog", "/more of blog"]) await one.passing(one.count([path]));
    const shown = async (site: number) => Object.keys(await one.counts("path", { site })).sort();
    let ofShop: string[] | undefined;
    while (ofShop === undefined) ofShop = await shown(shop).catch(() => undefined);
    assert.deepEqual(ofShop, ["/after of shop", "/shop"]);
    assert.deepEqual(await shown(one.site()), [
      ...["/after of blog", "/blog", "/last of blog", "/more of blog"],
    ]);
    assert.ok(one.lines.some((line) => /gone back to an earlier state/.test(line)));
  });

  it("whose fate is unsure are answered once a standby has them, and no sooner", async () => {
    const primary = await Postgres.open();
    const standby = await primary.standby({ synchronous: true });
    const node = new EngineWorld(primary.url({ ports: [primary.port, standby.port] }));
    nodes.push(node);
    await node.ready();
    await node.count(["/"]);
    await beat(node);
    await standby.stop();
    let isAnswered = false;
    const counting = node.count(["/", "/"]).then((answer) => {
      isAnswered = true;
      return answer;
    });
    await passing(node, async () => (await waits(primary, "SyncRep")) > 0);
    // Its own log has the batch, and no standby.
    await primary.kill();
    await primary.restart();
    // Its look-up waits like a commit, and so does its sign of life.
    const both = async () => (await waits(primary, "SyncRep", "tuple", "transactionid")) > 1;
    await passing(node, async () => isAnswered || (await both()));
    assert.equal(isAnswered, false, "it is answered, and lost with the primary");
    await primary.kill();
    await standby.restart();
    await standby.promote();
    assert.ok((await node.passing(counting)).ok);
    assert.deepEqual(await pathsOf(standby), { "/": 3 });
  });

  it("that no standby takes make no more processes on the server", async () => {
    const primary = await Postgres.open();
    const standby = await primary.standby({ synchronous: true });
    const node = new EngineWorld(primary.url());
    nodes.push(node);
    await node.ready();
    await node.count(["/"]);
    await beat(node);
    const before = (await sessions(primary)).length;
    await standby.stop();
    const counting = node.count(["/", "/"]);
    for (let times = 0; times < 3; times++) {
      await passing(node, async () => (await waits(primary, "SyncRep")) === before);
      const { reconnects } = node.engine.figures;
      // Commits and signs of life are given up, what is looked up by a commit, too.
      node.clock.advance(LONGEST_ANSWER_MS);
      await passing(node, async () => node.engine.figures.reconnects >= reconnects + before);
    }
    // Each ends when it is told to, which may take it a moment.
    await passing(node, async () => (await sessions(primary)).length === before);
    await standby.restart();
    assert.ok((await node.passing(counting)).ok);
    assert.deepEqual(await pathsOf(primary), { "/": 3 });
  });

  it("are not taken for counted before, where the database says of another text that it is no number", async () => {
    const node = await open();
    assert.ok((await node.passing(node.count(["/"]))).ok);
    await sql(`CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM 'x'::integer; RETURN NEW; END $$`);
    await sql("CREATE TRIGGER no BEFORE INSERT ON log FOR EACH ROW EXECUTE FUNCTION no()");
    const refused = await node.passing(node.count(["/"]));
    assert.match(refused.ok ? "it was counted" : refused.message, /invalid input syntax/);
    await sql("DROP TRIGGER no ON log");
    assert.ok((await node.passing(node.count(["/"]))).ok);
    assert.deepEqual(await paths(), { "/": 2 });
  });

  it("that came before the database answered count for the hour in which they came", async () => {
    const [proxy, first] = [await CuttingProxy.open(server().port, 1), await open()];
    proxy.hang(true);
    const node = openNode({ ports: [proxy.port] }, { sure: false });
    const { clock } = node;
    const began = Date.parse("2026-03-04T23:59:30Z") - clock.monotonic();
    node.databaseNow = () => began + clock.monotonic();
    const stamp = { boot: clock.boot, at: clock.monotonic(), savedClock: clock.now() };
    const hits = logOf(first.site(), stamp, [viewOf({ path: "/early" })]);
    const survey = { site: first.site(), stamp, version: 1, payload: "{}" };
    const waiting = node.commit({ ...hits, surveys: [survey] });
    clock.advance(60_000);
    clock.setWall("2031-01-01T00:00:00Z");
    proxy.hang(false);
    proxy.cut();
    assert.ok((await node.passing(waiting)).ok);
    const day = dayOf(began);
    assert.deepEqual(await first.countsOfDay("path", day), { "/early": 1 });
    assert.deepEqual(await first.countsOfDay("hour", day), { "23": 1 });
    assert.deepEqual(await sql("SELECT day FROM survey"), [{ day }]);
  });

  it("wait for a connection where there is none left, and say why", async () => {
    await open();
    const { user, password } = await server().createWriter(database());
    await server().sql(`ALTER ROLE ${user} CONNECTION LIMIT 1`);
    const node = await open({ user, password });
    const counting = node.count(["/"]);
    await node.until(() => node.lines.some((line) => /no more connections there/.test(line)));
    await server().sql(`ALTER ROLE ${user} CONNECTION LIMIT 9`);
    assert.ok((await node.passing(counting)).ok);
    assert.deepEqual(await paths(), { "/": 1 });
  });

  describe("with surveys", () => {
    it("are stored in the order in which they came", async () => {
      const node = await open();
      const surveys = [node.survey('{"q":1}'), node.survey('{"q":2}')];
      const answer = await node.commit({ surveys });
      assert.deepEqual(answer.ok && answer.surveys, [true, true]);
      const rows = await sql("SELECT payload FROM survey ORDER BY id");
      assert.deepEqual(
        rows,
        surveys.map(({ payload }) => ({ payload })),
      );
    });

    it("take as many as a site may have on a day, over all nodes", async () => {
      const [one, other] = [await open(), await open()];
      await sql(`INSERT INTO survey_day VALUES (${one.site()}, ${one.day}, 4999)`);
      const answers = await Promise.all(
        [one, other].map((node) =>
          node.commit({ surveys: [node.survey("{}"), node.survey("{}")] }),
        ),
      );
      const taken = answers.flatMap((answer) => (answer.ok ? answer.surveys : []));
      assert.deepEqual(taken.toSorted(), [false, false, false, true]);
      assert.equal((await sql("SELECT id FROM survey")).length, 1);
    });

    it("know which are stored though the answer was lost", async () => {
      const proxy = await CuttingProxy.open(server().port, 3);
      const node = await open({ ports: [proxy.port] });
      await sql(`INSERT INTO survey_day VALUES (${node.site()}, ${node.day}, 4999)`);
      proxy.trouble = { commits: 1, moments: ["answered"] };
      const counting = node.commit({ surveys: [node.survey("{}"), node.survey("{}")] });
      await node.until(() => proxy.counts.answered > 0);
      proxy.trouble = {};
      const answer = await node.passing(counting);
      assert.ok(answer.ok);
      assert.equal((await sql("SELECT id FROM survey")).length, 1);
      assert.deepEqual(answer.surveys, [true, false]);
    });
  });
});
