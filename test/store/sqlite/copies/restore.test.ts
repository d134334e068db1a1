import assert from "node:assert/strict";
import { fork } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import Database from "better-sqlite3";
import { DOCUMENT_KINDS } from "../../../../appliance/app/service/document-kinds.ts";
import { tryStart } from "../../../../appliance/app/service/try-start.ts";
import { DECKS } from "../../../../appliance/deck/settings/deck-settings.ts";
import { monthOf } from "../../../../appliance/store/blocks/month.ts";
import { documentsChange } from "../../../../appliance/store/documents.ts";
import { adminChange } from "../../../../appliance/store/sites/writes.ts";
import { backUp } from "../../../../appliance/store/sqlite/copies/backup.ts";
import { ownProcesses, runChore } from "../../../../appliance/store/sqlite/copies/chore-process.ts";
import { restore } from "../../../../appliance/store/sqlite/copies/restore.ts";
import { swapIn, takeBack } from "../../../../appliance/store/sqlite/copies/swap.ts";
import { databaseFile, openForWriting } from "../../../../appliance/store/sqlite/database.ts";
import { putBlock } from "../../../../appliance/store/sqlite/settle.ts";
import { DEMO_SITES, demoDays } from "../../../../appliance/traffic/demo/demo.ts";
import { addDays } from "../../../helpers/counted-days.ts";
import { FakeClock } from "../../../helpers/fake-clock.ts";
import { eachFolder } from "../../../helpers/folder.ts";
import { blockOf } from "../../../helpers/mangle.ts";
import { becomeNewer } from "../../../helpers/newer.ts";
import { addSite, changeNow } from "../../../helpers/stored-sites.ts";
import { until } from "../../../helpers/until.ts";
import { World } from "../../../helpers/world.ts";

const START = { kinds: DOCUMENT_KINDS, tryStart };

/** The rows of each table, as text. */
function contents(file: string): Record<string, string> {
  const db = new Database(file, { readonly: true });
  try {
    const order = (table: string) => (table === "document" ? "ORDER BY kind, id" : "");
    const rows = (table: string) =>
      JSON.stringify(db.prepare(`SELECT * FROM ${table} ${order(table)}`).all());
    const tables = db
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
      .pluck()
      .all() as string[];
    return Object.fromEntries(tables.map((table) => [table, rows(table)]));
  } finally {
    db.close();
  }
}

