import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as realTime } from "node:timers/promises";
import Database from "better-sqlite3";
import { createLog } from "../../appliance/base/log.ts";
import { PATIENCE_MS } from "../../appliance/store/intake/intake.ts";
import { databaseFile } from "../../appliance/store/sqlite/database.ts";
import { Disk, needDisks } from "../helpers/disk.ts";
import { FakeClock } from "../helpers/fake-clock.ts";
import { RunningService } from "../helpers/tallydeck.ts";
import { World } from "../helpers/world.ts";

/** Above low space, and below what ballast is taken at. */
const ENOUGH = { free: 110 * 1024 ** 2, total: 1024 ** 3 };

/** A service whose storage can be made to fail. */
class Patient {
  readonly world: World;
  /** Lines of the log of the service. */
  readonly log: readonly string[];
  #sent = 0;

  private constructor(world: World, log: readonly string[]) {
    this.world = world;
    this.log = log;
  }

  static async admit(dataDir?: string): Promise<Patient> {
    const lines: string[] = [];
    const world = new World({
      clock: new FakeClock(),
      space: async () => ENOUGH,
      log: createLog((line) => lines.push(line)),
      ...(dataDir !== undefined && { dataDir }),
    });
    await world.start();
    return new Patient(world, lines);
  }

  get file(): string {
    return databaseFile(this.world.dataDir);
  }

  /** Sends views, each of a page of its own and of `/all`, and app pings; all must be answered. */
  async hits(count: number): Promise<void> {
    const replies = await Promise.all(
      Array.from({ length: count }, () => [
        this.world.beacon({ p: `/${this.#sent++}`, r: "all.example" }),
        this.world.ping({ v: "1.2.3" }),
      ]).flat(),
    );
    for (const { status, headers } of replies)
      assert.deepEqual([status, headers["content-type"]], [200, "image/gif"]);
  }

  async surveyStatus(comment: string): Promise<number> {
    const reply = await this.world.survey({ sv: 1, c: comment });
    if (reply.status === 503) assert.equal(reply.json.code, "storage_unavailable");
    return reply.status;
  }

  async warnings(): Promise<string[] | undefined> {
    return (await this.world.stats()).warnings;
  }

  async comments(): Promise<string[]> {
    const { comments } = await this.world.read("/surveys");
    return comments.map(({ c }: { c: string }) => c);
  }

  /** Reads and pages answer, and say what is wrong. */
  async assertAliveWith(warnings: string[] | undefined): Promise<void> {
    assert.deepEqual(await this.warnings(), warnings);
    const statuses = await Promise.all(
      ["/", "/badge?site=blog", "/nothing"].map(
        async (path) => (await this.world.ask(path)).status,
      ),
    );
    assert.deepEqual(statuses, [200, 404, 404]);
  }

  /** Lets the attempts to store go on until the warning is there, or is not. */
  async untilWarned(warned: boolean): Promise<void> {
    while (((await this.warnings()) ?? []).includes("storage_unavailable") !== warned)
      this.world.clock.advance(500);
  }

  /** Lets time pass until all that waited is stored. */
  async recover(): Promise<void> {
    await this.untilWarned(false);
    // The next hit is answered by a commit with all hits before.
    await this.hits(1);
  }

  /** Waits for `done` while time goes on, in steps of `ms`; requests come and go in between. */
  async passing<T>(ms: number, done: Promise<T>): Promise<T> {
    let over = false;
    void done.finally(() => {
      over = true;
    });
    while (!over) {
      await this.world.stats();
      this.world.clock.advance(ms);
    }
    return done;
  }

