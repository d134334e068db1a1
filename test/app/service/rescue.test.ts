import assert from "node:assert/strict";
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { rootFolders } from "../../../appliance/base/system/root-requests.ts";
import { databaseFile } from "../../../appliance/store/sqlite/database.ts";
import { FakeUpdater } from "../../helpers/fake-updater.ts";
import { eachFolder } from "../../helpers/folder.ts";
import { Minisign } from "../../helpers/minisign.ts";
import { becomeNewer } from "../../helpers/newer.ts";
import { assertError, codeOnConsole, Owner } from "../../helpers/owner.ts";
import { difference } from "../../helpers/pictures.ts";
import { madeRelease } from "../../helpers/release.ts";
import { until } from "../../helpers/until.ts";
import { World } from "../../helpers/world.ts";

const FILE = { "content-type": "application/octet-stream" };
const PAGE = 4_096;
/** Some hundred different pages take so many kilobytes that more than the schema can be hit. */
const VIEWS = 300;

type Damage = readonly [what: string, make: (file: string) => void, says: RegExp];

const DAMAGES: readonly Damage[] = [
  ["cut off", (file) => truncateSync(file, 3 * PAGE + 100), /is damaged/],
  ["without its header", (file) => overwrite(file, 0, 100, 0), /is damaged or no database/],
  ["overwritten in the middle", (file) => overwrite(file, 6 * PAGE, 26 * PAGE, 0x5a), /is damaged/],
  ["empty", (file) => truncateSync(file, 0), /is empty/],
  ["gone", (file) => rmSync(file), /is gone/],
  ["of another program", (file) => other(file), /is a database of another program/],
];

function overwrite(file: string, from: number, to: number, byte: number): void {
  writeFileSync(file, readFileSync(file).fill(byte, from, to));
}

function other(file: string): void {
  rmSync(file);
  const db = new Database(file);
  db.exec("CREATE TABLE recipe (name TEXT)");
  db.close();
}

