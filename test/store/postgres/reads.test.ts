import assert from "node:assert/strict";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import { dayOf, formatDay, hourName } from "../../../appliance/base/calendar.ts";
import { silentLog } from "../../../appliance/base/log.ts";
import { OTHER } from "../../../appliance/base/names.ts";
import { MAX_VALUES } from "../../../appliance/store/counting.ts";
import { pack } from "../../../appliance/store/counts/pack.ts";
import { Connection } from "../../../appliance/store/postgres/connection.ts";
import { migrate } from "../../../appliance/store/postgres/migrate.ts";
import { READER } from "../../../appliance/store/postgres/thread-kinds.ts";
import { parseDatabaseUrl } from "../../../appliance/store/postgres/url.ts";
import type { QueryInput, QueryName, StatsQuery } from "../../../appliance/store/queries.ts";
import { importDays } from "../../../appliance/store/sqlite/counts/import.ts";
import { Ledger } from "../../../appliance/store/sqlite/counts/ledger.ts";
import { upkeepStep } from "../../../appliance/store/sqlite/counts/upkeep.ts";
import { type Database, openForWriting } from "../../../appliance/store/sqlite/database.ts";
import { addSite, findSite } from "../../../appliance/store/sqlite/tables/sites.ts";
import { saveSurveyLabels } from "../../../appliance/store/sqlite/tables/survey-labels.ts";
import { readerOf } from "../../../appliance/store/sqlite/thread-kinds.ts";
import { openCursor } from "../../../appliance/store/surveys/cursor.ts";
import { KeptReader } from "../../../appliance/store/threads/kept-reader.ts";
import { READER_MEMORY_MB } from "../../../appliance/store/threads/reader-kind.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { eachFolder } from "../../helpers/folder.ts";
import { eachDatabase, Postgres, sharedPostgres } from "../../helpers/postgres.ts";
import { sameRows } from "../../helpers/same-rows.ts";
import { seeded, TEST_SEED } from "../../helpers/seeded.ts";
import { reusedThreads } from "../../helpers/threads.ts";

const TODAY = dayOf(Date.parse("2026-03-04T12:00:00Z"));
const ACCEPTS = { encoding: null, ifNoneMatch: "" } as const;

