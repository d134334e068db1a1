import assert from "node:assert/strict";
import { readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { pieceOf } from "../../../appliance/store/blocks/block-reader.ts";
import { LAST_DAY, MAX_MONTH } from "../../../appliance/store/blocks/month.ts";
import { LAST_PART } from "../../../appliance/store/settling/parts.ts";
import type { BlockKey } from "../../../appliance/store/snapshot.ts";
import { openForReading, openForWriting } from "../../../appliance/store/sqlite/database.ts";
import { DatabaseRefused } from "../../../appliance/store/sqlite/refused.ts";
import { putBlock } from "../../../appliance/store/sqlite/settle.ts";
import { eachFolder } from "../../helpers/folder.ts";
import { becomeNewer } from "../../helpers/newer.ts";

const SCHEMA = join(import.meta.dirname, "../../../appliance/store/sqlite/schema");
const STEPS = readdirSync(SCHEMA).sort();

describe("a database", () => {
  const folder = eachFolder();
  const file = () => join(folder(), "tallydeck.db");

  /** Everything that makes up a schema, as text. */
  function schemaOf(path: string): unknown {
    const db = openForWriting(path);
    try {
      return {
        tables: db.prepare("SELECT type, name, sql FROM sqlite_schema ORDER BY name").all(),
        version: db.pragma("user_version"),
        application: db.pragma("application_id"),
        journal: db.pragma("journal_mode"),
      };
    } finally {
      db.close();
    }
  }

  it("takes no block and no piece whose numbers nothing counts in", () => {
    const db = openForWriting(file());
    const put = (off: Partial<BlockKey>, n = 0) => {
      const key = { site: 1, month: 0, source: 0, part: 0, ...off };
      const nothing = new Uint8Array();
      putBlock(db, { ...key, counters: nothing, counts: nothing, pieces: new Map([[n, nothing]]) });
    };
    for (const [column, least, most] of [
      ["site", 1, 2 ** 31 - 1],
      ["month", 0, MAX_MONTH],
      ["source", 0, 2 ** 30],
      ["part", 0, LAST_PART],
    ] as const) {
      for (const good of [least, most]) put({ [column]: good });
      for (const bad of [least - 1, most + 1]) assert.throws(() => put({ [column]: bad }), /CHECK/);
    }
    for (const good of [pieceOf(0), LAST_DAY]) put({}, good);
    for (const bad of [pieceOf(0) - 1, LAST_DAY + 1]) assert.throws(() => put({}, bad), /CHECK/);
    db.close();
  });

  function refusal(open: (path: string) => unknown): string {
    try {
      open(file());
    } catch (error) {
      if (error instanceof DatabaseRefused) return error.message;
      throw error;
    }
    throw new Error("it was not refused");
  }

  it("is opened again as it was left", () => {
    assert.deepEqual(schemaOf(file()), schemaOf(file()));
  });

  it("is written through the log, synced at every commit, and zeroed where it is erased", () => {
    const db = openForWriting(file());
    const settings = ["journal_mode", "synchronous", "secure_delete"].map((name) =>
      db.pragma(name, { simple: true }),
    );
    db.close();
    assert.deepEqual(settings, ["wal", 2, 1]);
  });

  it("numbers its migrations, each differently", () => {
    const numbers = STEPS.map((name) => /^\d{3}(?=-)/.exec(name)?.[0]);
    assert.ok(!numbers.includes(undefined), `${STEPS}`);
    assert.equal(new Set(numbers).size, STEPS.length, `${STEPS}`);
  });

  describe("is refused", () => {
    it("when a newer version wrote it, with a sentence that says what to do", () => {
      openForWriting(file()).close();
      const db = new Database(file());
      becomeNewer(db, STEPS.length + 1);
      db.close();
      const before = readFileSync(file());
      const [next, ours] = [STEPS.length + 1, STEPS.length];
      const sentence = `${file()} was written by a newer Tallydeck: its format ${next} needs a version that has format ${next}, and this one has ${ours}. Install that version or newer, or restore a backup made with this one.`;
      assert.equal(refusal(openForWriting), sentence);
      assert.equal(refusal(openForReading), sentence);
      assert.deepEqual(readFileSync(file()), before);
    });

    it("when it is from before the first release", () => {
      const db = new Database(file());
      db.exec("CREATE TABLE count (site, day, value, n)");
      // "Tdck"
      db.pragma(`application_id = ${0x5464636b}`);
      db.pragma("user_version = 17");
      db.close();
      const before = readFileSync(file());
      const sentence =
        /is from before Tallydeck's first release, and cannot be used any more: choose “Start anew”/;
      assert.match(refusal(openForWriting), sentence);
      assert.match(refusal(openForReading), sentence);
      assert.deepEqual(readFileSync(file()), before);
    });

    it("when another program made it", () => {
      const db = new Database(file());
      db.exec("CREATE TABLE recipe (name TEXT); INSERT INTO recipe VALUES ('soup')");
      db.close();
      const before = readFileSync(file());
      assert.match(refusal(openForWriting), /is a database of another program\. Name a file/);
      assert.match(refusal(openForReading), /is a database of another program/);
      assert.deepEqual(readFileSync(file()), before);
    });

    it("when it is no database", () => {
      const others = ["x", "This is no database.\n".repeat(500), "SQLite format 3\0 or is it?"];
      for (const text of others) {
        writeFileSync(file(), text);
        assert.match(refusal(openForWriting), /is damaged or no database .* Restore a backup/);
        assert.match(refusal(openForReading), /is damaged or no database/);
        assert.equal(readFileSync(file(), "utf8"), text);
      }
    });

    it("when the beginning of the file is damaged", () => {
      openForWriting(file()).close();
      const bytes = readFileSync(file());
      writeFileSync(file(), bytes.fill(0xff, 100, 4_000));
      assert.match(refusal(openForWriting), /is damaged or no database/);
      assert.deepEqual(readFileSync(file()), bytes);
    });

    it("when the file was cut off", () => {
      openForWriting(file()).close();
      truncateSync(file(), 1_000);
      assert.match(refusal(openForWriting), /is damaged or no database/);
    });

    it("when its folder is not there", () => {
      assert.throws(
        () => openForWriting(join(folder(), "nowhere/tallydeck.db")),
        (error) =>
          error instanceof DatabaseRefused && /check that the folder exists/.test(error.message),
      );
    });
  });
});
