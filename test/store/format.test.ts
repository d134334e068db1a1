import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import {
  DATA_FORMAT,
  type DataFormat,
  FLEET_FORMAT,
  READABLE_BY,
} from "../../appliance/store/format.ts";
import { databaseFile } from "../../appliance/store/sqlite/database.ts";
import { tallydeck } from "../helpers/command-line.ts";
import { engineOfSuite, onEachEngine } from "../helpers/engines.ts";
import { becomeNewer } from "../helpers/newer.ts";
import { eachWorld, type World } from "../helpers/world.ts";

const STORE = join(import.meta.dirname, "../../appliance/store");

/** Changes of a release that can be undone, in SQL of both engines. */
const ADDITIONS = [
  "CREATE TABLE passkey (id integer PRIMARY KEY, secret text)",
  "INSERT INTO passkey (id, secret) VALUES (1, 'of nobody else')",
  "ALTER TABLE document ADD COLUMN language text NOT NULL DEFAULT 'en'",
  "ALTER TABLE survey ADD COLUMN score integer",
  "CREATE INDEX survey_of_site ON survey (site, version)",
  `UPDATE document SET body = '{"color":"red",' || substr(body, 2) WHERE kind = 'site'`,
  "UPDATE document SET language = 'fr' WHERE kind = 'site'",
];

describe("the data format", () => {
  for (const [engine, ours] of [
    ["sqlite", DATA_FORMAT],
    ["postgres", FLEET_FORMAT],
  ] as const)
    it(`is the number of the newest schema of ${engine}`, () => {
      const steps = readdirSync(join(STORE, engine, "schema"));
      assert.equal(ours.format, steps.length);
      assert.ok(ours.readableBy >= 1 && ours.readableBy <= ours.format);
    });

  it("of a database that many releases share is never broken", () => {
    assert.equal(FLEET_FORMAT.readableBy, 1);
  });

  it("may get columns: no statement counts on those there are, or forgets others", () => {
    const careless =
      /SELECT (?:\w+\.)?\*(?! FROM (?:unnest|json))|OR REPLACE INTO|REPLACE INTO|INSERT INTO "?\w+"?\s+(?:VALUES|SELECT)/;
    const found = readdirSync(STORE, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .filter((name) => careless.test(readFileSync(join(STORE, name), "utf8")));
    assert.deepEqual(found, []);
  });
});

onEachEngine(() =>
  describe("data of a newer release", () => {
    const each = eachWorld();

    /** Makes of its data, once it has stopped, what a release of the next format would. */
    async function raise(world: World, statements: readonly string[], readableBy: number) {
      await world.stop();
      const next = formatOf(world).format + 1;
      if (world.isOnPostgres) {
        const meta = { format: next, [READABLE_BY]: readableBy };
        const notes = Object.entries(meta).map(
          ([key, value]) => `UPDATE meta SET value = '${value}' WHERE key = '${key}'`,
        );
        await world.rows([...statements, ...notes].join(";"));
        return;
      }
      const db = new Database(databaseFile(world.dataDir));
      db.exec(statements.join(";"));
      becomeNewer(db, next, readableBy);
      db.close();
    }

    const formatOf = (world: World): DataFormat =>
      world.isOnPostgres ? FLEET_FORMAT : DATA_FORMAT;
    const command = (world: World, ...words: string[]) => tallydeck([...words, ...world.dataArgs]);

    it("says who may still read it", async () => {
      const world = each();
      const [noted] = await world.rows(`SELECT value FROM meta WHERE key = '${READABLE_BY}'`);
      assert.deepEqual(noted, {
        value: world.isOnPostgres ? String(FLEET_FORMAT.readableBy) : DATA_FORMAT.readableBy,
      });
    });

    it("that only added is counted into and read, and keeps what was added", async () => {
      const world = each();
      await world.beacon({ p: "/before" });
      await command(world, "tokens", "make", "blog");
      await world.survey({ sv: 1, a: { q: "x" } });
      await raise(world, ADDITIONS, formatOf(world).format);
      await world.start();
      await world.beacon({ p: "/after" });
      await world.survey({ sv: 1, a: { q: "y" } });
      const { path } = await world.counts();
      assert.deepEqual(path, { "/before": 1, "/after": 1 });
      const { total } = await world.read("/surveys");
      assert.equal(total, 2);
      const { code, err } = await command(world, "tokens", "make", "blog");
      assert.equal(code, 0, err);
      await world.service.store.upkeep();
      const site = "FROM document WHERE kind = 'site' AND body IS NOT NULL";
      const [{ body, language } = assert.fail()] = (await world.rows(
        `SELECT body, language ${site}`,
      )) as { body: string; language: string }[];
      assert.equal(JSON.parse(body).color, "red");
      assert.equal(language, "fr");
      assert.deepEqual(await world.rows("SELECT secret FROM passkey"), [
        { secret: "of nobody else" },
      ]);
      await world.restart();
      assert.equal((await world.counts()).pv?._, 2);
    });

    it("that did more is refused, with what it needs and what there is", async () => {
      const world = each();
      const { format } = formatOf(world);
      await raise(world, [], format + 1);
      const { code, err } = await command(world, "sites");
      assert.equal(code, 1);
      const both = `its format ${format + 1} needs a version that has format ${format + 1}, and this one has ${format}.`;
      assert.ok(err.includes(both), err);
    });

    it("that says nothing about it is refused", async () => {
      const world = each();
      const { format } = formatOf(world);
      await raise(world, [...ADDITIONS, "DELETE FROM meta WHERE key = 'readable_by'"], format);
      const { code, err } = await command(world, "sites");
      assert.equal(code, 1);
      assert.match(err, /newer Tallydeck/);
    });

    if (engineOfSuite() === "PostgreSQL") return;

    it("is copied to data of this one, as far as that goes", async () => {
      const world = each();
      const other = join(world.dataDir, "other");
      await world.beacon({ p: "/copied" });
      await raise(world, ADDITIONS, DATA_FORMAT.format);
      const copied = await tallydeck(["copy", "--from", world.dataDir, "--to", other]);
      assert.equal(copied.code, 0, copied.err);
      const back = await tallydeck(["copy", "--from", other, "--to", world.dataDir]);
      assert.equal(back.code, 0, back.err);
      const compared = await tallydeck(["copy", "--check", "--from", other, "--to", world.dataDir]);
      assert.equal(compared.code, 0, compared.out);
    });

    it("is not restored here, but a backup that is made of it here is", async () => {
      const world = each();
      const backup = join(world.dataDir, "kept.db");
      await world.beacon({ p: "/kept" });
      await raise(world, ADDITIONS, DATA_FORMAT.format);
      const theirs = await command(world, "restore", databaseFile(world.dataDir));
      assert.match(theirs.err, /was made by a newer Tallydeck .* Restore it with that version/);
      assert.equal((await command(world, "backup", backup)).code, 0);
      assert.ok(!readFileSync(backup).includes("of nobody else"));
      const { code, err } = await command(world, "restore", backup);
      assert.equal(code, 0, err);
      await world.start();
      assert.deepEqual((await world.counts()).path, { "/kept": 1 });
    });
  }),
);