describe("the numbers in PostgreSQL", () => {
  const folder = eachFolder();
  const database = eachDatabase();
  const readers: KeptReader[] = [];
  const clock = new FakeClock();

  afterEach(() => Promise.all(readers.splice(0).map((reader) => reader.close())));

  function reader(
    of: { file: string } | { url: string },
    onStart: (thread: Worker) => void = () => {},
  ): KeptReader {
    const started = KeptReader.atRest({
      ...("file" in of
        ? { thread: readerOf(READER_MEMORY_MB), database: of.file }
        : { thread: READER, database: parseDatabaseUrl(of.url) }),
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
  async function fill(statements: ReturnType<typeof sameRows>, where?: string): Promise<void> {
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

  /** Asks both engines over the same rows. @returns what both answer */
  async function askBoth(make: (db: Database) => void) {
    const file = join(folder(), "tallydeck.db");
    const db = openForWriting(file);
    make(db);
    await fill(sameRows(db));
    db.close();
    const both = [reader({ file }), reader({ url: await url() })] as const;
    return async <Q extends QueryName>(query: Q, input: QueryInput<Q>) => {
      const [sqlite, postgres] = await Promise.all(
        both.map(async (each) => plain(await each.read(query, input))),
      );
      assert.deepEqual(postgres, sqlite, `${query} ${JSON.stringify(input)}`);
      return postgres;
    };
  }

  it("make the same reports, byte for byte, over a made-up history", async () => {
    const ask = await askBoth(madeUpHistory);
    const stats = (more: Partial<StatsQuery>) =>
      ask("stats", { query: { ...STATS, ...more }, accepts: ACCEPTS });
    for (const daily of [undefined, "offsets", "text"] as const)
      for (const from of ["first", TODAY - 1, TODAY - 40, TODAY] as const)
        for (const site of [1, 2, 3]) await stats({ site, from, daily });
    await stats({ from: TODAY - 20, to: TODAY - 15, single: true, series: false, live: 3 });
    await stats({ from: TODAY - 3_999, daily: "text", warnings: ["storage_full"] });
    const sites = [1, 2, 3].map((key) => ({ key, id: `s${key}`, live: key }));
    const query = { sites, today: TODAY, hour: 9, zone: "UTC", warnings: [] };
    const overview = await ask("overview", { query, accepts: ACCEPTS });
    assert.match(JSON.stringify(overview), /T\d\d\\",\\"pending\\":4/);
    await ask("siteActivity", { sites, today: TODAY });
    for (const site of [1, 2, 3])
      for (const days of [1, 7, 30] as const)
        for (const counter of ["pv", "uv", "sessions", "app"] as const)
          await ask("liveNumbers", { site, counter, days, today: TODAY, hour: 9 });
    await ask("viewCounts", { site: 1, from: TODAY - 6, to: TODAY });
    await ask("hourlyViews", { site: 1, from: TODAY - 27, to: TODAY });
    await ask("surveyLabels", { site: 1 });
    await ask("surveyLabels", { site: 2 });
    await ask("siteAlarms", undefined);
    await ask("surveyVersions", { query: { site: 1, id: "s1" }, accepts: ACCEPTS });
    const filter = { site: 1, version: 1, from: null, to: null };
    for (const cross of ["os", "f"] as const) {
      await ask("surveySummary", { query: { id: "s1", filter, cross }, accepts: ACCEPTS });
      const week = { ...filter, from: TODAY - 9, to: TODAY - 3 };
      await ask("surveySummary", { query: { id: "s1", filter: week, cross }, accepts: ACCEPTS });
    }
    assert.equal(await ask("foldPlan", { today: TODAY }), null);
  });

  it("keep to the same bounds: 2,000 values of a dimension, and so many counts by day", async () => {
    const ask = await askBoth((db) => {
      addSite(db, "s1");
      const ids = addValues(db, "path", 2_600);
      const other = addValues(db, "path", 1, () => OTHER);
      addValues(db, "ref", 300);
      for (let ago = 2; ago < 462; ago++)
        packDay(db, TODAY - ago, [...ids.slice(ago), ...other, ...ids.slice(0, ago - 2)]);
    });
    for (const daily of [undefined, "offsets", "text"] as const) {
      const body = await ask("stats", {
        query: { ...STATS, from: "first", daily },
        accepts: ACCEPTS,
      });
      const { path } = JSON.parse(String((body as { body: string }).body));
      assert.ok(Object.keys(path).length <= 2_001 && path[OTHER] > 0);
    }
  });

  it("plan the same folding, but leave what a day that is open may hold", async () => {
    const ask = await askBoth((db) => {
      addSite(db, "s1");
      const ids = addValues(db, "path", MAX_VALUES + 500);
      for (let ago = 2; ago < 12; ago++)
        packDay(
          db,
          TODAY - ago,
          ids.filter((id) => id % 10 === ago - 2),
        );
    });
    const plan = await ask("foldPlan", { today: TODAY });
    const [[dimension, ids]] = (plan as { values: [[string, number[]]] }).values;
    assert.deepEqual([dimension, ids.length], ["path", 1_500]);
    const [rarest = 0] = ids;
    await fill([
      {
        text: "INSERT INTO day_value (site, day, dimension, value) VALUES (1, $1, 'path', $2)",
        values: [TODAY, rarest],
      },
    ]);
    const later = await reader({ url: await url() }).read("foldPlan", { today: TODAY });
    assert.equal(later?.values[0]?.[1].length, 1_500);
    assert.ok(!later?.values[0]?.[1].includes(rarest));
  });

  it("page through responses while others come in, each once", async () => {
    const ask = await askBoth((db) => {
      addSite(db, "s1");
      for (let i = 0; i < 250; i++) addSurvey(db, TODAY - 1 - (i % 3), { n: i });
    });
    await ask("surveyVersions", { query: { site: 1, id: "s1" }, accepts: ACCEPTS });
    const numbers = reader({ url: await url() });
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
    const ask = await askBoth(madeUpHistory);
    await ask("stats", { query: STATS, accepts: ACCEPTS });
    await sql(`INSERT INTO waiting (site, node, boot, at, saved_clock, hits, data)
               VALUES (1, 9, 'b1', 0, 0, 1, '{}')`);
    const numbers = reader({ url: await url() });
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
    const numbers = reader({ url: server.url() });
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
    const numbers = reader({ url: await url() }, (thread) => started.push(thread));
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
    const numbers = reader({ url: await url() });
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
    const ofNobody = reader({ url: await url() });
    await assert.rejects(ofNobody.read("siteAlarms", undefined), { code: "storage_unavailable" });
    await fill([]);
    const server = await sharedPostgres();
    const writer = await server.createWriter(database());
    await sql(`REVOKE SELECT ON site_alarm FROM ${writer.user}`);
    const numbers = reader({ url: server.url({ ...writer, database: database() }) });
    await assert.rejects(numbers.read("siteAlarms", undefined), { code: "read_failed" });
    assert.deepEqual(await numbers.read("surveyLabels", { site: 1 }), {});
  });
});

const STATS: StatsQuery = {
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

/** An answer with its body as text, and lists of numbers as such. */
function plain(result: unknown): unknown {
  return JSON.parse(
    JSON.stringify(result, (_, value) => {
      if (value instanceof Float64Array) return [...value];
      return value instanceof Uint8Array ? Buffer.from(value).toString() : value;
    }) ?? "null",
  );
}

/** Three sites, one of them empty: days that are packed, days that are open, and what came in late. */
function madeUpHistory(db: Database): void {
  const { below, random, pick } = seeded(TEST_SEED);
  for (const id of ["s1", "s2", "s3"]) addSite(db, id);
  const dayOfSite = (ago: number, views: number) => ({
    site: ago % 5 === 0 ? "s2" : "s1",
    day: formatDay(TODAY - ago),
    counts: {
      pv: { _: views },
      uv: { _: 1 + below(views) },
      ...(ago % 2 === 0 && { sessions: { _: 1 + below(views) }, bot: { ua: 1, synthetic: 2 } }),
      ...(ago % 3 === 0 && { app: { _: below(20) + 1 } }),
      hour: Object.fromEntries(
        Array.from({ length: 1 + below(24) }, (_, hour) => [hourName(hour), 1 + below(9)]),
      ),
      uv_hour: { [hourName(below(24))]: 1 + below(9) },
      path: Object.fromEntries(
        Array.from({ length: 1 + below(40) }, () => [`/${below(90)}ü"`, 1 + below(300)]),
      ),
      ref: { [pick(["a.example", "b.example", OTHER])]: 1 + below(70_000) },
    },
    surveys: Array.from({ length: below(6) }, () => ({
      sv: 1 + below(2),
      ...(random() < 0.7 && { os: pick(["linux", "other"]) }),
      a: { nps: `${below(11)}`, "q 1": [`a${below(5)}`, "b"] },
      ...(random() < 0.5 && { c: `“said” ${below(100)}` }),
    })),
  });
  const days = (agos: readonly number[]) =>
    importDays(
      db,
      agos.map((ago) => dayOfSite(ago, 1 + below(500))),
    );
  days(Array.from({ length: 90 }, (_, ago) => 90 - ago));
  const time = { boot: "b1", bootedAt: 0, today: TODAY, retentionDays: 60 };
  const ledger = new Ledger(db);
  const step = db.transaction(() => upkeepStep(db, ledger, time));
  while (step());
  days([30, 3, 3, 1, 0, 0]);
  saveSurveyLabels(db, 1, { "1": { nps: { name: "How likely?" } } });
  db.exec(`INSERT INTO waiting (site, boot, at, saved_clock, hits, data)
           VALUES (1, 'b1', 1, 1, 3, '{}'), (1, 'b1', 2, 1, 1, '{}')`);
}

/** @returns ids */
function addValues(
  db: Database,
  dimension: string,
  count: number,
  text = (i: number) => `/${i}`,
): number[] {
  const add = db
    .prepare("INSERT INTO value (site, dimension, text, last_day) VALUES (1, ?, ?, ?) RETURNING id")
    .pluck();
  const addAll = db.transaction(() =>
    Array.from({ length: count }, (_, i) => add.get(dimension, text(i), TODAY - 5) as number),
  );
  return addAll();
}

/** Each counted as often as its id ends in. */
function packDay(db: Database, day: number, ids: readonly number[]): void {
  db.prepare("INSERT INTO packed_day (site, day, counts) VALUES (?, ?, ?)").run(
    findSite(db, "s1")?.key,
    day,
    pack(new Map(ids.map((id) => [id, 1 + (id % 100)]))),
  );
}

function addSurvey(db: Database, day: number, payload: object): void {
  db.prepare("INSERT INTO survey (site, version, day, payload) VALUES (1, 1, ?, ?)").run(
    day,
    JSON.stringify(payload),
  );
}
