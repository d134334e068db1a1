import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { isAlive } from "../../scripts/postgres/process.ts";
import { CuttingProxy } from "./cutting-proxy.ts";
import { eachDatabase, Postgres, sharedPostgres } from "./postgres.ts";
import { Running } from "./tallydeck.ts";
import { until } from "./until.ts";

describe("a PostgreSQL server of the tests", () => {
  const database = eachDatabase();

  it("has an empty database for each test", async () => {
    const server = await sharedPostgres();
    const [row] = await server.sql("SELECT count(*) AS n FROM pg_stat_user_tables", database());
    assert.deepEqual(row, { n: 0 });
  });

  it("knows roles that write rows and change no table", async () => {
    const server = await sharedPostgres();
    const writer = await server.createWriter(database());
    await server.sql("CREATE TABLE counts (n bigint)", database());
    const client = new pg.Client(server.url({ ...writer, database: database() }));
    await client.connect();
    await client.query("INSERT INTO counts VALUES (1)");
    await assert.rejects(client.query("DROP TABLE counts"), { code: "42501" });
    await assert.rejects(client.query("CREATE TABLE others (n bigint)"), { code: "42501" });
    await client.end();
  });

  it("keeps what is committed when it is killed", async () => {
    const server = await Postgres.open({ fsync: true });
    await server.sql("CREATE TABLE counts AS SELECT 1 AS n");
    await server.kill();
    await assert.rejects(server.sql("SELECT 1"), { code: "ECONNREFUSED" });
    await server.restart();
    assert.deepEqual(await server.sql("SELECT n FROM counts"), [{ n: 1 }]);
  });

  it("has a certificate, and takes nobody without TLS, on request", async () => {
    const server = await Postgres.open({ tls: "required" });
    const writer = await server.createWriter("postgres");
    const plain = new pg.Client(server.url(writer));
    await assert.rejects(plain.connect(), /no encryption/);
    const ca = readFileSync(server.caFile, "utf8");
    const client = new pg.Client({ connectionString: server.url(writer), ssl: { ca } });
    await client.connect();
    await client.end();
  });

  it("has a standby that takes over what was committed", async () => {
    const server = await Postgres.open();
    await server.sql("CREATE TABLE counts (n bigint)");
    const standby = await server.standby({ synchronous: true });
    await server.sql("INSERT INTO counts VALUES (1)");
    await assert.rejects(standby.sql("INSERT INTO counts VALUES (2)"), { code: "25006" });
    await server.kill();
    await standby.promote();
    await standby.sql("INSERT INTO counts VALUES (3)");
    assert.deepEqual(await standby.sql("SELECT n FROM counts"), [{ n: 1 }, { n: 3 }]);
  });
});

describe("what was started for tests that are killed", () => {
  for (const [what, open, pidFile] of [
    ["a server", "postgres.ts').then(({ Postgres }) => Postgres.start())", "data/postmaster.pid"],
    ["a pooler", "pgbouncer.ts').then(({ PgBouncer }) => PgBouncer.open(1))", "pid"],
  ] as const)
    it(`ends with them: ${what}`, async () => {
      // It has nothing else to wait for, and would be gone, with what it started, before it is looked at.
      const stays = "setInterval(() => {}, 60_000)";
      const code = `${stays}; import('${import.meta.dirname}/${open}.then(({ folder }) => console.log(folder + ';'))`;
      const tests = new Running([], {}, { program: ["-e", code] });
      const [, folder = ""] = await tests.says(/(.*);/);
      const pid = Number.parseInt(readFileSync(join(folder, pidFile), "utf8"), 10);
      assert.ok(isAlive(pid));
      await tests.end("SIGKILL");
      await until(() => !existsSync(folder));
      assert.ok(!isAlive(pid));
    });
});

describe("a proxy that cuts connections", () => {
  const database = eachDatabase();

  const world = async () => {
    const server = await sharedPostgres();
    await server.sql("CREATE TABLE counts (n bigint)", database());
    const proxy = await CuttingProxy.open(server.port, 1);
    const connect = async () => {
      const url = server.url({ database: database(), ports: [proxy.port] });
      const client = new pg.Client({ connectionString: url, pipeline: true });
      client.on("error", () => {});
      await client.connect();
      return client;
    };
    const counts = async () =>
      (await server.sql("SELECT n FROM counts", database())).map(({ n }) => n);
    return { proxy, connect, counts };
  };

  const insert = (client: pg.Client, commit: string | pg.QueryConfig) => {
    const queries = ["BEGIN", "INSERT INTO counts VALUES (1)", commit].map((query) =>
      client.query(query).then(
        () => true,
        () => false,
      ),
    );
    return Promise.all(queries);
  };

  for (const commit of ["COMMIT", { name: "commit", text: "COMMIT" }])
    it(`knows a commit ${typeof commit === "string" ? "in a word" : "that was prepared"}`, async () => {
      const { proxy, connect, counts } = await world();
      const client = await connect();
      assert.deepEqual(await insert(client, commit), [true, true, true]);
      proxy.trouble = { commits: 1, moments: ["unsent"] };
      const [, , isCommitted] = await insert(client, commit);
      assert.deepEqual([isCommitted, await counts()], [false, [1]]);
      proxy.trouble = { commits: 1, moments: ["answered"] };
      const [, , isHeardOf] = await insert(await connect(), commit);
      assert.deepEqual([isHeardOf, await counts()], [false, [1, 1]]);
      assert.deepEqual([proxy.counts.unsent, proxy.counts.answered], [1, 1]);
    });

  it("cuts in the middle of a message, and all there is at once", async () => {
    const { proxy, connect, counts } = await world();
    proxy.trouble = { bytes: 400 };
    let isAlive = true;
    const client = await connect().catch(() => undefined);
    while (client && isAlive) isAlive = (await insert(client, "COMMIT")).every(Boolean);
    assert.equal(proxy.counts.bytes, 1);
    proxy.trouble = {};
    const other = await connect();
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    other.once("end", resolve);
    proxy.cut();
    await ended;
    assert.ok((await counts()).length < 10);
  });

  it("hangs until it is told otherwise", async () => {
    const { proxy, connect, counts } = await world();
    const client = await connect();
    proxy.hang(true);
    const inserted = insert(client, "COMMIT");
    assert.deepEqual(await counts(), []);
    proxy.hang(false);
    assert.deepEqual([await inserted, await counts()], [[true, true, true], [1]]);
    await client.end();
  });
});