describe("a service whose data", () => {
  let world: World;
  let owner: Owner;
  let backup: Buffer;
  const file = () => databaseFile(world.dataDir);
  const views = async () => (await world.stats()).pv?._ ?? 0;

  // The same data for every test, made once.
  let counted: World;
  before(async () => {
    counted = new World({ env: { VIRTUAL_DECK: "mk2" } });
    await counted.start();
    for (let page = 0; page < VIEWS; page += 10)
      await Promise.all(
        Array.from({ length: 10 }, (_, n) => counted.beacon({ p: `/a-page/${page + n}` })),
      );
    backup = (await new Owner(counted).ask("GET", "/api/backup")).body;
    await counted.stop();
  });
  after(() => counted.end());

  beforeEach(() => {
    world = new World({ env: { VIRTUAL_DECK: "mk2" } });
    owner = new Owner(world);
    cpSync(counted.dataDir, world.dataDir, { recursive: true });
  });
  afterEach(() => world.end());

  const repaired = async () => {
    while (world.service.unusable !== undefined) await owner.ask("GET", "/api/rescue");
  };

  for (const [what, damage, says] of DAMAGES) {
    it(`is ${what} says so, and is restored`, async () => {
      damage(file());
      await world.start();
      const { problem, mayStartAnew } = await owner.get("/api/rescue");
      assert.match(problem, says);
      assert.equal(mayStartAnew, true);
      const reply = await owner.ask("POST", "/api/restore", backup, { headers: FILE });
      assert.equal(reply.status, 204, reply.text);
      await repaired();
      assert.equal(await views(), VIEWS);
      await world.beacon({ p: "/" });
      await world.restart();
      assert.equal(await views(), VIEWS + 1);
    });

    it(`is ${what} starts anew, with what was there kept`, async () => {
      damage(file());
      const before = existsSync(file()) && readFileSync(file());
      await world.start();
      const reply = await owner.ask("POST", "/api/rescue/start-anew");
      assert.equal(reply.status, 200, reply.text);
      await repaired();
      assert.equal(await views(), 0);
      await world.beacon({ p: "/" });
      await world.restart();
      assert.equal(await views(), 1);
      const { kept } = reply.json;
      if (before === false) assert.equal(kept, null);
      else assert.deepEqual(readFileSync(join(world.dataDir, kept)), before);
    });
  }

  it("is damaged answers visitors as ever, and stores and reads nothing", async () => {
    overwrite(file(), 0, 100, 0);
    await world.start();
    const view = await world.beacon({ p: "/" });
    assert.deepEqual([view.status, view.headers["content-type"]], [200, "image/gif"]);
    assert.equal((await world.ping({})).headers["content-type"], "image/gif");
    const survey = await world.survey({ sv: 1 });
    assertError(survey, 503, "storage_unavailable");
    assert.equal(survey.headers["access-control-allow-origin"], "*");
    for (const path of [
      "/stats",
      "/surveys",
      "/surveys/export",
      "/surveys/versions",
      "/overview",
      "/sites",
      "/badge",
    ])
      assertError(await world.readRaw(path), 503, "storage_unavailable");
    for (const path of ["/", "/s.js", "/dashboard", "/help"])
      assert.equal((await world.ask(path)).status, 200, path);
    assertError(await world.ask("/none"), 404, "not_found");
  });

  it("is damaged says so on the deck and on the screen", async () => {
    overwrite(file(), 0, 100, 0);
    await world.start();
    assert.match(world.screen.at(-1) ?? "", /The data cannot be used: open the address/);
    await world.service.alive();
    const { decks } = world.service;
    // On the first key that has nothing to show; the next one stays empty.
    const [notice, empty] = ["k2", "k3"].map((key) => decks.picture("virtual-mk2", key).pixels);
    assert.ok(difference(notice ?? assert.fail(), empty ?? assert.fail()) > 1);
  });

  it("is of a newer version cannot be given up by a click, and is kept by a restore", async () => {
    const db = new Database(file());
    becomeNewer(db, 999);
    db.close();
    await world.start();
    const { problem, mayStartAnew } = await owner.get("/api/rescue");
    assert.match(problem, /written by a newer Tallydeck: .* Install that version/);
    assert.equal(mayStartAnew, false);
    assertError(await owner.ask("POST", "/api/rescue/start-anew"), 409, "newer_data");
    const newer = readFileSync(file());
    await owner.ask("POST", "/api/restore", backup, { headers: FILE });
    await repaired();
    assert.equal(await views(), VIEWS);
    assert.deepEqual(readFileSync(`${file()}.newer-1`), newer);
  });

  it("is damaged is not restored from a file that is no backup", async () => {
    overwrite(file(), 0, 100, 0);
    const before = readFileSync(file());
    await world.start();
    const reply = await owner.ask("POST", "/api/restore", Buffer.alloc(9_000, 1), {
      headers: FILE,
    });
    assertError(reply, 400, "invalid_backup");
    assert.deepEqual(readFileSync(file()), before);
    assert.match((await owner.get("/api/rescue")).problem, /is damaged/);
  });

  it("turns out to be damaged while it runs is repaired the same way", async () => {
    await world.start();
    while (world.service.unusable === undefined) {
      // Each time: what is read may still be in the write-ahead log, or be written over the damage.
      overwriteLive(file());
      await world.beacon({ p: `/${Math.random()}` });
      await world.readRaw("/stats", { from: "first", to: "2026-03-04" });
    }
    assert.match((await owner.get("/api/rescue")).problem, /is damaged/);
    assert.equal((await world.beacon({ p: "/" })).headers["content-type"], "image/gif");
    await owner.ask("POST", "/api/restore", backup, { headers: FILE });
    await repaired();
    assert.equal(await views(), VIEWS);
  });

  it("turns out to be damaged while it starts is repaired the same way", async () => {
    overwriteRoot(file(), "waiting_survey");
    await world.start();
    // The store that is given up never answers a ping.
    await until(() => world.service.unusable !== undefined);
    assert.match((await owner.get("/api/rescue")).problem, /is damaged/);
    await owner.ask("POST", "/api/restore", backup, { headers: FILE });
    await repaired();
    assert.equal(await views(), VIEWS);
  });

  it("turns out to be damaged where only reads look is repaired the same way", async () => {
    overwriteRoot(file(), "block");
    await world.start();
    await world.readRaw("/stats", { from: "first", to: "2026-03-04" });
    await until(() => world.service.unusable !== undefined);
    assert.match((await owner.get("/api/rescue")).problem, /is damaged/);
    await owner.ask("POST", "/api/restore", backup, { headers: FILE });
    await repaired();
    assert.equal(await views(), VIEWS);
  });

  it("was never there is begun without a word", async () => {
    for (const name of readdirSync(world.dataDir)) rmSync(join(world.dataDir, name));
    // As a first start leaves it that was cut short.
    writeFileSync(file(), "");
    await world.start();
    assert.equal(await views(), 0);
  });
});