describe("what a restore copies", () => {
  const folder = eachFolder();
  const at = (name: string) => join(folder(), name);

  it("leaves no byte of a push token in the file of a backup, whatever stands beside it", async () => {
    const db = openForWriting(at("box.db"));
    const add = db.prepare("INSERT INTO document (kind, id, body, revision) VALUES (?, ?, ?, 1)");
    db.transaction(() => {
      for (let n = 0; n < 200; n++) {
        add.run("push_token", `${n}`, JSON.stringify({ name: `secret-${n}` }));
        add.run("deck", `${n}`, JSON.stringify({ name: "x".repeat((n * 97) % 6_000) }));
      }
    })();
    db.close();
    await backUp(at("box.db"), at("backup.db"), DOCUMENT_KINDS);
    const bytes = readFileSync(at("backup.db"));
    assert.deepEqual([bytes.includes("xxxx"), bytes.includes("secret-")], [true, false]);
  });

  it("is all that was counted and set, to the row", async () => {
    const world = new World({ env: { SITES: DEMO_SITES.join() } });
    await world.start();
    await world.stop();
    const data = databaseFile(world.dataDir);
    const db = openForWriting(data);
    addDays(db, [...demoDays(world.clock.now())].slice(-60));
    addSite(db, "notes");
    const pages = [{ name: "A", slots: { k0: { widget: { type: "empty" as const } } } }];
    const deck = {
      model: "xl",
      serial: "s",
      name: "Desk",
      brightness: 40,
      pages,
      fixed: {},
      sleep: { afterMinutes: 5, night: null },
      homeAfterSeconds: null,
    };
    changeNow(db, { documents: [documentsChange(DECKS, { put: [{ id: "a", body: deck }] })] });
    changeNow(db, { documents: [adminChange(new Uint8Array(32).fill(7))] });
    db.close();
    const unsure = new World({
      dataDir: world.dataDir,
      clock: new FakeClock(world.clock.now(), { sure: false }),
    });
    await unsure.start();
    // Upkeep packs the waiting log.
    await unsure.service.store.upkeep();
    await unsure.beacon({ p: "/waits" }, { s: "notes" });
    await unsure.survey(
      { sv: 1, a: { q: ["x", "y"], nps: "9" }, dv: "a,b", c: "wäits\n!" },
      { s: "notes" },
    );
    await unsure.stop();
    const stopped = openForWriting(data);
    const day = 20_000;
    putBlock(stopped, { site: 4, month: monthOf(day), source: 0, part: 0, ...blockOf("/") });
    stopped.exec(
      `INSERT INTO counted_day VALUES (${day}, 0); INSERT INTO past VALUES (1, 0, 'pv', 5)`,
    );
    stopped.close();

    await backUp(data, at("backup.db"), DOCUMENT_KINDS);
    await restore(at("backup.db"), at("restored.db"), START);
    const {
      meta: givenMeta,
      generation: before,
      revision: _,
      ...given
    } = contents(at("backup.db"));
    const { meta, generation, revision, ...taken } = contents(at("restored.db"));
    assert.notEqual(generation, before);
    assert.deepEqual(JSON.parse(String(revision)), [{ one: 1, n: 1, last_site: 4 }]);
    // The box reads through what it did not write itself.
    const document = String(given.document).replaceAll(/"revision":\d+/g, '"revision":0');
    assert.notEqual(document, given.document);
    // Counts of the backup's own database have its origin, and those from now on another.
    const origin = (from: string | undefined) =>
      JSON.parse(String(from)).find(({ key }: { key: string }) => key === "origin").value;
    const source = { number: 1, origin: origin(givenMeta), kind: "here", name: "before a restore" };
    assert.notEqual(origin(meta), source.origin);
    const ofSource = Object.fromEntries(
      Object.entries(given).map(([table, rows]) => [
        table,
        rows
          .replaceAll('"source":0', '"source":1')
          .replaceAll(
            /"id":(\d+),"site":(\d+),"source":1,"number":null/g,
            '"id":$1,"site":$2,"source":1,"number":$1',
          ),
      ]),
    );
    const sources = JSON.stringify([{ ...source, run_at: null, about: null }]);
    const expected: typeof taken = { ...ofSource, source: sources, document };
    assert.deepEqual(taken, expected);
    assert.match(String(meta), /cursor_secret/);
    // A table that is not looked at here would be lost unnoticed.
    const empty = Object.keys(taken).filter((table) => taken[table] === "[]");
    assert.deepEqual(empty, ["erased_site"]);
    await world.end();
  });

  it("is what is counted of a source whose number a card has bent, too", async () => {
    const db = openForWriting(at("backup.db"));
    addSite(db, "blog");
    addDays(db, [
      { site: "blog", day: "2026-03-01", counts: { pv: { _: 3 } }, surveys: [{ sv: 1 }] },
    ]);
    db.exec("UPDATE block SET source = 7; UPDATE survey SET source = 9, number = 4");
    db.close();
    await restore(at("backup.db"), at("restored.db"), START);
    const restored = contents(at("restored.db"));
    const sources = JSON.parse(String(restored.source)) as { number: number }[];
    const numbers = sources.map(({ number }) => number);
    assert.equal(numbers.length, 2);
    for (const table of ["block", "survey"]) {
      const [row, ...others] = JSON.parse(String(restored[table])) as { source: number }[];
      assert.ok(others.length === 0 && numbers.includes(row?.source ?? 0), table);
    }
  });

  it("is when each day was counted on last, though no later than now", async () => {
    const db = openForWriting(at("backup.db"));
    addSite(db, "blog");
    const days = ["2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04"];
    addDays(
      db,
      days.map((day) => ({ site: "blog", day, counts: { pv: { _: 1 } }, surveys: [] })),
    );
    const marks = () => db.prepare("SELECT day, run_ms FROM counted_day ORDER BY day").raw().all();
    const [[first = 0] = []] = marks() as number[][];
    db.exec(`INSERT OR REPLACE INTO meta VALUES ('run_ms', 90);
      UPDATE counted_day SET run_ms = 10 WHERE day = ${first};
      UPDATE counted_day SET run_ms = 20 WHERE day = ${first + 1};
      UPDATE counted_day SET run_ms = 99 WHERE day = ${first + 2};
      DELETE FROM counted_day WHERE day = ${first + 3}`);
    db.close();
    await restore(at("backup.db"), at("restored.db"), START);
    assert.deepEqual(
      JSON.parse(String(contents(at("restored.db")).counted_day)).map(
        ({ run_ms }: { run_ms: number }) => run_ms,
      ),
      [10, 20, 90, 90],
    );
  });

  it("takes a chore that is ended when it takes too long", async () => {
    openForWriting(at("a.db")).close();
    const files = { source: at("a.db"), target: at("b.db") };
    const chore = { kind: "backUp", ...files, kinds: DOCUMENT_KINDS } as const;
    await assert.rejects(runChore(chore, { patienceMs: 1 }), /took too long/);
    assert.ok(!existsSync(at("b.db")));
  });

  it("fails where its process cannot start, and leaves the service alone", async () => {
    const chore = { kind: "backUp", source: "", target: "", kinds: DOCUMENT_KINDS } as const;
    const start = (program: URL) => fork(program, { execPath: "/nowhere/node" });
    const processes = { start, end: ownProcesses.end };
    await assert.rejects(runChore(chore, { processes }), { code: "ENOENT" });
    await setImmediate();
  });
});