  /** Everything sent was counted once. */
  async assertExact(): Promise<void> {
    const { pv, path, ref, app } = await this.world.stats();
    assert.deepEqual([pv._, app._, ref["all.example"]], Array(3).fill(this.#sent));
    assert.equal(Object.keys(path).length, this.#sent);
    assert.ok(Object.values(path).every((n) => n === 1));
  }
}

describe("while another holds the database", () => {
  let patient: Patient;
  let holder: Database.Database;

  beforeEach(async () => {
    patient = await Patient.admit();
    holder = new Database(patient.file);
    await patient.hits(3);
  });
  afterEach(async () => {
    holder.close();
    await patient.world.end();
  });

  for (const how of ["IMMEDIATE", "EXCLUSIVE"])
    it(`for longer than 5 s (BEGIN ${how}), hits are answered and wait in memory`, async () => {
      holder.exec(`BEGIN ${how}`);
      const hits = patient.hits(20);
      const survey = patient.surveyStatus("never stored");
      await patient.assertAliveWith(undefined);
      await patient.passing(PATIENCE_MS / 2, hits);
      assert.equal(await survey, 503);
      await patient.hits(20);
      assert.equal(await patient.surveyStatus("never stored either"), 503);
      await patient.assertAliveWith(["storage_unavailable"]);
      assert.equal((await patient.world.stats()).pv._, 3);

      holder.exec("ROLLBACK");
      await patient.recover();
      assert.equal(await patient.surveyStatus("stored"), 204);
      await patient.assertExact();
      assert.deepEqual(await patient.comments(), ["stored"]);
    });

  it("for less than 5 s, hits and surveys wait and are answered when it lets go", async () => {
    holder.exec("BEGIN IMMEDIATE");
    let answered = false;
    const all = Promise.all([patient.hits(20), patient.surveyStatus("stored")]).then(
      ([, status]) => {
        answered = true;
        return status;
      },
    );
    for (let i = 0; i < 10; i++) await patient.assertAliveWith(undefined);
    patient.world.clock.advance(PATIENCE_MS - 1_000);
    await patient.assertAliveWith(undefined);
    assert.equal(answered, false);
    holder.exec("ROLLBACK");
    assert.equal(await patient.passing(1, all), 204);
    await patient.assertExact();
    assert.deepEqual(await patient.comments(), ["stored"]);
  });

  it("in another process, the same holds", async () => {
    const code = `import Database from ${JSON.stringify(import.meta.resolve("better-sqlite3"))};
      const db = new Database(process.argv[1]);
      db.exec("BEGIN EXCLUSIVE");
      console.log("held");
      process.stdin.once("end", () => db.exec("ROLLBACK")).resume();`;
    const other = spawn(process.execPath, ["--input-type=module", "-e", code, patient.file], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    await once(other.stdout, "data");
    const hits = patient.hits(5);
    await patient.assertAliveWith(undefined);
    await patient.passing(PATIENCE_MS / 2, hits);
    await patient.assertAliveWith(["storage_unavailable"]);
    other.stdin.end();
    await once(other, "exit");
    await patient.recover();
    await patient.assertExact();
  });

  it("and the service is stopped, what waited is stored when the other has let go", async () => {
    holder.exec("BEGIN IMMEDIATE");
    const hits = patient.hits(5);
    await patient.assertAliveWith(undefined);
    await patient.passing(PATIENCE_MS / 2, hits);
    holder.exec("ROLLBACK");
    await patient.world.restart();
    await patient.assertExact();
    assert.deepEqual(patient.log, [
      'error: Nothing can be stored; counts wait in memory {"reason":"no commit for 5 s"}',
      "info: Storage is back; what waited in memory is stored",
    ]);
  });

  it("and the service is stopped meanwhile, what is lost is in the log", async () => {
    holder.exec("BEGIN IMMEDIATE");
    await patient.passing(PATIENCE_MS / 2, patient.hits(5));
    await patient.world.stop();
    assert.deepEqual(patient.log.slice(1), [
      'error: What waited in memory could not be stored and is lost {"hits":10}',
    ]);
  });
});

describe("when the disk", () => {
  let disk: Disk | undefined;
  let patient: Patient;

  needDisks();
  afterEach(async () => {
    await patient?.world.stop();
    disk?.remove();
    disk = undefined;
  });

  async function insert(inserted: Disk): Promise<Disk> {
    disk = inserted;
    const dataDir = join(disk.folder, "data");
    mkdirSync(dataDir);
    patient = await Patient.admit(dataDir);
    await patient.hits(3);
    return disk;
  }

  it("is full, hits are answered and wait, until there is room", async () => {
    const full = await insert(Disk.inMemory(4));
    full.fill();
    await patient.hits(20);
    assert.equal(await patient.surveyStatus("never stored"), 503);
    await patient.hits(20);
    await patient.assertAliveWith(["storage_unavailable"]);
    assert.equal((await patient.world.stats()).pv._, 3);

    full.empty();
    await patient.recover();
    assert.equal(await patient.surveyStatus("stored"), 204);
    await patient.assertExact();
    assert.deepEqual(await patient.comments(), ["stored"]);
  });

  it("is full again and again, nothing is lost and nothing is counted twice", async () => {
    const full = await insert(Disk.inMemory(4));
    for (let round = 0; round < 5; round++) {
      full.fill();
      await patient.hits(15);
      await patient.untilWarned(true);
      full.empty();
      await patient.hits(15);
      await patient.recover();
    }
    await patient.world.restart();
    await patient.assertExact();
  });

  it("is full when the power comes back, the service starts, answers, and says so", async () => {
    disk = Disk.inMemory(4);
    const env = { SITES: "blog", STATS_TOKEN: "t" };
    const before = await RunningService.start(disk.folder, env);
    for (let i = 0; i < 3; i++) await before.ask("/a");
    disk.fill();
    await before.end("SIGKILL");

    const service = await RunningService.startHere(disk.folder, env);
    const stats = async () => (await service.ask("/stats?token=t")).json;
    const unavailable = async () => (await stats()).warnings.includes("storage_unavailable");
    assert.deepEqual((await stats()).app, { _: 3 });
    // The log of before was folded in, which left room for a little.
    let sent = 3;
    for (; !(await unavailable()); sent++) assert.equal((await service.ask("/a")).status, 200);
    assert.deepEqual((await stats()).warnings, ["storage_full", "storage_unavailable"]);
    disk.empty();
    while (await unavailable()) await realTime(100);
    assert.deepEqual((await stats()).app, { _: sent });
    await service.end();
  });

  it("lets nobody write, hits are answered and wait, until it does again", async () => {
    const card = await insert(Disk.ext4());
    card.protect(`${patient.file}-wal`);
    try {
      await patient.hits(20);
      assert.equal(await patient.surveyStatus("never stored"), 503);
      await patient.assertAliveWith(["storage_unavailable"]);
    } finally {
      card.protect(`${patient.file}-wal`, false);
    }
    await patient.recover();
    assert.equal(await patient.surveyStatus("stored"), 204);
    await patient.assertExact();
    assert.deepEqual(await patient.comments(), ["stored"]);
  });

  it("is worn out and the kernel makes it read-only, hits are answered and reads go on", async () => {
    const card = await insert(Disk.ext4());
    assert.equal(await patient.surveyStatus("stored before"), 204);
    card.wearOut();
    await patient.hits(20);
    assert.equal(await patient.surveyStatus("never stored"), 503);
    await patient.hits(20);
    await patient.assertAliveWith(["storage_unavailable"]);
    assert.equal((await patient.world.stats()).pv._, 3);
    assert.deepEqual(await patient.comments(), ["stored before"]);
  });
});
