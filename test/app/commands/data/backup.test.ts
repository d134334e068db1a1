import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import Database from "better-sqlite3";
import { dayOf, formatDay } from "../../../../appliance/base/calendar.ts";
import { tallydeck } from "../../../helpers/command-line.ts";
import { eachFolder } from "../../../helpers/folder.ts";
import { RunningService } from "../../../helpers/tallydeck.ts";
import { until } from "../../../helpers/until.ts";
import { ADMIN, CHROME, encode, serviceOn, type World } from "../../../helpers/world.ts";

const ENV = { SITES: "blog", STATS_TOKEN: ADMIN, BADGE_SITES: "blog" };

describe("a backup", () => {
  const folder = eachFolder();
  const dataDir = () => join(folder(), "data");
  const file = () => join(folder(), "backup.db");

  const backUp = (to = file()) => tallydeck(["backup", to, "--data-dir", dataDir()]);
  const restore = (from = file(), to = dataDir()) => tallydeck(["restore", from, "--data-dir", to]);

  /** A view of a page, with a visitor; the page is counted once. */
  function view(service: Pick<World, "ask">, page: number) {
    const v = encodeURIComponent(encode({ p: `/${page}`, u: "1" }));
    return service.ask(`/e?v=${v}`, { headers: { "user-agent": CHROME } });
  }

  // Midnight may come in between.
  const filledOn = formatDay(dayOf(Date.now()));
  async function answers(service: Pick<World, "ask">): Promise<unknown[]> {
    // Live views are known to the service only, and no part of the data.
    const ask = async (path: string) =>
      (await service.ask(`${path}&site=blog&token=${ADMIN}`)).text.replace(/"live":\d+,/, "");
    return Promise.all(
      [`/stats?from=first&to=${filledOn}&series=1&daily=1`, "/surveys?sv=1", "/badge?days=all"].map(
        ask,
      ),
    );
  }

  /** A hash of every file in the data folder. */
  function hashes(): Record<string, string> {
    const hash = (name: string) =>
      createHash("sha256")
        .update(readFileSync(join(dataDir(), name)))
        .digest("hex");
    const files = readdirSync(dataDir(), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(dataDir(), join(entry.parentPath, entry.name)));
    return Object.fromEntries(files.map((name) => [name, hash(name)]));
  }

  /** The data folder of a stopped service, with some views and a survey. */
  const ran = mkdtempSync(join(tmpdir(), "tallydeck-test-"));
  let given: unknown[] = [];
  before(async () => {
    const service = await serviceOn(ran, ENV);
    for (let page = 0; page < 5; page++) await view(service, page);
    await service.ask("/s", { method: "POST", body: JSON.stringify({ sv: 1, c: "fine" }) });
    given = await answers(service);
    await service.stop();
  });
  after(() => rmSync(ran, { recursive: true, force: true }));

  const ranOnce = () => cpSync(ran, dataDir(), { recursive: true });

  it("says of a folder that is not there how it is made", async () => {
    cpSync(ran, dataDir(), { recursive: true });
    const { code, err } = await backUp(join(folder(), "my disk/backup.db"));
    const missing = join(folder(), "my disk");
    const says = `There is no folder ${missing} to back up to. Make it first: mkdir -p '${missing}'\n`;
    assert.deepEqual([code, err], [1, says]);
  });

  it("holds all that was counted, and gives it back", async () => {
    ranOnce();
    assert.deepEqual(await backUp(), { code: 0, out: `Backed up to ${file()}.\n`, err: "" });
    assert.deepEqual(readdirSync(folder()).sort(), ["backup.db", "data"]);
    const elsewhere = join(folder(), "elsewhere");
    const { code, out } = await restore(file(), elsewhere);
    assert.deepEqual([code, out], [0, `Restored ${file()} into ${elsewhere}.\n`]);
    const service = await serviceOn(elsewhere, ENV);
    assert.deepEqual(await answers(service), given);
    await service.stop();
  });

  it("is of one moment while hits pour in, and whole", async () => {
    const service = await RunningService.start(dataDir(), ENV);
    let pouring = true;
    let answered = 0;
    const pour = async (lane: number) => {
      for (let i = 0; pouring; i++, answered++) await view(service, (lane * 1_000 + i) % 1_500);
    };
    const lanes = [0, 1, 2, 3].map(pour);
    while (answered < 50) await service.ask("/");
    const least = answered;
    assert.equal((await backUp()).code, 0);
    const most = answered + lanes.length;
    pouring = false;
    await Promise.all(lanes);
    await service.end();

    const db = new Database(file(), { readonly: true });
    assert.equal(db.pragma("integrity_check", { simple: true }), "ok");
    db.close();
    const elsewhere = join(folder(), "elsewhere");
    assert.equal((await restore(file(), elsewhere)).code, 0);
    const restored = await serviceOn(elsewhere, ENV);
    const asked = await restored.ask(`/stats?from=first&site=blog&token=${ADMIN}`);
    await restored.stop();
    const { pv, uv, path, hour, dowhour } = asked.json;
    const sums = [pv, uv, path, hour, dowhour].map((counts) =>
      Object.values<number>(counts).reduce((all, n) => all + n, 0),
    );
    const [views = 0] = sums;
    assert.deepEqual(new Set(sums).size, 1, JSON.stringify(sums));
    assert.ok(views >= least && views <= most, `${least} ${views} ${most}`);
  });

  it("replaces the data it is restored over, as if what came after had never been", async () => {
    ranOnce();
    await backUp();
    const service = await RunningService.start(dataDir(), ENV);
    await view(service, 99);
    // Data in the log only must not come back.
    await service.end("SIGKILL");
    assert.ok(readdirSync(dataDir()).includes("tallydeck.db-wal"));
    assert.equal((await restore()).code, 0);
    assert.ok(!readdirSync(dataDir()).includes("tallydeck.db-wal"));
    const after = await serviceOn(dataDir(), ENV);
    assert.deepEqual(await answers(after), given);
    await until(() => !readdirSync(dataDir()).some((name) => name.includes(".before-restore")));
    await after.stop();
    // Data on a disk have a folder beside them for what is written to it.
    const left = readdirSync(dataDir()).filter((name) => name !== "disk");
    assert.deepEqual(left.sort(), ["service.lock", "tallydeck.db", "tallydeck.db.made"]);
  });

  it("replaces data that is damaged, of another program or from a newer version", async () => {
    ranOnce();
    await backUp();
    const data = join(dataDir(), "tallydeck.db");
    const good = readFileSync(data);
    const service = await serviceOn(dataDir(), ENV);
    for (let page = 100; page < 120; page++) await view(service, page);
    // As a killed service leaves it.
    const log = readFileSync(`${data}-wal`);
    await service.stop();
    const newer = Buffer.from(good);
    newer.writeUInt32BE(999, 60);
    for (const found of [Buffer.from("my diary"), Buffer.alloc(50_000, "diary"), newer]) {
      writeFileSync(data, found);
      writeFileSync(`${data}-wal`, log);
      const { code, err } = await restore();
      assert.deepEqual([code, err], [0, ""]);
    }
    const after = await serviceOn(dataDir(), ENV);
    assert.deepEqual(await answers(after), given);
    await after.stop();
  });

  it("is refused while the service runs, which goes on", async () => {
    ranOnce();
    await backUp();
    const service = await RunningService.startHere(dataDir(), ENV);
    await view(service, 7);
    const counted = await answers(service);
    const { code, out, err } = await restore();
    assert.deepEqual([code, out], [1, ""]);
    assert.match(err, /^A Tallydeck service is running on .*\. Stop it first, /);
    await view(service, 8);
    assert.notDeepEqual(await answers(service), counted);
    await service.end();
  });

  it("is refused when it cannot be relied on, and the old data stays byte for byte", async () => {
    ranOnce();
    await backUp();
    const good = readFileSync(file());
    const make = (name: string, change: (db: Database.Database) => void) => {
      const path = join(folder(), name);
      const db = new Database(path);
      change(db);
      db.close();
      return path;
    };
    const copy = (name: string, change: (bytes: Buffer) => Buffer) => {
      const path = join(folder(), name);
      writeFileSync(path, change(Buffer.from(good)));
      return path;
    };
    const half = copy("half.db", (whole) => whole);
    truncateSync(half, good.length / 2);
    const newer = copy("newer.db", (whole) => whole);
    const db = new Database(newer);
    db.pragma("user_version = 999");
    db.close();
    mkdirSync(join(folder(), "folder.db"));

    const bad: [path: string, why: RegExp][] = [
      [join(folder(), "none.db"), /^There is no file .*none\.db\.$/],
      [join(folder(), "folder.db"), /EISDIR/],
      [copy("empty.db", () => Buffer.alloc(0)), /empty\.db is empty\. Name a file that/],
      [
        copy("letter.db", () => Buffer.from("Dear Sir")),
        /letter\.db is damaged or no database .* Name a file that `\.\/scripts\/tallydeck backup` made\.$/,
      ],
      [half, /half\.db is damaged or no database/],
      [
        copy("worn.db", (whole) => whole.fill(0xa5, whole.length / 2, whole.length / 2 + 9_000)),
        /worn\.db is damaged or no database/,
      ],
      [copy("headless.db", (whole) => whole.fill(0, 0, 100)), /headless\.db is damaged/],
      [
        make("recipes.db", (other) => other.exec("CREATE TABLE recipe (name)")),
        /recipes\.db is a database of another program/,
      ],
      [newer, /newer\.db was made by a newer Tallydeck/],
    ];
    const before = hashes();
    for (const [path, why] of bad) {
      const { code, out, err } = await restore(path);
      assert.deepEqual([code, out], [1, ""], path);
      assert.match(err.trimEnd(), why);
      assert.deepEqual(hashes(), before, path);
    }
  });

  it("is not made over the data itself, nor where it cannot be written", async () => {
    ranOnce();
    const before = hashes()["tallydeck.db"];
    const itself = await backUp(join(dataDir(), "tallydeck.db"));
    assert.deepEqual([itself.code, itself.out], [1, ""]);
    assert.match(itself.err, /is the data itself\. Name another file\./);
    const locked = await backUp("/proc/backup.db");
    assert.deepEqual([locked.code, locked.out], [1, ""]);
    assert.match(
      locked.err,
      /Check that the folder exists and that this user may write in it\.\n$/,
    );
    const nothing = await tallydeck(["backup", file(), "--data-dir", join(folder(), "none")]);
    assert.deepEqual([nothing.code, nothing.err], [1, `There is no data in ${folder()}/none.\n`]);
    assert.equal(hashes()["tallydeck.db"], before);
    assert.deepEqual(readdirSync(folder()), ["data"]);
  });

  it("replaces an older one only when it is whole", async () => {
    ranOnce();
    writeFileSync(file(), "the one before");
    const data = join(dataDir(), "tallydeck.db");
    const good = readFileSync(data);
    writeFileSync(data, Buffer.from(good).fill(0xa5, good.length / 2, good.length / 2 + 9_000));
    assert.equal((await backUp()).code, 1);
    assert.equal(readFileSync(file(), "utf8"), "the one before");
    writeFileSync(data, good);
    assert.equal((await backUp()).code, 0);
    assert.equal(readFileSync(file(), "latin1").slice(0, 13), "SQLite format");
    assert.deepEqual(readdirSync(folder()).sort(), ["backup.db", "data"]);
  });
});