/** Overwrites every page but the first, in place: who has the file open meets it. */
function overwriteLive(file: string): void {
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(0x5a, PAGE), { flag: "r+" });
}

/** Overwrites a table in a file that is too large for a start to look through. */
function overwriteRoot(file: string, table: string): void {
  const db = new Database(file);
  db.exec(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
     INSERT INTO survey (site, version, day, payload) SELECT 1, 1, 1, printf('%4000d', i) FROM n`,
  );
  const root = db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").pluck();
  const page = root.get(table) as number;
  db.close();
  overwrite(file, (page - 1) * PAGE, page * PAGE, 0x5a);
}

describe("a box on a network whose data is damaged", () => {
  let world: World;
  const folder = eachFolder();
  afterEach(() => world.end());

  async function damaged(env: Record<string, string>): Promise<Owner> {
    world = new World({ env: { BIND: "0.0.0.0", ...env } });
    await world.start();
    await world.stop();
    overwrite(databaseFile(world.dataDir), 0, 100, 0);
    await world.start();
    return new Owner(world);
  }

  it("asks for the setup code, which stands on the console, before it tells anything", async () => {
    const owner = await damaged({ STATS_TOKEN: "" });
    assertError(await owner.ask("GET", "/api/rescue"), 401, "unauthorized");
    assertError(await owner.ask("POST", "/api/rescue/start-anew"), 401, "unauthorized");
    assertError(
      await owner.ask("POST", "/api/restore", "x", { headers: FILE }),
      401,
      "unauthorized",
    );
    await owner.signIn({ code: codeOnConsole(world) });
    assert.match((await owner.get("/api/rescue")).problem, /is damaged/);
  });

  it("takes the token of the configuration", async () => {
    const owner = await damaged({ STATS_TOKEN: "of-the-configuration" });
    await owner.signIn({ token: "of-the-configuration" });
    assert.match((await owner.get("/api/rescue")).problem, /is damaged/);
  });

  it("takes another release, or goes back to one, for that may be able to read it", async () => {
    const signer = new Minisign();
    const updater = new FakeUpdater(rootFolders(folder()).update, join(folder(), "data/bundle"));
    updater.tell({ other: { release: 10, version: "0.1.0" } });
    const owner = await damaged({
      STATS_TOKEN: "of-the-configuration",
      ROOT_DIR: folder(),
      UPDATES_DIR: join(folder(), "data"),
      UPDATE_KEY: signer.file.split("\n")[1] ?? "",
    });
    assertError(await owner.ask("GET", "/api/update"), 401, "unauthorized");
    await owner.signIn({ token: "of-the-configuration" });
    assert.equal((await owner.get("/api/update")).other.release, 10);
    const { bundle } = madeRelease(signer, { boards: ["somebody,else"] });
    signer.remove();
    assertError(await owner.ask("PUT", "/api/update/file", bundle), 400, "invalid_release");
    await owner.ask("POST", "/api/update", { action: "back" });
    assert.deepEqual(updater.waiting, ["rollback"]);
  });

  it("answers what else the Web UI and scripts ask with a sentence", async () => {
    const owner = await damaged({});
    for (const [method, path] of [
      ["GET", "/api/decks"],
      ["GET", "/api/events"],
      ["POST", "/api/push/door"],
    ] as const)
      assertError(
        await owner.ask(method, path, method === "POST" ? {} : undefined),
        503,
        "data_unusable",
      );
    assert.equal((await owner.ask("GET", "/")).status, 200);
  });
});
