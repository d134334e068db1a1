import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import pg from "pg";
import { eachDatabase, Postgres, sharedPostgres } from "./postgres.ts";

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
});
