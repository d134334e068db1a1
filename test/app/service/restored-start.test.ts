import assert from "node:assert/strict";
import { copyFileSync, existsSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import Database from "better-sqlite3";
import { DOCUMENT_KINDS } from "../../../appliance/app/service/document-kinds.ts";
import { tryStart } from "../../../appliance/app/service/try-start.ts";
import { dayOf } from "../../../appliance/base/calendar.ts";
import { BatchEncoder } from "../../../appliance/store/log/batch.ts";
import { restore } from "../../../appliance/store/sqlite/copies/restore.ts";
import { swapIn } from "../../../appliance/store/sqlite/copies/swap.ts";
import { databaseFile, openForWriting } from "../../../appliance/store/sqlite/database.ts";
import { tallydeck } from "../../helpers/command-line.ts";
import { assertError, Owner } from "../../helpers/owner.ts";
import { until } from "../../helpers/until.ts";
import { World } from "../../helpers/world.ts";

const READER_MB = 12;

describe("a start with data that was restored", () => {
  const world = new World({ env: { VIRTUAL_DECK: "mini" }, readerMemoryMb: READER_MB });
  const owner = new Owner(world);
  const file = () => databaseFile(world.dataDir);
  const old = () => `${file()}.before-restore`;
  const incoming = () => `${world.dataDir}/new.db`;
  const views = async () => (await world.stats()).pv?._ ?? 0;
  /** A collector may still stand in for the next one just then, which knows no number. */
  const backTo = async (count: number) => {
    await until(() => world.service.unusable === undefined);
    while ((await views()) !== count) await setTimeout(5);
  };

  beforeEach(async () => {
    await world.start();
    for (let view = 0; view < 3; view += 1) await world.beacon({ p: "/" });
    await world.stop();
    openForWriting(incoming()).close();
  });
  afterEach(() => world.end());

  /** Decks as no version of ours has them. */
  function spoil(count: number, settings: string): void {
    const db = new Database(incoming());
    const add = db.prepare(
      "INSERT INTO document (kind, id, body, revision) VALUES ('deck', ?, ?, 1)",
    );
    for (let n = 0; n < count; n += 1) add.run(`mini-${n}`, settings);
    db.close();
  }

  const SPOILT: readonly [what: string, count: number, settings: string][] = [
    ["is more than the memory of a read", 40, JSON.stringify("x".repeat(1_000_000))],
    ["cannot be understood", 1, '{"pages":'],
  ];
  for (const [what, count, settings] of SPOILT)
    it(`that ${what} ends at the page that goes back to the data from before`, async () => {
      spoil(count, settings);
      swapIn(incoming(), file());
      await world.start();
      assert.match(world.service.unusable?.message ?? "", /cannot be read as a start has to/);
      const { mayGoBack, mayStartAnew } = await owner.get("/api/rescue");
      assert.deepEqual([mayGoBack, mayStartAnew], [true, false]);
      assertError(await owner.ask("POST", "/api/rescue/start-anew"), 409, "may_go_back");
      assert.equal((await owner.ask("POST", "/api/rescue/go-back")).status, 204);
      await backTo(3);
      assert.ok(!existsSync(old()));
      await world.restart();
      assert.equal(await views(), 3);
    });

  it("that cannot be read may be given up for another backup, and still goes back", async () => {
    spoil(1, "{");
    const another = `${world.dataDir}/another.db`;
    copyFileSync(incoming(), another);
    swapIn(incoming(), file());
    await world.start();
    // As bad as the one before; what there is to go back to is the data that came up last.
    await world.stop();
    swapIn(another, file());
    await world.start();
    await owner.ask("POST", "/api/rescue/go-back");
    await backTo(3);
    assertError(await owner.ask("POST", "/api/rescue/go-back"), 404, "not_found");
  });

  it("finds what was before it until it came up whole", async () => {
    const { code } = await tallydeck(["restore", incoming(), "--data-dir", world.dataDir]);
    assert.equal(code, 0);
    assert.ok(existsSync(old()));
    await world.start();
    await until(() => !existsSync(old()));
    assert.equal(await views(), 0);
  });

  it("keeps what was before it until a whole upkeep was done", async () => {
    const view = new BatchEncoder();
    const moment = 24 * dayOf(world.clock.now());
    view.add({ site: 1, kind: "view", flags: 0, moment, times: 1, values: [] });
    const db = new Database(incoming());
    db.prepare("INSERT INTO log (n, body) VALUES (1, ?)").run(view.encode());
    // As a card that fails: what is settled cannot be written.
    db.exec("CREATE TRIGGER no BEFORE INSERT ON block BEGIN SELECT RAISE(ABORT, 'no'); END");
    db.close();
    swapIn(incoming(), file());
    await world.start();
    await until(() => world.said.some((line) => line.includes("Upkeep failed")));
    assert.ok(existsSync(old()));
    const mended = new Database(file());
    mended.exec("DROP TRIGGER no");
    mended.close();
    world.clock.advance(10 * 60_000);
    await until(() => !existsSync(old()));
    assert.equal(await views(), 1);
  });

  it("keeps what was before it until all that a dashboard asks was answered", async () => {
    swapIn(incoming(), file());
    const db = new Database(file());
    db.exec("INSERT INTO survey (site, version, day, payload) VALUES (1, 1, 20000, '{')");
    db.close();
    const isTold = () => world.said.some((line) => line.includes("as a dashboard reads it"));
    await world.start();
    await until(isTold);
    assert.ok(existsSync(old()));
    const mended = new Database(file());
    mended.exec("DELETE FROM survey");
    mended.close();
    world.clock.advance(10 * 60_000);
    await until(() => !existsSync(old()));
  });

  it("is tried before a restore with all that a dashboard asks", async () => {
    await world.start();
    await world.stop();
    const db = new Database(file());
    db.exec("INSERT INTO survey (site, version, day, payload) VALUES (1, 1, 20000, '{')");
    db.pragma("journal_mode = DELETE");
    db.close();
    await assert.rejects(tryStart(file()), /a start could not read it/);
  });

  it("is tried before a restore takes it, with the memory that a start has", async () => {
    spoil(120, JSON.stringify("x".repeat(1_000_000)));
    // Whichever of its threads has no more room first.
    await assert.rejects(tryStart(incoming()), /could not read it|takes more memory than there is/);
    const refused = async () => {
      throw new Error("a start could not read it");
    };
    openForWriting(`${world.dataDir}/good.db`).close();
    await assert.rejects(
      restore(`${world.dataDir}/good.db`, file(), { kinds: DOCUMENT_KINDS, tryStart: refused }),
      /could not read it/,
    );
    await world.start();
    assert.equal(await views(), 3);
  });
});
