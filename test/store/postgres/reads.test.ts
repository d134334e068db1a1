import assert from "node:assert/strict";
import type { Worker } from "node:worker_threads";
import { dayOf } from "../../../appliance/base/calendar.ts";
import { silentLog } from "../../../appliance/base/log.ts";
import { PLAIN } from "../../../appliance/store/counts/block-counts.ts";
import type { Hit } from "../../../appliance/store/log/record.ts";
import { Connection, type Statement } from "../../../appliance/store/postgres/connection.ts";
import { migrate } from "../../../appliance/store/postgres/migrate.ts";
import { PASS_GENERATION } from "../../../appliance/store/postgres/settle.ts";
import { READER } from "../../../appliance/store/postgres/thread-kinds.ts";
import { parseDatabaseUrl } from "../../../appliance/store/postgres/url.ts";
import type { StatsQuery } from "../../../appliance/store/queries.ts";
import { openCursor } from "../../../appliance/store/surveys/cursor.ts";
import { KeptReader } from "../../../appliance/store/threads/kept-reader.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { eachDatabase, Postgres, sharedPostgres } from "../../helpers/postgres.ts";
import { inserts } from "../../helpers/postgres-rows.ts";
import { reusedThreads } from "../../helpers/threads.ts";
import { logOf, viewOf } from "../../helpers/traffic.ts";

const TODAY = dayOf(Date.parse("2026-03-04T12:00:00Z"));
const ACCEPTS = { encoding: null, ifNoneMatch: "" } as const;

