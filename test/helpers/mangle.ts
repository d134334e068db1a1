import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";

/** Changes to a database that its maker would never make, by what they are. */
export const MANGLINGS: Readonly<Record<string, (db: Database.Database) => void>> = {
  "no table site": (db) => db.exec("DROP TABLE site"),
  "no table total": (db) => db.exec("DROP TABLE total"),
  "a deck whose widgets are no JSON": (db) => db.exec("UPDATE deck SET widgets = '{\"k0\":'"),
  "a deck whose widgets are a list": (db) => db.exec("UPDATE deck SET widgets = '[1]'"),
  "a deck whose settings are no JSON": (db) => db.exec("UPDATE deck SET settings = '{\"pages\":'"),
  "a deck without a page": (db) =>
    db.exec("UPDATE deck SET settings = json_set(settings, '$.pages', json('[]'))"),
  "a deck whose key has no widget": (db) =>
    db.exec("UPDATE deck SET settings = json_set(settings, '$.fixed.k0', json('{}'))"),
  "a deck that sleeps at no time": (db) =>
    db.exec("UPDATE deck SET settings = json_set(settings, '$.sleep.night', 'late')"),
  "a version below zero": (db) => db.pragma("user_version = -1"),
  "the version zero": (db) => db.pragma("user_version = 0"),
  "a trigger that ignores what is counted": (db) =>
    db.exec(
      "CREATE TRIGGER ignore BEFORE INSERT ON count BEGIN SELECT RAISE(IGNORE) FROM count; END",
    ),
  "a trigger that never ends": (db) =>
    db.exec(`CREATE TRIGGER endless BEFORE INSERT ON count BEGIN INSERT INTO meta
      WITH RECURSIVE more(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more)
      SELECT 'n', max(n) FROM more; END`),
  "a view in place of a table": (db) =>
    db.exec(`DROP TABLE total; CREATE VIEW total AS
      WITH RECURSIVE more(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more)
      SELECT 1 AS site, 'pv' AS counter, n FROM more`),
  "a virtual table in place of a table": (db) =>
    db.exec("DROP TABLE total; CREATE VIRTUAL TABLE total USING fts5(site, counter, n)"),
  "a computed column that never ends": (db) =>
    db.exec(`DROP TABLE total; CREATE TABLE total (site INTEGER, counter TEXT,
      n INTEGER AS (length(hex(zeroblob(50000000)))));
      INSERT INTO total VALUES (1, 'pv')`),
  "a condition on a column": (db) =>
    db.exec("DROP TABLE total; CREATE TABLE total (site, counter, n CHECK (n < 10))"),
  "one more table": (db) => db.exec("CREATE TABLE diary (day)"),
  "a packed day that ends in a number": (db) =>
    db.exec("INSERT INTO packed_day (site, day, counts) VALUES (1, 20000, x'0181')"),
  "a packed day of values that are not there": (db) =>
    db.exec("INSERT INTO packed_day (site, day, counts) VALUES (1, 20000, x'ff7f01')"),
  "a packed day with no counts": (db) =>
    db.exec("INSERT INTO packed_day (site, day, counts) VALUES (1, 20000, x'0000')"),
  "a count below zero": (db) => db.exec("UPDATE count SET n = -5"),
  "a count beyond what is exact": (db) => db.exec("UPDATE count SET n = 9007199254740993"),
  "a count of another site's value": (db) =>
    db.exec("INSERT INTO site (id) VALUES ('x'); UPDATE count SET site = 2"),
  "a day in the year 9999": (db) => db.exec("UPDATE count SET day = 2932896"),
  "a value of a megabyte": (db) => db.exec("UPDATE value SET text = hex(zeroblob(500000)) || id"),
  "a value of 129 characters": (db) =>
    db.exec("UPDATE value SET text = substr(hex(zeroblob(65)), 1, 129) WHERE id = 1"),
  "a site id off its rule": (db) => db.exec("UPDATE site SET id = '../Blog'"),
  "a host off its rule": (db) => db.exec("UPDATE site SET host = '<script>'"),
  "a token's hash that is too short": (db) =>
    db.exec("INSERT OR REPLACE INTO read_token VALUES (0, x'00')"),
  "a survey that is no JSON": (db) => db.exec("UPDATE survey SET payload = '{'"),
  "a survey of another version": (db) => db.exec("UPDATE survey SET version = 7"),
  "a survey with a list of devices": (db) =>
    db.exec(`UPDATE survey SET payload = '{"sv":1,"dv":["a"]}'`),
  "a hit that waits and is no JSON": (db) =>
    db.exec(`INSERT INTO waiting (site, boot, at, saved_clock, hits, data)
      VALUES (1, 'b', 1, 1, 1, 'x')`),
  "a deck of a million percent": (db) => db.exec("UPDATE deck SET brightness = 1000000"),
  "a deck with a field that nobody knows": (db) =>
    db.exec("UPDATE deck SET settings = json_set(settings, '$.x', json('[[],[]]'))"),
  "a key of a deck with a field that nobody knows": (db) =>
    db.exec(
      `UPDATE deck SET settings = json_set(settings, '$.fixed.k0', json('{"widget":{},"x":[]}'))`,
    ),
  "decks that are too large together": (db) => manyDecks(db, 12, 400_000),
  "more decks than a box keeps": (db) => manyDecks(db, 1_100, 0),
  "hits that wait and are too many together": (db) => manyWaiting(db, 80, 1_000_000),
  "hits that wait and are too large": (db) => manyWaiting(db, 4, 12_500_000),
  "webhooks that are too large together": (db) =>
    db.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
      INSERT INTO site (id) SELECT 'more-' || i FROM n;
      INSERT INTO site_alarm (site, silence, rush, webhook)
        SELECT key, 1, 0, 'http://h.local/' || hex(zeroblob(4000)) FROM site`),
};

/** Decks with a widget that is much to read: each is as a deck may be. */
function manyDecks(db: Database.Database, count: number, bytes: number): void {
  const much = JSON.stringify(Array.from({ length: bytes / 3 }, () => []));
  const settings = `{"pages":[{"name":"A","slots":{"k0":{"widget":{"x":${much}}}}}],"fixed":{},
    "sleep":{"afterMinutes":null,"night":null},"homeAfterSeconds":null}`;
  const add = db.prepare(
    `INSERT INTO deck (id, model, serial, name, brightness, widgets, settings)
     VALUES (?, 'mini', '', 'Desk', 40, '{}', ?)`,
  );
  for (let n = 0; n < count; n += 1) add.run(`mini-${n}`, settings);
}

function manyWaiting(db: Database.Database, count: number, bytes: number): void {
  const values = JSON.stringify(Array.from({ length: bytes / 7 }, () => ["", 0]));
  const data = `{"kind":"counts","views":0,"counts":[["pv",${values}]]}`;
  const add = db.prepare(
    "INSERT INTO waiting (site, boot, at, saved_clock, hits, data) VALUES (1, 'b', 1, 1, 1, ?)",
  );
  for (let n = 0; n < count; n += 1) add.run(data);
}

/** A database file with something changed in it. */
export function mangle(
  whole: Uint8Array,
  folder: string,
  change: (db: Database.Database) => void,
): Buffer {
  const path = join(folder, "mangled.db");
  writeFileSync(path, whole);
  const db = new Database(path);
  try {
    change(db);
  } finally {
    db.close();
  }
  return readFileSync(path);
}