describe("a restore that power cut short, or whose file does not do", () => {
  const world = new World();
  const file = () => databaseFile(world.dataDir);
  const old = () => `${file()}.before-restore`;
  const views = async () => (await world.stats()).pv?._ ?? 0;
  const names = () => readdirSync(world.dataDir).filter((name) => name.startsWith("tallydeck.db"));

  /** A data folder where five views were counted, and a database with none. */
  beforeEach(async () => {
    await world.start();
    for (let view = 0; view < 5; view += 1) await world.beacon({ p: "/" });
    await world.stop();
    openForWriting(`${world.dataDir}/new.db`).close();
  });
  afterEach(() => world.end());

  /** The new database stands in the place of the old one, on trial. */
  function swap(spoil: (db: Database.Database) => void = () => {}): void {
    renameSync(file(), old());
    const db = new Database(`${world.dataDir}/new.db`);
    spoil(db);
    db.close();
    renameSync(`${world.dataDir}/new.db`, file());
  }

  it("goes on with the old data when the new was not there yet", async () => {
    renameSync(file(), old());
    await world.start();
    assert.equal(await views(), 5);
    assert.ok(!existsSync(old()));
  });

  it("finds the old data's log again", async () => {
    await world.start();
    await world.beacon({ p: "/" });
    const [db, log] = ["", "-wal"].map((suffix) => readFileSync(file() + suffix));
    await world.stop();
    writeFileSync(old(), db ?? "");
    writeFileSync(`${old()}-wal`, log ?? "");
    renameSync(file(), `${world.dataDir}/gone`);
    await world.start();
    assert.equal(await views(), 6);
  });

  it("takes the log of a box that was cut off, too", async () => {
    await world.start();
    await world.beacon({ p: "/" });
    for (const suffix of ["", "-wal"])
      copyFileSync(file() + suffix, `${world.dataDir}/card.db${suffix}`);
    await world.stop();
    await restore(`${world.dataDir}/new.db`, file(), START);
    await restore(`${world.dataDir}/card.db`, file(), START);
    await world.start();
    assert.equal(await views(), 6);
  });

  it("goes on with the new data once a start with it came up whole", async () => {
    swap();
    await world.start();
    assert.equal(await views(), 0);
    await until(() => !existsSync(old()));
    await world.restart();
    assert.equal(await views(), 0);
  });

  it("ends at the page that goes back, when the new data is of a newer version, lacks a table, or is no database", async () => {
    for (const spoil of [
      () => swap((db) => becomeNewer(db, 999)),
      () => {
        const db = new Database(file());
        db.pragma("user_version = 2");
        db.exec("DROP TABLE document");
        db.close();
      },
      () => writeFileSync(file(), "x".repeat(9_000)),
    ]) {
      spoil();
      await world.start();
      assert.ok(world.service.unusable);
      await world.stop();
    }
    takeBack(file());
    await world.start();
    assert.equal(await views(), 5);
  });

  it("keeps the data that came up last, when another restore follows", async () => {
    swap((db) => becomeNewer(db, 999));
    writeFileSync(`${world.dataDir}/bad.db`, "x".repeat(9_000));
    await assert.rejects(restore(`${world.dataDir}/bad.db`, file(), START), /is damaged/);
    openForWriting(`${world.dataDir}/good.db`).close();
    await restore(`${world.dataDir}/good.db`, file(), START);
    takeBack(file());
    await world.start();
    assert.equal(await views(), 5);
  });

  it("goes back in a service that runs, which says so and counts on", async () => {
    const bad = `${world.dataDir}/new.db`;
    const db = new Database(bad);
    becomeNewer(db, 999);
    db.close();
    await world.start();
    const { store } = world.service;
    const sent = world.beacon({ p: "/" });
    await assert.rejects(
      store.local.replaceFile(async (file) => swapIn(bad, file)),
      /Your data is as it was before\.$/,
    );
    await sent;
    await world.beacon({ p: "/" });
    assert.equal(await views(), 7);
    await world.restart();
    assert.equal(await views(), 7);
  });

  it("leaves one database, and nothing beside it but the mark that it was made", async () => {
    swap();
    copyFileSync(file(), `${world.dataDir}/exchange-0.db`);
    await world.start();
    await until(() => !existsSync(old()));
    await world.stop();
    assert.deepEqual(names(), ["tallydeck.db", "tallydeck.db.made"]);
  });
});
