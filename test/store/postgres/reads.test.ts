import assert from "node:assert/strict";
import type { Worker } from "node:worker_threads";
import { dayOf } from "../../../appliance/base/calendar.ts";
import { silentLog } from "../../../appliance/base/log.ts";
import { OTHER } from "../../../appliance/base/names.ts";
import { MAX_VALUES } from "../../../appliance/store/counting.ts";
import { PLAIN } from "../../../appliance/store/counts/block-counts.ts";
import { pack } from "../../../appliance/store/counts/pack.ts";
import { Connection, type Statement } from "../../../appliance/store/postgres/connection.ts";
import { migrate } from "../../../appliance/store/postgres/migrate.ts";
import { READER } from "../../../appliance/store/postgres/thread-kinds.ts";
import { parseDatabaseUrl } from "../../../appliance/store/postgres/url.ts";
import type { StatsQuery } from "../../../appliance/store/queries.ts";
import { openCursor } from "../../../appliance/store/surveys/cursor.ts";
import { KeptReader } from "../../../appliance/store/threads/kept-reader.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { eachDatabase, Postgres, sharedPostgres } from "../../helpers/postgres.ts";
import { inserts } from "../../helpers/postgres-rows.ts";
import { reusedThreads } from "../../helpers/threads.ts";

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
        await locking.rows("LOCK TABLE day_total IN ACCESS EXCLUSIVE MODE");
        return task(async () => {
          while ((await server.sql(waiting)).length === 0);
        });
      });
    } finally {
      await connection.close();
    }
  }

  it("keep to the bounds: 2,000 values of a dimension, and so many counts by day", async () => {
    const ids = Array.from({ length: 2_600 }, (_, i) => i + 1);
    const other = 3_000;
    const days = Array.from({ length: 460 }, (_, i) => i + 2);
    await fill([
      ...site,
      ...values("path", ids),
      ...inserts("value", VALUE, [[other, 1, "path", OTHER, TODAY - 5]]),
      ...days.flatMap((ago) =>
        packedDay(TODAY - ago, [...ids.slice(ago), other, ...ids.slice(0, ago - 2)]),
      ),
    ]);
    const numbers = reader(await url());
    for (const daily of [undefined, "offsets", "text"] as const) {
      const query = { ...STATS, from: "first", daily } as const;
      const { path } = json(await numbers.read("stats", { query, accepts: ACCEPTS }));
      assert.ok(Object.keys(path).length <= 2_001 && path[OTHER] > 0);
    }
  });

  it("plan to fold what is too many, but leave what a day that is open may hold", async () => {
    const ids = Array.from({ length: MAX_VALUES + 500 }, (_, i) => i + 1);
    const days = Array.from({ length: 10 }, (_, i) => i + 2);
    await fill([
      ...site,
      ...values("path", ids),
      ...days.flatMap((ago) =>
        packedDay(
          TODAY - ago,
          ids.filter((id) => id % 10 === ago - 2),
        ),
      ),
      ...inserts("room", "site:int, dimension:text, day:int, n:bigint, bytes:bigint", [
        [1, "path", -1, ids.length, 6 * ids.length],
      ]),
    ]);
    const plan = await reader(await url()).read("foldPlan", { today: TODAY });
    const [[dimension, folded] = ["", []]] = plan?.values ?? [];
    assert.deepEqual([dimension, folded.length], ["path", 1_500]);
    const [rarest = 0] = folded;
    await fill([
      {
        text: "INSERT INTO day_value (site, day, dimension, value) VALUES (1, $1, 'path', $2)",
        values: [TODAY, rarest],
      },
    ]);
    const later = await reader(await url()).read("foldPlan", { today: TODAY });
    assert.equal(later?.values[0]?.[1].length, 1_500);
    assert.ok(!later?.values[0]?.[1].includes(rarest));
  });

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

  it("say that nothing changed until a batch, a change of sites, filing or upkeep has", async () => {
    await fill([
      ...site,
      ...values("path", [1]),
      ...inserts("count", "site:int, day:int, value:bigint, node:bigint, n:bigint", [
        [1, TODAY, 1, 0, 3],
      ]),
    ]);
    await sql(`INSERT INTO waiting (site, node, boot, at, saved_clock, hits, data)
               VALUES (1, 9, 'b1', 0, 0, 1, '{}')`);
    const numbers = reader(await url());
    const read = (ifNoneMatch: string) =>
      numbers.read("stats", { query: STATS, accepts: { encoding: null, ifNoneMatch } });
    const { etag } = await read("");
    assert.equal((await read(etag)).body, null);
    let last = etag;
    for (const mark of [
      "INSERT INTO node (id, name, batch, seen_at) VALUES (9, 'nine', 1, now())",
      "UPDATE node SET batch = batch + 1 WHERE id = 9",
      "UPDATE revision SET directory = directory + 1",
      "INSERT INTO lease (name, holder, term, until) VALUES ('upkeep', 9, 1, now())",
      "UPDATE lease SET until = until + interval '1 second'",
      "DELETE FROM waiting",
    ]) {
      await sql(`BEGIN; ${mark}; UPDATE count SET n = n + 1 WHERE site = 1; COMMIT`);
      const { etag: changed, body } = await read(last);
      assert.notEqual(changed, last, mark);
      assert.notEqual(body, null);
      last = changed;
    }
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

const VALUE = "id:bigint, site:int, dimension:text, text:text, last_day:int";
const site = inserts("site", "key:int, id:text", [[1, "s1"]]);

/** `/1`, `/2`, … by their ids. */
function values(dimension: string, ids: readonly number[]): Statement[] {
  return inserts(
    "value",
    VALUE,
    ids.map((id) => [id, 1, dimension, `/${id}`, TODAY - 5]),
  );
}

/** Each counted as often as its id ends in. */
function packedDay(day: number, ids: readonly number[]): Statement[] {
  const counts = pack(new Map(ids.map((id) => [id, 1 + (id % 100)])));
  return inserts("packed_day", "site:int, day:int, counts:bytea", [[1, day, counts]]);
}

function json({ body }: { body: Uint8Array | null }) {
  return JSON.parse(Buffer.from(body ?? []).toString());
}
