import assert from "node:assert/strict";
import { FLEET_FORMAT } from "../../../appliance/store/format.ts";
import { Connection } from "../../../appliance/store/postgres/connection/connection.ts";
import { parseDatabaseUrl } from "../../../appliance/store/postgres/connection/url.ts";
import { grant, migrate } from "../../../appliance/store/postgres/migrate.ts";
import { FakeClock } from "../../helpers/fake-clock.ts";
import { eachDatabase, sharedPostgres } from "../../helpers/postgres.ts";

const { format: FORMAT } = FLEET_FORMAT;

describe("the tables in PostgreSQL", () => {
  const database = eachDatabase();

  async function migrateAs(login: { user?: string; password?: string } = {}) {
    const url = (await sharedPostgres()).url({ ...login, database: database() });
    const settings = parseDatabaseUrl(url);
    const connection = new Connection(settings, { clock: new FakeClock(), role: "chores" });
    try {
      return await migrate(connection, settings);
    } finally {
      await connection.close();
    }
  }

  const sql = async (text: string) => (await sharedPostgres()).sql(text, database());

  it("are made once, by whoever comes first", async () => {
    const made = await Promise.all([migrateAs(), migrateAs(), migrateAs()]);
    assert.deepEqual(await sql("SELECT value FROM meta WHERE key = 'format'"), [
      { value: `${FORMAT}` },
    ]);
    assert.deepEqual(await sql("SELECT n FROM revision"), [{ n: 1 }]);
    assert.ok(made.every(({ to }) => to === FORMAT));
    assert.deepEqual(await migrateAs(), { from: FORMAT, to: FORMAT });
  });

  it("are granted by several at once", async () => {
    await migrateAs();
    const server = await sharedPostgres();
    const { user } = await server.createWriter(database());
    const settings = parseDatabaseUrl(server.url({ database: database() }));
    const clock = new FakeClock();
    const all = Array.from(
      { length: 8 },
      () => new Connection(settings, { clock, role: "chores" }),
    );
    try {
      for (let time = 0; time < 3; time++)
        await Promise.all(all.map((connection) => grant(connection, settings, user)));
    } finally {
      await Promise.all(all.map((connection) => connection.close()));
    }
  });

  it("are used by a role that may not change them", async () => {
    const writer = await (await sharedPostgres()).createWriter(database());
    await assert.rejects(migrateAs(writer), (error: Error) =>
      /has no tables of Tallydeck's.*tallydeck migrate --database-url postgres:\/\/OWNER@/.test(
        error.message,
      ),
    );
    await migrateAs();
    assert.deepEqual(await migrateAs(writer), { from: FORMAT, to: FORMAT });
  });

  it("are left to a role that may use them", async () => {
    const writer = await (await sharedPostgres()).createWriter(database());
    await migrateAs();
    await sql(`REVOKE ALL ON ALL TABLES IN SCHEMA public FROM ${writer.user}`);
    await assert.rejects(
      migrateAs(writer),
      /may not use Tallydeck's tables.*tallydeck migrate .*--grant writer_/,
    );
  });

  it("are left alone when they are from a newer version", async () => {
    await migrateAs();
    await sql("UPDATE meta SET value = '99' WHERE key IN ('format', 'readable_by')");
    await assert.rejects(migrateAs(), /from a newer Tallydeck/);
  });

  it("are left alone when they are from before the first release", async () => {
    await migrateAs();
    await sql("UPDATE meta SET key = 'schema' WHERE key = 'format'");
    await assert.rejects(migrateAs(), /from before Tallydeck's first release.*import the files/);
    assert.deepEqual(await sql("SELECT value FROM meta WHERE key = 'schema'"), [
      { value: `${FORMAT}` },
    ]);
  });

  it("are not made where texts are kept in another way than as UTF-8", async () => {
    const server = await sharedPostgres();
    for (const encoding of ["SQL_ASCII", "LATIN1"]) {
      const name = `as_${encoding.toLowerCase()}`;
      await server.sql(
        `CREATE DATABASE ${name} ENCODING '${encoding}' LOCALE 'C' TEMPLATE template0`,
      );
      const settings = parseDatabaseUrl(server.url({ database: name }));
      const connection = new Connection(settings, { clock: new FakeClock(), role: "chores" });
      await assert.rejects(
        migrate(connection, settings),
        new RegExp(`keeps texts as ${encoding}.*createdb --encoding=UTF8`),
      );
      await connection.close();
      await server.sql(`DROP DATABASE ${name}`);
    }
  });

  it("are made beside those of an extension", async () => {
    await sql("CREATE EXTENSION pg_stat_statements");
    assert.equal((await migrateAs()).to, FORMAT);
  });

  for (const table of [
    "website_event (a int)",
    "site (key int)",
    "meta (name text)",
    "meta (key text, value text)",
  ])
    it(`are not made beside another program's: ${table}`, async () => {
      await sql(`CREATE TABLE ${table}`);
      await assert.rejects(migrateAs(), /has tables of another program/);
      const [{ tables } = {}] = await sql(
        "SELECT count(*) AS tables FROM pg_tables WHERE schemaname = 'public'",
      );
      assert.equal(tables, 1);
    });
});
