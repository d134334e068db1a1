import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tallydeck } from "../../../helpers/command-line.ts";
import { eachFolder } from "../../../helpers/folder.ts";
import { freePort } from "../../../helpers/free-port.ts";
import { eachDatabase, sharedPostgres } from "../../../helpers/postgres.ts";
import { siteRow } from "../../../helpers/stored-sites.ts";

describe("tallydeck migrate", () => {
  const database = eachDatabase();
  const migrate = async (...args: string[]) => {
    const DATABASE_URL = (await sharedPostgres()).url({ database: database() });
    return tallydeck(["migrate", ...args], { DATABASE_URL });
  };
  const folder = eachFolder();
  const run = async (words: string, dataDir: string) => {
    const DATABASE_URL = (await sharedPostgres()).url({ database: database() });
    mkdirSync(dataDir, { recursive: true });
    return tallydeck(words.split(" "), { DATABASE_URL, DATA_DIR: dataDir });
  };
  const sql = async (text: string) => (await sharedPostgres()).sql(text, database());
  const ROLE = 'ro"le';

  it("makes the tables once, and says so", async () => {
    const first = await migrate();
    assert.deepEqual([first.code, first.err], [0, ""]);
    assert.match(first.out, /^Made the tables \(schema 1\): postgres:\/\/postgres@127\.0\.0\.1:/);
    assert.match((await migrate()).out, /^The tables are up to date \(schema 1\)/);
  });

  it("has the server know how few nodes there are, for who may not say so later", async () => {
    await migrate();
    const found = "SELECT reltuples FROM pg_class WHERE relname = 'folded'";
    assert.deepEqual(await sql(found), [{ reltuples: 0 }]);
  });

  it("makes none beside another program's, and nor does any other command", async () => {
    await sql("CREATE TABLE website_event (a int)");
    const dataDir = join(folder(), "data");
    await tallydeck(["sites", "add", "blog", "--data-dir", dataDir]);
    const file = join(folder(), "events.csv");
    writeFileSync(file, "event_id,website_id\n");
    for (const words of [
      "migrate",
      `import ${file} --site blog --inspect`,
      `import ${file} --site blog`,
      "sites",
      "sites add blog",
      "tokens",
      "tokens make admin",
      "stats",
      "status",
      "sources",
      "export --format csv",
      `copy --from ${dataDir} --to DATABASE_URL`,
      "copy --from DATABASE_URL --to data",
    ]) {
      const { code, out, err } = await run(words, dataDir);
      assert.notEqual(code, 0, `${words}: ${out}${err}`);
      assert.match(out + err, /has tables of another program, and none of Tallydeck's/, words);
    }
    const found = await sql("SELECT count(*)::int AS n FROM pg_tables WHERE schemaname = 'public'");
    assert.deepEqual(found, [{ n: 1 }]);
  });

  it("is made by no command that only looks", async () => {
    const file = join(folder(), "events.csv");
    writeFileSync(file, "event_id,website_id\n");
    const { code, err } = await run(`import ${file} --inspect`, join(folder(), "data"));
    assert.equal(code, 1);
    assert.match(err, /^No site yet in postgres:/);
    const found = await sql("SELECT count(*)::int AS n FROM pg_tables WHERE schemaname = 'public'");
    assert.deepEqual(found, [{ n: 0 }]);
    const inFile = await tallydeck([
      "import",
      file,
      "--inspect",
      "--data-dir",
      join(folder(), "none"),
    ]);
    assert.match(inFile.err, /^No site yet in /);
    assert.equal(existsSync(join(folder(), "none")), false);
  });

  it("names the zone of days for all, and says from when on", async () => {
    const noted = async () => {
      const [row] = await sql("SELECT body AS value FROM document WHERE kind = 'day_zone'");
      return JSON.parse(String(row?.value));
    };
    await migrate("--day-zone", "europe/zurich");
    assert.deepEqual(await noted(), { zone: "Europe/Zurich", before: null });
    await sql(siteRow(1, "blog"));
    const { out } = await migrate("--day-zone", "Asia/Tokyo");
    assert.match(
      out,
      /\nFrom \d{4}-\d\d-\d\d on days are those of Asia\/Tokyo; until then, of Europe\/Zurich\.\n/,
    );
    const { zone, before } = await noted();
    assert.deepEqual([zone, before.zone], ["Asia/Tokyo", "Europe/Zurich"]);
    assert.doesNotMatch((await migrate()).out, /days are/);
    const wrong = await migrate("--day-zone", "Mars/Base");
    assert.equal(wrong.code, 2);
    assert.match(
      wrong.err,
      /DAY_ZONE must be a time zone by its IANA name, like Europe\/Zurich or UTC/,
    );
  });

  it("lets a role count and read, and no more", async () => {
    await migrate();
    await sql("CREATE TABLE others (secret text)");
    await sql(`CREATE ROLE "ro""le" LOGIN`);
    try {
      const { code, out } = await migrate("--grant", ROLE);
      assert.deepEqual([code, out.split("\n")[1]], [0, `${ROLE} may count and read there.`]);
      const may = async (table: string, right: string) =>
        (await sql(`SELECT has_table_privilege('ro"le', '${table}', '${right}') AS may`))[0]?.may;
      for (const right of ["SELECT", "INSERT", "UPDATE", "DELETE"])
        assert.equal(await may("block", right), true);
      assert.equal(await may("block", "TRUNCATE"), false);
      assert.equal(await may("others", "SELECT"), false);
      await sql(`SET ROLE "ro""le"; ${siteRow(1, "blog")}`);
    } finally {
      await sql(`DROP OWNED BY "ro""le"; DROP ROLE "ro""le"`);
    }
  });

  for (const encoding of ["SQL_ASCII", "LATIN1"])
    it(`makes none in a database in ${encoding}, and says how to make one`, async () => {
      const server = await sharedPostgres();
      const name = `in_${encoding.toLowerCase()}`;
      await server.sql(
        `CREATE DATABASE ${name} ENCODING '${encoding}' LOCALE 'C' TEMPLATE template0`,
      );
      try {
        const DATABASE_URL = server.url({ database: name });
        const { code, err } = await tallydeck(["migrate"], { DATABASE_URL });
        assert.equal(code, 1);
        assert.match(
          err,
          new RegExp(`keeps texts as ${encoding}, .*createdb --encoding=UTF8 --template=template0`),
        );
        const [made] = await server.sql(
          "SELECT count(*) AS n FROM pg_tables WHERE schemaname = 'public'",
          name,
        );
        assert.equal(made?.n, 0);
        const collector = await tallydeck(["collect", "--port", "0"], {
          DATABASE_URL,
          SITES: "blog",
        });
        assert.notEqual(collector.code, 0);
        assert.match(collector.err + collector.out, new RegExp(`keeps texts as ${encoding}`));
      } finally {
        await server.dropDatabase(name);
      }
    });

  it("says how writes are switched on where they are off, which makes no standby of a server", async () => {
    const server = await sharedPostgres();
    await server.sql(`ALTER DATABASE ${database()} SET default_transaction_read_only = on`);
    for (const parameters of [{}, { target_session_attrs: "read-write" }]) {
      const url = server.url({ database: database(), parameters });
      const { code, err } = await tallydeck(["migrate", "--database-url", url]);
      assert.equal(code, 1);
      assert.match(
        err,
        /is no standby, but default_transaction_read_only is on there\. Switch it off/,
      );
    }
  });

  it("says what is wrong, and never the password", async () => {
    const none = await migrate("--grant", "nobody");
    assert.equal(none.code, 1);
    assert.match(none.err, /^There is no role nobody\. Make it there: CREATE ROLE "nobody"/);
    const away = `postgres://tally:secret@127.0.0.1:${await freePort()}/tally`;
    const { code, err } = await tallydeck(["migrate", "--database-url", away]);
    assert.equal(code, 1);
    assert.match(
      err,
      /^Nothing was changed at postgres:\/\/tally@127\.0\.0\.1:\d+\/tally: .*ECONNREFUSED/,
    );
    assert.doesNotMatch(err, /secret/);
    const wrong = await tallydeck(["migrate", "--database-url", "postgres://tally:secret@db"]);
    assert.deepEqual([wrong.code, /secret/.test(wrong.err)], [2, false]);
    assert.match(wrong.err, /names no database/);
  });
});
