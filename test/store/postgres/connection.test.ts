import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { Connection } from "../../../appliance/store/postgres/connection/connection.ts";
import {
  Away,
  isFull,
  isLost,
  Lost,
  reasonOf,
  refusalOf,
  sqlStateOf,
} from "../../../appliance/store/postgres/connection/errors.ts";
import { SeenServers } from "../../../appliance/store/postgres/connection/place.ts";
import {
  type ConnectionSettings,
  parseDatabaseUrl,
} from "../../../appliance/store/postgres/connection/url.ts";
import { CuttingProxy } from "../../helpers/cutting-proxy.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { eachDatabase, Postgres, sharedPostgres } from "../../helpers/postgres.ts";
import { until } from "../../helpers/until.ts";

describe("a connection to PostgreSQL", () => {
  const database = eachDatabase();
  const connections: Connection[] = [];
  let server: Postgres;
  let clock: FakeClock;
  let url: string;

  beforeEach(async () => {
    server = await sharedPostgres();
    clock = new FakeClock();
    url = server.url({ database: database() });
  });

  afterEach(async () => {
    await Promise.all(connections.splice(0).map((connection) => connection.close()));
  });

  function connect(to: string | ConnectionSettings = url, seen = new SeenServers()): Connection {
    const settings = typeof to === "string" ? parseDatabaseUrl(to) : to;
    const connection = new Connection(settings, { clock, role: "commit", random: () => 1, seen });
    connections.push(connection);
    return connection;
  }

  /** The sentence about a failed connection. */
  async function sentenceOf(to: string): Promise<string | undefined> {
    const settings = parseDatabaseUrl(to);
    const error = await connect(settings)
      .rows("SELECT 1")
      .catch((reason: unknown) => reason);
    assert.ok(error instanceof Away, String(error));
    return refusalOf(error, settings)?.message;
  }

  it("answers rows, with numbers, bytes and arrays", async () => {
    const [row] = await connect().rows(
      "SELECT $1::bigint AS big, sum(n) AS sum, $2::bytea AS bytes, true AS yes FROM unnest($3::int[]) n",
      [2 ** 52, Buffer.from([1, 255]), [1, 2, 3]],
    );
    assert.deepEqual(row, { big: 2 ** 52, sum: 6, bytes: Buffer.from([1, 255]), yes: true });
  });

  it("tells the server its name", async () => {
    const settings = { ...parseDatabaseUrl(url), name: "north" };
    const rows = await connect(settings).rows("SHOW application_name");
    assert.deepEqual(rows, [{ application_name: "tallydeck north" }]);
  });

  it("does several things at once, and says which one failed first", async () => {
    const connection = connect();
    const texts = (...all: string[]) => all.map((text) => ({ text }));
    const [first, second] = await connection.all(texts("SELECT 1 AS n", "SELECT 2 AS n"));
    assert.deepEqual([first, second], [[{ n: 1 }], [{ n: 2 }]]);
    await assert.rejects(connection.all(texts("SELECT 1", "SELECT 1/0", "SELECT x")), {
      code: "22012",
    });
  });

  it("does a transaction in one go, all of it or nothing", async () => {
    const connection = connect();
    await connection.rows("CREATE TABLE t (n int PRIMARY KEY)");
    const insert = { text: "INSERT INTO t VALUES ($1) RETURNING n", values: [1] };
    assert.deepEqual(await connection.pipeline([insert]), [[{ n: 1 }]]);
    const other = { ...insert, values: [2] };
    await assert.rejects(connection.pipeline([other, insert]), { code: "23505" });
    assert.deepEqual(await connection.rows("SELECT n FROM t"), [{ n: 1 }]);
  });

  it("takes a transaction back when its task fails", async () => {
    const connection = connect();
    await connection.rows("CREATE TABLE t (n int)");
    const failing = connection.transaction(async (sql) => {
      await sql.rows("INSERT INTO t VALUES (1)");
      throw new Error("no");
    });
    // It waits for its turn.
    const rows = connection.rows("SELECT n FROM t");
    await assert.rejects(failing, /no/);
    assert.deepEqual(await rows, []);
  });

  it("runs a transaction again that another was in the way of", async () => {
    const [one, other] = [connect(), connect()];
    await one.rows("CREATE TABLE t AS SELECT id, 0 AS n FROM generate_series(1, 2) id");
    const add = (id: number) => ({ text: "UPDATE t SET n = n + 1 WHERE id = $1", values: [id] });
    // Each holds what the other wants next, the first time.
    const held = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const run = (connection: Connection, first: number, me: number) =>
      connection.transaction(async (sql) => {
        await sql.all([add(first)]);
        held[me]?.resolve();
        await Promise.all(held.map(({ promise }) => promise));
        await sql.all([add(3 - first)]);
      });
    let isDone = false;
    const both = Promise.all([run(one, 1, 0), run(other, 2, 1)]).then(() => {
      isDone = true;
    });
    await until(() => {
      clock.advance(1);
      return isDone;
    });
    await both;
    assert.deepEqual(await one.rows("SELECT sum(n) FROM t"), [{ sum: 4 }]);
  });

  it("connects again when it was lost, after a pause", async () => {
    const connection = connect();
    const [row] = await connection.rows<{ pid: number }>("SELECT pg_backend_pid() AS pid");
    const lost = assert.rejects(connection.rows("SELECT pg_sleep(1000)"), Lost);
    await server.sql(`SELECT pg_terminate_backend(${row?.pid})`);
    await lost;
    const again = connection.rows("SELECT 1 AS n");
    await until(() => clock.timers > 0);
    clock.advance(100);
    assert.deepEqual(await again, [{ n: 1 }]);
  });

  it("pauses no longer than before where it was lost, and had done something since", async () => {
    const connection = connect();
    for (let round = 0; round < 3; round++) {
      const [row] = await connection.rows<{ pid: number }>("SELECT pg_backend_pid() AS pid");
      const lost = assert.rejects(connection.rows("SELECT pg_sleep(1000)"), Lost);
      await server.sql(`SELECT pg_terminate_backend(${row?.pid})`);
      await lost;
      const again = connection.rows("SELECT 1 AS n");
      await until(() => clock.timers > 0);
      clock.advance(100);
      assert.equal(clock.timers, 0, `it still pauses in round ${round}`);
      assert.deepEqual(await again, [{ n: 1 }]);
    }
  });

  it("does not know what became of a commit whose answer it did not hear", async () => {
    const proxy = await CuttingProxy.open(server.port, 1);
    const connection = connect(server.url({ database: database(), ports: [proxy.port] }));
    await connection.rows("CREATE TABLE t (n int)");
    proxy.trouble = { commits: 1, moments: ["answered"] };
    const insert = [{ text: "INSERT INTO t VALUES (1)" }];
    await assert.rejects(connection.pipeline(insert), Lost);
    assert.deepEqual(await server.sql("SELECT n FROM t", database()), [{ n: 1 }]);
  });

  it("gives up a connection whose answer is overdue", async () => {
    const proxy = await CuttingProxy.open(server.port, 1);
    const connection = connect(server.url({ database: database(), ports: [proxy.port] }));
    await connection.rows("SELECT 1");
    proxy.hang(true);
    const asked = connection.rows("SELECT 1");
    await until(() => clock.timers > 0);
    clock.advance(10_000);
    await assert.rejects(
      asked,
      (error) => error instanceof Lost && /10 seconds/.test(error.message),
    );
  });

  it("gives up a host that does not answer at all", async () => {
    const silent = createServer().listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as { port: number };
    const asked = connect(`postgres://u@127.0.0.1:${port}/d?connect_timeout=2`).rows("SELECT 1");
    asked.catch(() => {});
    await until(() => clock.timers > 0);
    clock.advance(2_000);
    await assert.rejects(asked, (error) => error instanceof Away && isLost(error));
    silent.close();
  });

  it("leaves hosts that have not answered when it is closed", async () => {
    const silent = createServer().listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as { port: number };
    const arrived = once(silent, "connection");
    const connection = connect(server.url({ database: database(), ports: [server.port, port] }));
    let isAnswered = false;
    const answered = connection.rows("SELECT 1 AS n").finally(() => {
      isAnswered = true;
    });
    const [socket] = await arrived;
    await until(() => {
      clock.advance(20);
      return isAnswered;
    });
    assert.deepEqual(await answered, [{ n: 1 }]);
    const left = once(socket.resume(), "close");
    await connection.close();
    await left;
    silent.close();
  });

  it("pauses longer each time that no host can be reached, and ends when it is told to", async () => {
    const connection = connect("postgres://u@127.0.0.1:1/d");
    const ask = () => connection.rows("SELECT 1");
    await assert.rejects(ask(), Away);
    for (const pause of [100, 200, 400]) {
      const next = assert.rejects(ask(), /ECONNREFUSED/);
      await until(() => clock.timers > 0);
      clock.advance(pause - 1);
      assert.equal(clock.timers, 1);
      clock.advance(1);
      await next;
    }
    const last = assert.rejects(ask(), /closed/);
    await connection.close();
    await last;
  });

  it("takes the host that takes writes", async () => {
    const primary = await Postgres.open();
    const standby = await primary.standby();
    const ports = [1, standby.port, primary.port];
    const connection = connect(primary.url({ ports }));
    await connection.rows("CREATE TABLE t (n int)");
    const alone = connect(standby.url());
    const write = await alone.rows("CREATE TABLE x (n int)").catch((error: unknown) => error);
    assert.match(reasonOf(write), /standby/);
    await primary.end();
    await standby.promote();
    const insert = () => connection.rows("INSERT INTO t VALUES (1) RETURNING n");
    let rows: unknown;
    // It may hear only now that the other is gone.
    void insert()
      .catch(insert)
      .then((inserted) => {
        rows = inserted;
      });
    await until(() => {
      clock.advance(1);
      return rows !== undefined;
    });
    assert.deepEqual(rows, [{ n: 1 }]);
  });

  it("says which of user, password and database is wrong", async () => {
    const writer = await server.createWriter(database());
    const of = (login: object) => server.url({ ...writer, database: database(), ...login });
    const wrong = await sentenceOf(of({ password: "hidden" }));
    assert.match(
      wrong ?? "",
      /refuses the user writer_\d+ with this password.*DATABASE_URL is postgres/,
    );
    assert.ok(!wrong?.includes("hidden"));
    assert.match((await sentenceOf(of({ password: "" }))) ?? "", /DATABASE_URL has none/);
    assert.match((await sentenceOf(of({ database: "none" }))) ?? "", /There is no database none/);
    assert.equal(await sentenceOf("postgres://u@127.0.0.1:1/d"), undefined);
  });

  it("encrypts where it can or must, and believes only whom it should", async () => {
    const safe = await Postgres.open({ tls: "required" });
    const writer = await safe.createWriter("postgres");
    const of = (parameters: Record<string, string>) => safe.url({ ...writer, parameters });
    const encrypted = async (to: string) => {
      const rows = await connect(to).rows(
        "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()",
      );
      return rows.length === 1 && "ssl" in (rows[0] ?? {}) && Object.values(rows[0] ?? {})[0];
    };
    assert.equal(await encrypted(of({})), true);
    assert.equal(await encrypted(of({ sslmode: "require" })), true);
    const sslrootcert = safe.caFile;
    assert.equal(await encrypted(of({ sslmode: "verify-full", sslrootcert })), true);
    assert.match((await sentenceOf(of({ sslmode: "verify-full" }))) ?? "", /cannot be trusted/);
    const elsewhere = new URL(of({ sslmode: "verify-full", sslrootcert }));
    // The same machine, by a name that is in no certificate.
    elsewhere.hostname = "127.1";
    const another = (await sentenceOf(elsewhere.href)) ?? "";
    assert.match(another, /is for another name \(.*127\.1.*\)\. Write a name that is in it/);
    assert.doesNotMatch(another, /sslrootcert=FILE/);
    assert.match(
      (await sentenceOf(of({ sslmode: "disable" }))) ?? "",
      /takes no connection without TLS/,
    );
    assert.equal(await encrypted(url), false);
    assert.match((await sentenceOf(`${url}?sslmode=require`)) ?? "", /offers no TLS/);
  });

  it("takes the newer of two primaries, wherever its name stands, and no older one after it", async () => {
    const former = await Postgres.open();
    const newer = await former.standby();
    await newer.promote();
    const ports = [former.port, newer.port];
    const portOf = async (connection: Connection) =>
      (await connection.rows("SELECT inet_server_port() AS port"))[0];
    const connection = connect(former.url({ ports }));
    assert.deepEqual(await portOf(connection), { port: newer.port });
    await newer.stop();
    const ask = () => connection.rows("SELECT 1");
    let error: unknown;
    // It hears only now that the other is gone.
    void ask()
      .catch(ask)
      .catch((reason: unknown) => {
        error = reason;
      });
    await until(() => {
      clock.advance(10);
      return error !== undefined;
    });
    assert.ok(error instanceof Away);
    assert.match(reasonOf(error), /was the primary once \(timeline 1\).*replaced.*\(timeline 2\)/);
  });

  it("leaves a former primary as soon as another connection has met the newer one", async () => {
    const former = await Postgres.open();
    const newer = await former.standby();
    const url = former.url({ ports: [former.port, newer.port] });
    const seen = new SeenServers();
    const portOf = async (connection: Connection) =>
      (await connection.rows("SELECT inet_server_port() AS port"))[0];
    const [one, other] = [connect(url, seen), connect(url, seen)];
    assert.deepEqual(await portOf(one), { port: former.port });
    await newer.promote();
    assert.deepEqual(await portOf(other), { port: newer.port });
    assert.deepEqual(await portOf(one), { port: newer.port });
  });

  it("has the server end a transaction whose rest never comes", async () => {
    const connection = connect();
    const shown = "SHOW idle_in_transaction_session_timeout";
    const within = await connection.transaction((sql) => sql.rows(shown));
    const [[single]] = (await connection.pipeline([{ text: shown }])) as [[object]];
    const is = { idle_in_transaction_session_timeout: "15s" };
    assert.deepEqual([within, single], [[is], is]);
    assert.deepEqual(await connection.rows(shown), [{ idle_in_transaction_session_timeout: "0" }]);
  });

  it("has the server wait for a reader that computes, and ask whether its machine is there", async () => {
    const shown = ["idle_in_transaction_session_timeout", "tcp_keepalives_idle"];
    const read = await connect().transaction(
      (sql) => sql.all(shown.map((name) => ({ text: `SHOW ${name}` }))),
      { read: true },
    );
    assert.deepEqual(read.flat(), [
      { idle_in_transaction_session_timeout: "0" },
      { tcp_keepalives_idle: "30" },
    ]);
  });

  it("has the server compile no statement, whatever that costs", async () => {
    const costly =
      "EXPLAIN (FORMAT JSON) SELECT count(*) FROM generate_series(1, 1000) n WHERE n > 1";
    for (const read of [true, false]) {
      const [row] = await connect().transaction(
        async (sql) => {
          await sql.rows("SET LOCAL jit_above_cost = 0");
          return sql.rows<Record<string, [object]>>(costly);
        },
        { read },
      );
      assert.deepEqual(Object.keys(row?.["QUERY PLAN"]?.[0] ?? {}), ["Plan"]);
    }
  });

  it("has the server give up a lock before it gives up the answer", async () => {
    const [[row]] = (await connect().pipeline([{ text: "SHOW lock_timeout" }])) as [[object]];
    assert.deepEqual(row, { lock_timeout: "6s" });
  });

  it("tells when there is no connection left for it", async () => {
    const { user, password } = await server.createWriter(database());
    await server.sql(`ALTER ROLE ${user} CONNECTION LIMIT 1`);
    const to = server.url({ user, password, database: database() });
    await connect(to).rows("SELECT 1");
    const error = await connect(to)
      .rows("SELECT 1")
      .catch((reason: unknown) => reason);
    assert.ok(error instanceof Away && !isFull(error));
    assert.equal(sqlStateOf(error.cause), "53300");
    assert.match(reasonOf(error), /no more connections there/);
  });
});
