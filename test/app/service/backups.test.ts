import assert from "node:assert/strict";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { DAY_MS, HOUR_MS } from "../../../appliance/base/calendar.ts";
import { rootFolders } from "../../../appliance/base/system/root-requests.ts";
import type { BackupsAnswer } from "../../../appliance/control/wire.ts";
import { readBackupName } from "../../../appliance/links/backups/names.ts";
import type { TargetView } from "../../../appliance/links/backups/view.ts";
import { openForReading, withDatabase } from "../../../appliance/store/sqlite/database.ts";
import { tallydeck } from "../../helpers/command-line.ts";
import { eachFolder } from "../../helpers/folder.ts";
import { assertError, Owner } from "../../helpers/owner.ts";
import { WebdavServer } from "../../helpers/webdav-server.ts";
import { eachWorld, sharedWorld, World } from "../../helpers/world.ts";

/** A backup takes three programs of its own, between which there is nothing new to see. */
const LOOK_MS = 100;

async function shown(world: World): Promise<BackupsAnswer> {
  return new Owner(world).get("/api/backups");
}

/** Waits until no backup is being made, and the first target is as wanted. */
async function untilFirst(
  world: World,
  isWanted: (target: TargetView) => boolean,
): Promise<BackupsAnswer> {
  for (;;) {
    const answer = await shown(world);
    const [target] = answer.targets;
    if (target?.isRunning === false && isWanted(target)) return answer;
    await setTimeout(LOOK_MS);
  }
}

/** Waits until so many backups are at the first target. */
function settled(world: World, count: number): Promise<BackupsAnswer> {
  return untilFirst(world, ({ files }) => files.length === count);
}

/** The files of a folder, but for our mark. */
function filesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((file) => !file.endsWith(".mark"))
    .toSorted();
}

describe("nightly backups to a folder that the configuration names", () => {
  const folder = eachFolder();
  const backups = () => join(folder(), "backups");
  const world = eachWorld(() => ({
    env: { BACKUP_DIR: backups(), DAY_ZONE: "Europe/Zurich", VIRTUAL_DECK: "mini" },
  }));
  const files = () => filesIn(backups());

  it("begin at once, and go on each night at 3", async () => {
    const { targets, stick, folder: named } = await settled(world(), 1);
    assert.equal(stick, null);
    assert.equal(named, backups());
    const [target] = targets;
    assert.equal(target?.kind, "folder");
    assert.equal(target?.why, "");
    assert.deepEqual(files(), [target?.good?.file]);
    const night = new Date(target?.next ?? 0);
    assert.equal(
      night.toLocaleTimeString("en-GB", { timeZone: "Europe/Zurich", timeStyle: "short" }),
      "03:00",
    );
    world().clock.advance((target?.next ?? 0) - world().clock.now() + 1_000);
    await settled(world(), 2);
    world().clock.advance(DAY_MS);
    await settled(world(), 3);
    assert.equal(files().length, 3);
    assert.ok(files().every((file) => readBackupName(file)?.machine !== undefined));
  });

  it("are made when somebody asks, and say so where they cannot be, after a week on keys and dashboards", async () => {
    const { targets } = await settled(world(), 1);
    world().clock.advance(1_000);
    const asked = await new Owner(world()).ask("POST", "/api/backups");
    assert.equal(asked.status, 202);
    // The last of a day takes the place of the one before.
    await untilFirst(world(), ({ good }) => good?.file !== targets[0]?.good?.file);
    assert.equal(files().length, 1);
    renameSync(backups(), join(folder(), "away"));
    writeFileSync(backups(), "");
    await new Owner(world()).ask("POST", "/api/backups");
    await untilFirst(world(), ({ tries }) => tries === 1);
    assert.match(
      (await shown(world())).targets[0]?.why ?? "",
      /is a file where a folder should be\. Rename it/,
    );
    assert.deepEqual((await world().stats()).warnings ?? [], []);
    world().clock.jump(8 * DAY_MS);
    await untilFirst(world(), ({ isOverdue }) => isOverdue);
    assert.deepEqual((await world().stats()).warnings, ["backup_overdue"]);
    assert.match(world().screen.at(-1) ?? "", /no good backup for a week/);
    rmSync(backups());
    renameSync(join(folder(), "away"), backups());
    world().clock.advance(5 * HOUR_MS);
    await untilFirst(world(), ({ isOverdue }) => !isOverdue);
    assert.deepEqual((await world().stats()).warnings ?? [], []);
  });

  it("go to another folder once the configuration names one", async () => {
    const first = await settled(world(), 1);
    await world().stop();
    world().clock.advance(1_000);
    await world().start({ BACKUP_DIR: join(folder(), "other") });
    const second = await untilFirst(
      world(),
      ({ good, tries }) => tries === 0 && good?.file !== first.targets[0]?.good?.file,
    );
    assert.deepEqual(filesIn(join(folder(), "other")), [second.targets[0]?.good?.file]);
    assert.equal(second.targets[0]?.files.length, 1);
    assert.ok(existsSync(join(backups(), first.targets[0]?.good?.file ?? "")));
  });

  it("have what is the machine's own, which a restore of the whole takes, and another does not", async () => {
    const owner = new Owner(world());
    await owner.makePushToken();
    const mail = { host: "mail.example.org", from: "a@example.org", user: "a", password: "secret" };
    assert.equal((await owner.ask("PUT", "/api/mail", mail)).status, 200);
    await owner.ask("POST", "/api/origins", { origin: "https://blog.example" });
    await world().beacon({ p: "/" });
    await settled(world(), 1);
    world().clock.advance(DAY_MS);
    await settled(world(), 2);
    const file = join(folder(), "newest.db");
    copyFileSync(join(backups(), files().at(-1) ?? ""), file);
    const kinds = withDatabase(openForReading(file), (db) =>
      db.prepare("SELECT DISTINCT kind FROM document ORDER BY kind").pluck().all(),
    ) as string[];
    assert.ok(["mail", "mqtt", "origin", "push_token"].every((kind) => kinds.includes(kind)));
    assert.ok(!kinds.includes("session"));
    const plain = await owner.ask("GET", "/api/backup");
    assert.ok(!plain.body.includes("mail.example.org"));

    for (const [args, count, host] of [
      [[], 0, ""],
      [["--whole"], 1, "mail.example.org"],
    ] as const) {
      const dataDir = join(folder(), `other-${count}`);
      mkdirSync(dataDir);
      const done = await tallydeck(["restore", file, ...args, "--data-dir", dataDir]);
      assert.equal(done.code, 0, done.err);
      const other = new World({ dataDir });
      try {
        await other.start();
        const there = new Owner(other);
        assert.equal((await there.get("/api/push-tokens")).tokens.length, count);
        assert.equal((await there.get("/api/mail")).host, host);
        assert.equal((await other.stats()).pv?._, 1);
      } finally {
        await other.end();
      }
    }
  });
});