describe("the numbers in PostgreSQL", () => {
  const database = eachDatabase();
  const readers: KeptReader[] = [];
  const clock = new FakeClock();

  afterEach(() => Promise.all(readers.splice(0).map((reader) => reader.close())));

  function reader(url: string, onStart: (thread: Worker) => void = () => {}): KeptReader {
    const started = KeptReader.atRest({
      thread: READER,
      database: parseDatabaseUrl(url),
      onDamaged: (message) => assert.fail(message),
      clock,
      log: silentLog(),
      threads: {
        start(kind) {
          const thread = reusedThreads.start(kind);
          onStart(thread);
          return thread;
        },
        end: reusedThreads.end,
      },
    });
    readers.push(started);
    return started;
  }

  const url = async () => (await sharedPostgres()).url({ database: database() });
  const sql = async (text: string) => (await sharedPostgres()).sql(text, database());

  /** Runs statements where the tables are. */
  async function fill(statements: readonly Statement[], where?: string): Promise<void> {
    const settings = parseDatabaseUrl(where ?? (await url()));
    const connection = new Connection(settings, { clock, role: "chores" });
    await migrate(connection, settings);
    await connection.transaction((sql) => sql.all(statements));
    await connection.close();
  }

  /** Nobody can read counters while `task` runs; it is told how to wait until somebody tries. */
  async function whileHeldUp<T>(
    server: Postgres,
    name: string,
    task: (isHeldUp: () => Promise<void>) => Promise<T>,
  ): Promise<T> {
    const settings = parseDatabaseUrl(server.url({ database: name }));
    const connection = new Connection(settings, { clock, role: "chores" });
    const waiting = `SELECT 1 FROM pg_stat_activity
                     WHERE datname = '${name}' AND wait_event_type = 'Lock'`;
    try {
      return await connection.transaction(async (locking) => {
        await locking.rows("LOCK TABLE folded IN ACCESS EXCLUSIVE MODE");
        return task(async () => {
          while ((await server.sql(waiting)).length === 0);
        });
      });
    } finally {
      await connection.close();
    }
  }

  it("page through responses while others come in, each once", async () => {
    await fill([
      ...site,
      ...inserts(
        "survey",
        "id:bigint, site:int, version:int, day:int, payload:text",
        Array.from({ length: 250 }, (_, i) => [i + 1, 1, 1, TODAY - 1 - (i % 3), `{"n":${i}}`]),
      ),
    ]);
    const numbers = reader(await url());
    const secret = new Uint8Array(32);
    const filter = { site: 1, version: 1, from: null, to: null };
    const seen: number[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const after = openCursor(secret, filter, cursor) ?? null;
      const query = { id: "s1", filter, after, secret };
      const { body } = await numbers.read("surveyPage", { query, accepts: ACCEPTS });
      const page = JSON.parse(Buffer.from(body ?? []).toString());
      seen.push(...page.responses.map(({ n }: { n: number }) => n));
      cursor = page.cursor;
      await sql(
        `INSERT INTO survey (id, site, version, day, payload)
         VALUES (${1_000 + seen.length}, 1, 1, ${TODAY}, '{"n":${1_000 + seen.length}}')`,
      );
    }
    assert.deepEqual([seen.length, new Set(seen).size], [252, 252]);
    assert.deepEqual(seen.slice(-2), [1_100, 1_200]);
  });

  /** A batch of a node with so many views. */
  function batch(node: number, n: number, views: number): Statement {
    const hits = Array<Hit>(views).fill(viewOf({ path: "/" }));
    const { log = [] } = logOf(1, { hour: TODAY * 24 }, hits);
    const text = "INSERT INTO log (node, n, body) VALUES ($1, $2, $3)";
    return { text, values: [node, n, log[0]] };
  }

  const viewsToday = async (numbers: KeptReader) =>
    (await numbers.read("viewCounts", { site: 1, from: TODAY, to: TODAY })).window;

  it("say that nothing changed until a batch came, or blocks did", async () => {
    await fill([...site, { text: "INSERT INTO folded VALUES (9, 0), (11, 0)" }, batch(9, 1, 3)]);
    const numbers = reader(await url());
    const read = (ifNoneMatch: string) =>
      numbers.read("stats", { query: STATS, accepts: { encoding: null, ifNoneMatch } });
    const { etag } = await read("");
    assert.equal((await read(etag)).body, null);
    let last = etag;
    const settled = [
      { text: "UPDATE folded SET n = 1 WHERE node = 9" },
      { text: "DELETE FROM log WHERE node = 9 AND n = 1" },
      { text: PASS_GENERATION },
    ];
    for (const mark of [[batch(9, 2, 1)], [batch(11, 1, 1)], settled]) {
      await fill(mark);
      const { etag: changed, body } = await read(last);
      assert.notEqual(changed, last);
      assert.notEqual(body, null);
      last = changed;
    }
    assert.equal(await viewsToday(numbers), 2);
  });

  it("hold nothing of a server whose place another one took that lacked the last of it", async () => {
    const primary = await Postgres.open();
    const standby = await primary.standby();
    await fill(
      [...site, { text: "INSERT INTO folded VALUES (9, 0)" }, batch(9, 1, 1)],
      primary.url(),
    );
    const numbers = reader(primary.url({ ports: [primary.port, standby.port] }));
    assert.equal(await viewsToday(numbers), 1);
    await standby.caughtUp(primary);
    await standby.stop();
    await fill([batch(9, 2, 10), { text: PASS_GENERATION }], primary.url());
    assert.equal(await viewsToday(numbers), 11);
    await primary.kill();
    await standby.restart();
    await standby.promote();
    // There the same numbers come to stand for something else.
    await fill([batch(9, 2, 100), { text: PASS_GENERATION }], standby.url());
    let views: number | undefined;
    while (views === undefined) views = await viewsToday(numbers).catch(() => undefined);
    assert.equal(views, 101);
  });

  it("are asked again when the server was gone, and the asker is told until then", async () => {
    const server = await Postgres.open();
    await fill([], server.url());
    const numbers = reader(server.url());
    const read = () => numbers.read("viewCounts", { site: 1, from: TODAY, to: TODAY });
    const refused = {
      code: "storage_unavailable",
      message: "The database cannot be asked. Try again in a minute.",
    };
    assert.deepEqual(await read(), { window: 0, total: 0 });
    const meanwhile = whileHeldUp(server, "postgres", async (isHeldUp) => {
      const asked = assert.rejects(read(), refused);
      await isHeldUp();
      await server.kill();
      await asked;
    });
    await assert.rejects(meanwhile);
    await assert.rejects(read(), refused);
    await server.restart();
    for (;;) {
      const answer = await read().catch((error: { code: string }) => error.code);
      if (typeof answer === "object") break;
      assert.equal(answer, refused.code);
    }
  });

  it("are read by another thread when one has died", async () => {
    await fill([]);
    const started: Worker[] = [];
    const numbers = reader(await url(), (thread) => started.push(thread));
    const read = () => numbers.read("viewCounts", { site: 1, from: TODAY, to: TODAY });
    await read();
    await whileHeldUp(await sharedPostgres(), database(), async (isHeldUp) => {
      const dying = assert.rejects(read(), { code: "read_failed" });
      await isHeldUp();
      await started[0]?.terminate();
      await dying;
    });
    assert.deepEqual(await read(), { window: 0, total: 0 });
    assert.equal(started.length, 2);
  });

  it("are read again where a connection is lost meanwhile", async () => {
    await fill([]);
    const numbers = reader(await url());
    const [asked] = await whileHeldUp(await sharedPostgres(), database(), async (isHeldUp) => {
      const read = numbers.read("viewCounts", { site: 1, from: TODAY, to: TODAY });
      await isHeldUp();
      await sql(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = '${database()}' AND wait_event_type = 'Lock'`,
      );
      return [read];
    });
    assert.deepEqual(await asked, { window: 0, total: 0 });
  });

  it("are refused with a sentence where the server refuses to read", async () => {
    const ofNobody = reader(await url());
    await assert.rejects(ofNobody.read("siteAlarms", undefined), { code: "storage_unavailable" });
    await fill([]);
    const server = await sharedPostgres();
    const writer = await server.createWriter(database());
    await sql(`REVOKE SELECT ON site_alarm FROM ${writer.user}`);
    const numbers = reader(server.url({ ...writer, database: database() }));
    await assert.rejects(numbers.read("siteAlarms", undefined), { code: "read_failed" });
    assert.deepEqual(await numbers.read("surveyLabels", { site: 1 }), {});
  });
});

const STATS: StatsQuery = {
  ...PLAIN,
  site: 1,
  id: "s1",
  from: TODAY - 6,
  to: TODAY,
  single: false,
  series: true,
  daily: undefined,
  zone: "UTC",
  warnings: [],
};

const site = inserts("site", "key:int, id:text", [[1, "s1"]]);
