import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import type { Block } from "../../appliance/store/blocks/block.ts";
import { encodeBlock } from "../../appliance/store/blocks/codec.ts";
import { fold } from "../../appliance/store/blocks/fold.ts";
import { type Month, monthOf } from "../../appliance/store/blocks/month.ts";
import { BatchEncoder, decodeBatch } from "../../appliance/store/log/batch.ts";
import type { Undated } from "../../appliance/store/log/record.ts";
import type { BlockPieces, BlockRow } from "../../appliance/store/snapshot.ts";
import { withDatabase } from "../../appliance/store/sqlite/database.ts";
import { putBlock } from "../../appliance/store/sqlite/settle.ts";
import { siteRow } from "./stored-sites.ts";

const MB = 1_048_576;
/** Since 1970. */
const DAY = 20_000;

/** Changes to a database that its maker would never make, by what they are. */
export const MANGLINGS: Readonly<Record<string, (db: Database.Database) => void>> = {
  "no table document": (db) => db.exec("DROP TABLE document"),
  "no table past": (db) => db.exec("DROP TABLE past"),
  "a definition with a letter flipped": (db) => {
    db.unsafeMode(true);
    db.exec(`PRAGMA writable_schema = 1; UPDATE sqlite_schema
      SET sql = replace(sql, 'PRIMARY', '''RIMARY') WHERE name = 'piece'`);
  },
  "a deck that is no JSON": (db) => changeDecks(db, `'{"pages":'`),
  "a deck whose keys are a list": (db) => changeDecks(db, "json_set(body, '$.fixed', json('[1]'))"),
  "a deck without a page": (db) => changeDecks(db, "json_set(body, '$.pages', json('[]'))"),
  "a deck whose key has no widget": (db) =>
    changeDecks(db, "json_set(body, '$.fixed.k0', json('{}'))"),
  "a deck that sleeps at no time": (db) =>
    changeDecks(db, "json_set(body, '$.sleep.night', 'late')"),
  "a version below zero": (db) => db.pragma("user_version = -1"),
  "the version zero": (db) => db.pragma("user_version = 0"),
  "a trigger that ignores what is counted": (db) =>
    db.exec("CREATE TRIGGER ignore BEFORE INSERT ON log BEGIN SELECT RAISE(IGNORE) FROM log; END"),
  "a trigger that never ends": (db) =>
    db.exec(`CREATE TRIGGER endless BEFORE INSERT ON log BEGIN INSERT INTO meta
      WITH RECURSIVE more(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more)
      SELECT 'n', max(n) FROM more; END`),
  "a view in place of a table": (db) =>
    db.exec(`DROP TABLE past; CREATE VIEW past AS
      WITH RECURSIVE more(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more)
      SELECT 1 AS site, 'pv' AS counter, n FROM more`),
  "a virtual table in place of a table": (db) =>
    db.exec("DROP TABLE past; CREATE VIRTUAL TABLE past USING fts5(site, counter, n)"),
  "a computed column that never ends": (db) =>
    db.exec(`DROP TABLE past; CREATE TABLE past (site INTEGER, counter TEXT,
      n INTEGER AS (length(hex(zeroblob(50000000)))));
      INSERT INTO past VALUES (1, 'pv')`),
  "a condition on a column": (db) =>
    db.exec("DROP TABLE past; CREATE TABLE past (site, counter, n CHECK (n < 10))"),
  "one more table": (db) => db.exec("CREATE TABLE diary (day)"),
  "a block whose counters are none": (db) => addBlock(db, { counters: Buffer.from([0, 255]) }),
  "a block that ends in the middle": (db) =>
    addBlock(db, { counts: blockOf("/").counts.subarray(0, -1) }),
  "a block whose detail names what its counts lack": (db) =>
    addBlock(db, { counts: new Uint8Array() }),
  "a block of the year 9999": (db) => addBlock(db, { month: 8_029 * 12 }),
  "a block of a month below zero": (db) => addBlock(db, { month: -1 }),
  "a block that is too large": (db) =>
    addBlock(db, { pieces: new Map([[DAY, new Uint8Array(65 * MB)]]) }),
  "a value of 129 characters": (db) => addBlock(db, blockOf("x".repeat(129))),
  "a value of 300,000 characters": (db) => addBlock(db, blockOf("x".repeat(300_000))),
  "a counter of the past below zero": (db) => db.exec("INSERT INTO past VALUES (1, 0, 'pv', -5)"),
  "a counter of the past beyond what is exact": (db) =>
    db.exec("INSERT INTO past VALUES (1, 0, 'pv', 9007199254740993)"),
  "a counter of the past that nobody knows": (db) =>
    db.exec("INSERT INTO past VALUES (1, 0, 'laughs', 1)"),
  "a source whose origin is no name": (db) =>
    db.exec("INSERT INTO source VALUES (7, '../x', 'copy', 'n', NULL, NULL)"),
  "a source of a kind that nobody knows": (db) =>
    db.exec("INSERT INTO source VALUES (7, 'ab', 'gift', 'n', NULL, NULL)"),
  "an import whose facts are no facts": (db) =>
    db.exec(`INSERT INTO source VALUES (7, 'ab', 'import', 'n', NULL, '{"format":1}')`),
  "a block of a source below zero": (db) => addBlock(db, { source: -7 }),
  "blocks of more sources than there are": (db) =>
    db.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1100)
      INSERT INTO past SELECT 1, i, 'pv', 1 FROM n`),
  "a batch that is none": (db) => addBatch(db, Buffer.from([1, 0, 0])),
  "a batch that ends in the middle": (db) => addBatch(db, batchOf("/").subarray(0, -1)),
  "a batch of the year 9999": (db) => addBatch(db, batchOf("/", 2_932_896 * 24)),
  "a batch with a value of 129 characters": (db) => addBatch(db, batchOf("x".repeat(129))),
  "a batch of a boot in the year 9999": (db) =>
    addBatch(db, batchOf("/", 1, { boot: "b", savedZero: Date.UTC(9_999, 0) })),
  "a batch that is too large": (db) => addBatch(db, new Uint8Array(9 * MB)),
  "a site id off its rule": (db) => changeSites(db, "json_set(body, '$.id', '../Blog')"),
  "a host off its rule": (db) => changeSites(db, "json_set(body, '$.host', '<script>')"),
  "a token's hash that is too short": (db) => changeSites(db, "json_set(body, '$.token', '00')"),
  "a picture whose name is no hash": (db) => addImage(db, "../x", Buffer.from("png")),
  "a picture without a file": (db) => addImage(db, "0".repeat(64), null),
  "a site with a file": (db) => db.exec("UPDATE document SET file = x'00' WHERE kind = 'site'"),
  "a picture that is too large": (db) => addImage(db, "0".repeat(64), Buffer.alloc(MB)),
  "two sites of one id": (db) => db.exec(siteRow(7, "blog")),
  "a site whose number is none": (db) =>
    db.exec("UPDATE document SET id = '0x7' WHERE kind = 'site' AND id = '1'"),
  "a survey that is no JSON": (db) => db.exec("UPDATE survey SET payload = '{'"),
  "a survey of another version": (db) => db.exec("UPDATE survey SET version = 7"),
  "a survey with a list of devices": (db) =>
    db.exec(`UPDATE survey SET payload = '{"sv":1,"dv":["a"]}'`),
  "a survey that waits and is no JSON": (db) => addWaiting(db, "x"),
  "a survey that waits and is of another version": (db) => addWaiting(db, '{"sv":7}'),
  "a deck of a million percent": (db) => changeDecks(db, "json_set(body, '$.brightness', 1000000)"),
  "a deck with a field that nobody knows": (db) =>
    changeDecks(db, "json_set(body, '$.x', json('[[],[]]'))"),
  "a key of a deck with a field that nobody knows": (db) =>
    changeDecks(db, `json_set(body, '$.fixed.k0', json('{"widget":{},"x":[]}'))`),
  "decks that are too large together": (db) => manyDecks(db, 12, 400_000),
  "more decks than a machine keeps": (db) => manyDecks(db, 1_100, 0),
  "surveys that wait and are too many together": (db) =>
    db.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2200)
      INSERT INTO waiting_survey (site, boot, at, saved_clock, version, payload)
        SELECT 1, 'b', 1, 1, 1, '{"sv":1,"c":"' || hex(zeroblob(4000)) || '"}' FROM n`),
  "webhooks that are too large together": (db) =>
    db.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
      INSERT INTO document (kind, id, body, revision)
        SELECT 'site', CAST(i + 10 AS text), json_set(body, '$.id', 'more-' || i), 1
        FROM n, (SELECT body FROM document WHERE kind = 'site' LIMIT 1);
      INSERT INTO document (kind, id, body, revision)
        SELECT 'site_alarms', CAST(key AS text), json_object('silence', json('true'), 'rush',
          json('false'), 'webhook', 'http://h.local/' || hex(zeroblob(3900))), 1 FROM site`),
};

function addImage(db: Database.Database, id: string, file: Buffer | null): void {
  db.prepare(
    "INSERT INTO document (kind, id, body, revision, file) VALUES ('image', ?, '{}', 1, ?)",
  ).run(id, file);
}

/** @param body in SQL */
function changeSites(db: Database.Database, body: string): void {
  db.exec(`UPDATE document SET body = ${body} WHERE kind = 'site'`);
}

/** @param body in SQL */
function changeDecks(db: Database.Database, body: string): void {
  db.exec(`UPDATE document SET body = ${body} WHERE kind = 'deck'`);
}

/** Decks with a widget that is much to read: each is as a deck may be. */
function manyDecks(db: Database.Database, count: number, bytes: number): void {
  const x = Array.from({ length: bytes / 3 }, () => []);
  const body = JSON.stringify({
    model: "mini",
    serial: "",
    name: "Desk",
    brightness: 40,
    pages: [{ name: "A", slots: { k0: { widget: { x } } } }],
    fixed: {},
    sleep: { afterMinutes: null, night: null },
    homeAfterSeconds: null,
  });
  const add = db.prepare(
    "INSERT INTO document (kind, id, body, revision) VALUES ('deck', ?, ?, 1)",
  );
  for (let n = 0; n < count; n += 1) add.run(`mini-${n}`, body);
}

/** A view of a path. @param moment see HitRecord */
function batchOf(path: string, moment = DAY * 24, undated?: Undated): Uint8Array {
  const encoder = new BatchEncoder(undated);
  const values = [["path", path]] as const;
  encoder.add({ site: 1, kind: "view", flags: 0, moment, times: 1, values });
  return encoder.encode();
}

/** The block of that view, with its detail. */
export function blockOf(path: string): BlockPieces {
  const blocks = new Map<Month, Block>();
  fold(blocks, decodeBatch(batchOf(path)), [0], { detailFrom: 0 });
  return encodeBlock(blocks.get(monthOf(DAY)) ?? assert.fail());
}

function addBatch(db: Database.Database, body: Uint8Array): void {
  db.prepare("INSERT INTO log (n, body) SELECT coalesce(max(n), 0) + 1, ? FROM log").run(body);
}

/** A block that is sound but for what is given. */
function addBlock(db: Database.Database, off: Partial<BlockRow>): void {
  db.pragma("ignore_check_constraints = ON");
  putBlock(db, { site: 1, month: monthOf(DAY), source: 0, part: 0, ...blockOf("/"), ...off });
}

function addWaiting(db: Database.Database, payload: string): void {
  db.prepare(
    `INSERT INTO waiting_survey (site, boot, at, saved_clock, version, payload)
     VALUES (1, 'b', 1, 1, 1, ?)`,
  ).run(payload);
}

/** A database file with something changed in it. */
export function mangle(
  whole: Uint8Array,
  folder: string,
  change: (db: Database.Database) => void,
): Buffer {
  const path = join(folder, "mangled.db");
  writeFileSync(path, whole);
  withDatabase(new Database(path), (db) => {
    db.pragma("ignore_check_constraints = ON");
    change(db);
  });
  return readFileSync(path);
}