for (const path of ["backups", "."])
  describe(`nightly backups to ${path} of a disk`, () => {
    const folder = eachFolder();
    const disk = () => join(folder(), "disk");
    const pulled = () => join(folder(), "pulled");
    const backups = () => join(disk(), path);
    const world = eachWorld(() => {
      mkdirSync(disk());
      return { env: { BACKUP_DIR: backups() } };
    });
    function pull(): void {
      renameSync(disk(), pulled());
      mkdirSync(disk());
    }
    function plug(): void {
      rmSync(disk(), { recursive: true });
      renameSync(pulled(), disk());
    }
    async function ask(): Promise<void> {
      world().clock.advance(1_000);
      await new Owner(world()).ask("POST", "/api/backups");
    }
    const failed = () => untilFirst(world(), ({ tries }) => tries > 0);
    const good = (before: BackupsAnswer) =>
      untilFirst(
        world(),
        ({ good: now, tries }) => tries === 0 && now?.file !== before.targets[0]?.good?.file,
      );

    it("are not made beneath it while it is not mounted, which is told of after a week", async () => {
      const first = await settled(world(), 1);
      pull();
      await ask();
      const answer = await failed();
      assert.match(
        answer.targets[0]?.why ?? "",
        /^The folder is not the one of the last backup: is its disk mounted\? .*tallydeck\.mark/,
      );
      assert.deepEqual(answer.targets[0]?.good, first.targets[0]?.good);
      assert.deepEqual(readdirSync(disk()), []);
      world().clock.jump(8 * DAY_MS);
      await untilFirst(world(), ({ isOverdue }) => isOverdue);
      assert.deepEqual((await world().stats()).warnings, ["backup_overdue"]);
      assert.deepEqual(readdirSync(disk()), []);
      plug();
      await ask();
      await good(first);
    });

    it("go to another disk once its owner says so there, and not beneath it after that", async () => {
      const first = await settled(world(), 1);
      pull();
      mkdirSync(backups(), { recursive: true });
      writeFileSync(join(backups(), "tallydeck.mark"), "");
      await ask();
      const second = await good(first);
      assert.deepEqual(filesIn(backups()), [second.targets[0]?.good?.file]);
      plug();
      await ask();
      assert.match((await failed()).targets[0]?.why ?? "", /is its disk mounted/);
    });
  });

