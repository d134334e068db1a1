import assert from "node:assert/strict";
import type { Worker } from "node:worker_threads";
import { dayOf } from "../../../appliance/base/calendar.ts";
import { silentLog } from "../../../appliance/base/log.ts";
import { Refusal } from "../../../appliance/base/refusal.ts";
import { Block } from "../../../appliance/store/blocks/block.ts";
import { encodeBlock } from "../../../appliance/store/blocks/codec.ts";
import { firstDayOf, monthOf } from "../../../appliance/store/blocks/month.ts";
import { PLAIN } from "../../../appliance/store/counts/block-counts.ts";
import { BatchEncoder } from "../../../appliance/store/log/batch.ts";
import { Connection } from "../../../appliance/store/postgres/connection/connection.ts";
import { SeenServers } from "../../../appliance/store/postgres/connection/place.ts";
import { parseDatabaseUrl } from "../../../appliance/store/postgres/connection/url.ts";
import { migrate } from "../../../appliance/store/postgres/migrate.ts";
import type { StatsQuery } from "../../../appliance/store/queries.ts";
import type { Statement } from "../../../appliance/store/sql.ts";
import { openCursor } from "../../../appliance/store/surveys/page.ts";
import { SHARED_READER } from "../../../appliance/store/threads/kinds.ts";
import { ReaderThread } from "../../../appliance/store/threads/reader-thread.ts";
import { ownThreads } from "../../../appliance/store/threads/threads.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { eachDatabase, Postgres, sharedPostgres } from "../../helpers/postgres.ts";
import { inserts } from "../../helpers/postgres-rows.ts";
import { siteRow } from "../../helpers/stored-sites.ts";
import { reusedThreads } from "../../helpers/threads.ts";
import { untilTold } from "../../helpers/until.ts";

const TODAY = dayOf(Date.parse("2026-03-04T12:00:00Z"));
const ACCEPTS = { encoding: null, ifNoneMatch: "" } as const;

describe("the numbers in PostgreSQL", () => {
  const database = eachDatabase();
  const readers: ReaderThread[] = [];
  const clock = new FakeClock();

  afterEach(() => Promise.all(readers.splice(0).map((reader) => reader.close())));

  function reader(
    url: string,
    { onStart = (_thread: Worker) => {}, kept = reusedThreads } = {},
  ): ReaderThread {
    const started = ReaderThread.atRest({
      thread: SHARED_READER,
      database: { settings: parseDatabaseUrl(url), seen: new SeenServers().memory },
      onDamaged: (message) => assert.fail(message),
      clock,
      log: silentLog(),
      threads: {
        start(kind) {
          const thread = kept.start(kind);
          onStart(thread);
          return thread;
        },
        end: kept.end,
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

  /** Ends the connections of those who wait for a lock. */
  const cutWaiting = () =>
    sql(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = '${database()}' AND wait_event_type = 'Lock'`,
    );

  /** Blocks reading counters while `task` runs, which gets a function that waits for a reader. */
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
        await locking.rows("LOCK TABLE block IN ACCESS EXCLUSIVE MODE");
        return task(async () => {
          await untilTold(async () => (await server.sql(waiting)).length > 0);
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

  it("say that nothing changed until a batch, a settlement or a change of sites has", async () => {
    const batch = (n: number) => {
      const encoder = new BatchEncoder();
      encoder.add({
        site: 1,
        kind: "view",
        flags: 0,
        moment: 24 * TODAY,
        times: n,
        values: [["path", `/${n}`]],
      });
      return encoder.encode();
    };
    await fill([
      ...site,
      ...inserts("folded", "node:bigint, n:bigint", [[9, 0]]),
      ...inserts("log", "node:bigint, n:bigint, body:bytea", [[9, 1, batch(1)]]),
    ]);
    const numbers = reader(await url());
    const read = (ifNoneMatch: string) =>
      numbers.read("stats", { query: STATS, accepts: { encoding: null, ifNoneMatch } });
    const { etag, body } = await read("");
    assert.deepEqual(json({ body }).path, { "/1": 1 });
    assert.equal((await read(etag)).body, null);
    const block = new Block(monthOf(TODAY));
    block.add("pv", TODAY - firstDayOf(block.month), 0, 5);
    const { counters, counts } = encodeBlock(block);
    let last = etag;
    for (const change of [
      inserts("log", "node:bigint, n:bigint, body:bytea", [[9, 2, batch(2)]]),
      [
        ...inserts("block", BLOCK, [[1, block.month, 0, counters, counts]]),
        { text: "UPDATE generation SET n = n + 1" },
      ],
      [
        { text: "DELETE FROM log WHERE n = 2" },
        { text: "UPDATE folded SET n = 2" },
        { text: "UPDATE generation SET n = n + 1" },
      ],
    ]) {
      await fill(change);
      const changed = await read(last);
      assert.notEqual(changed.etag, last);
      assert.notEqual(changed.body, null);
      last = changed.etag;
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
    const numbers = reader(await url(), { onStart: (thread) => started.push(thread) });
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
      await cutWaiting();
      return [read];
    });
    assert.deepEqual(await asked, { window: 0, total: 0 });
  });

  it("leave no thread behind where a connection is lost while they are closed", async () => {
    await fill([]);
    const numbers = reader(await url(), { kept: ownThreads });
    await whileHeldUp(await sharedPostgres(), database(), async (isHeldUp) => {
      const asked = numbers.read("viewCounts", { site: 1, from: TODAY, to: TODAY });
      const refused = assert.rejects(asked, Refusal);
      await isHeldUp();
      const closed = numbers.close();
      await cutWaiting();
      await Promise.all([refused, closed]);
    });
  });

  it("are refused with a sentence where the server refuses to read", async () => {
    const ofNobody = reader(await url());
    await assert.rejects(ofNobody.read("siteAlarms", undefined), { code: "storage_unavailable" });
    await fill([]);
    const server = await sharedPostgres();
    const writer = await server.createWriter(database());
    await sql(`REVOKE SELECT ON survey FROM ${writer.user}`);
    const numbers = reader(server.url({ ...writer, database: database() }));
    const asked = { query: { site: 1, id: "s1" }, accepts: { encoding: null, ifNoneMatch: "" } };
    await assert.rejects(numbers.read("surveyVersions", asked), { code: "read_failed" });
    assert.equal(await numbers.read("ofSite", { site: 1, kind: "survey_labels" }), null);
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

const site = [{ text: siteRow(1, "s1") }];
const BLOCK = "site:int, month:int, part:int, counters:bytea, counts:bytea";

function json({ body }: { body: Uint8Array | null }) {
  return JSON.parse(Buffer.from(body ?? []).toString());
}