describe("nightly backups to a WebDAV folder", () => {
  const world = eachWorld();
  let server: WebdavServer;
  before(async () => {
    server = await WebdavServer.start();
  });
  after(() => server.end());
  const owner = Owner.each(world);

  it("go there once it is named, and the password is shown to nobody", async () => {
    assert.deepEqual((await shown(world())).targets, []);
    const { user, password, ca } = server;
    const settings = { url: server.url("tally"), user, password, ca };
    const changed = await owner.ask("PUT", "/api/backups", settings);
    assert.equal(changed.status, 200, changed.text);
    assert.equal(changed.json.hasPassword, true);
    const answer = await settled(world(), 1);
    assert.ok(!JSON.stringify(answer).includes(password));
    assert.equal(answer.targets[0]?.why, "");
    assert.deepEqual(readdirSync(join(server.files, "tally")), [answer.targets[0]?.good?.file]);

    await owner.ask("PUT", "/api/backups", { password: "wrong" });
    world().clock.advance(DAY_MS);
    await untilFirst(world(), ({ tries }) => tries === 1);
    assert.match(
      (await shown(world())).targets[0]?.why ?? "",
      /does not take this user and password/,
    );

    // A password is told to no other host.
    const gone = await owner.ask("PUT", "/api/backups", { url: "https://other.invalid/dav" });
    assertError(gone, 400, "invalid_field");
    const removed = await owner.ask("PUT", "/api/backups", { url: "" });
    assert.deepEqual([removed.json.hasPassword, removed.json.targets], [false, []]);
  });
});

describe("nightly backups to a WebDAV folder that is none", () => {
  const world = sharedWorld();

  for (const [what, change] of [
    ["an address of something else", { url: "ftp://host/dav" }],
    ["an address with a user", { url: "https://me:secret@host/dav" }],
    ["an address that is none", { url: "my cloud" }],
    ["a user without a password", { url: "https://host/dav", user: "me" }],
    ["a user with a colon", { url: "https://host/dav", user: "a:b", password: "c" }],
    ["a password of two lines", { url: "https://host/dav", user: "a", password: "b\r\nx: y" }],
    ["a certificate that is none", { url: "https://host/dav", ca: "PEM" }],
    ["a field that it does not know", { folder: "/etc" }],
  ] as const)
    it(`take ${what} for no setting`, async () => {
      assertError(
        await new Owner(world()).ask("PUT", "/api/backups", change),
        400,
        "invalid_field",
      );
    });

  it("are not made where there is nowhere to put them", async () => {
    const refused = await new Owner(world()).ask("POST", "/api/backups");
    assertError(refused, 409, "not_now");
    assert.match(refused.json.error, /nowhere to put a backup/);
  });
});

describe("nightly backups to USB sticks", () => {
  const folder = eachFolder();
  const world = eachWorld(() => ({ env: { ROOT_DIR: folder(), VIRTUAL_DECK: "mini" } }));
  const slot = () => rootFolders(folder()).stick;
  let plugs = 0;
  /** Plugs a stick in; the one before is pulled. */
  function plug(stick: string): void {
    mkdirSync(join(slot(), stick), { recursive: true });
    const state = { plug: `${++plugs}`, folder: join(slot(), stick), why: "" };
    writeFileSync(join(slot(), "state.json"), JSON.stringify(state));
    world().clock.advance(6_000);
  }
  const files = (stick: string) => readdirSync(join(slot(), stick));

  it("begin at once on another one, also where that came while the machine was off, and not on the same", async () => {
    plug("first");
    const { targets } = await settled(world(), 1);
    const since = targets[0]?.since ?? 0;
    plug("second");
    const second = await untilFirst(world(), ({ good }) =>
      files("second").includes(good?.file ?? ""),
    );
    assert.ok((second.targets[0]?.since ?? 0) > since);
    assert.deepEqual(files("second"), [second.targets[0]?.good?.file]);
    plug("second");
    await world().restart();
    world().clock.advance(HOUR_MS);
    const { targets: same } = await untilFirst(world(), ({ isPresent }) => isPresent);
    assert.deepEqual(same[0]?.good, second.targets[0]?.good);
    assert.deepEqual(files("first"), [targets[0]?.good?.file]);
    assert.equal(files("second").length, 1);
    await world().stop();
    world().clock.advance(HOUR_MS);
    plug("third");
    await world().start();
    await untilFirst(world(), ({ good }) => files("third").includes(good?.file ?? ""));
  });
});
