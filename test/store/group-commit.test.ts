import assert from "node:assert/strict";
import { setImmediate as nextTurn } from "node:timers/promises";
import Database from "better-sqlite3";
import { silentLog } from "../../appliance/base/log.ts";
import type { EngineAnswer, EngineRequest } from "../../appliance/store/engine.ts";
import { Intake } from "../../appliance/store/intake/intake.ts";
import { decodeBatch } from "../../appliance/store/log/batch.ts";
import { databaseFile } from "../../appliance/store/sqlite/database.ts";
import { FakeClock } from "../helpers/fake-clock.ts";
import { groupsOf } from "../helpers/groups.ts";
import { kept } from "../helpers/kept.ts";
import { viewOf } from "../helpers/traffic.ts";
import { until } from "../helpers/until.ts";
import { eachWorld } from "../helpers/world.ts";

/** An intake whose commits end when the test says so. */
class SlowCommits {
  readonly intake: Intake;
  readonly #running: { request: EngineRequest; answer: (answer: EngineAnswer) => void }[] = [];
  #begun = 0;

  constructor() {
    this.intake = new Intake({
      clock: new FakeClock(),
      log: silentLog(),
      lowSpace: () => false,
      send: (request) =>
        new Promise((answer) => {
          this.#begun++;
          this.#running.push({ request, answer });
        }),
    });
  }

  get begun(): number {
    return this.#begun;
  }

  /** Ends the oldest commit that runs. @returns how many hits it held */
  async end(): Promise<number> {
    const commit = this.#running.shift();
    if (commit?.request.kind !== "commit") throw new Error("no commit runs");
    const { hits, surveys } = commit.request.batch;
    commit.answer({ ok: true, surveys: surveys.map(() => true), more: false });
    // One turn to take the answer, one for the commit that follows, and one in which that waits for more.
    for (let turn = 0; turn < 3; turn++) await nextTurn();
    return hits;
  }
}

describe("group commit", () => {
  it("commits together what comes in one turn of the event loop", async () => {
    const commits = new SlowCommits();
    const hits = Array.from({ length: 5 }, () => commits.intake.count(1, viewOf()));
    await nextTurn();
    assert.equal(commits.begun, 1);
    assert.equal(await commits.end(), 5);
    await Promise.all(hits);
  });

  it("keeps what comes during a commit for the next", async () => {
    const commits = new SlowCommits();
    const first = commits.intake.count(1, viewOf());
    await nextTurn();
    const during = [];
    for (let i = 0; i < 100; i++) {
      during.push(commits.intake.count(1, viewOf({ path: `/${i}` })));
      await nextTurn();
    }
    assert.equal(commits.begun, 1);
    assert.equal(await commits.end(), 1);
    await first;
    assert.equal(commits.begun, 2);
    assert.equal(await commits.end(), 100);
    await Promise.all(during);
  });

  it("waits while each turn brings more hits, but not for many turns, nor for many hits", async () => {
    const commits = new SlowCommits();
    const hits: Promise<void>[] = [];
    const come = (count: number) => {
      for (let i = 0; i < count; i++) hits.push(commits.intake.count(1, viewOf()));
      return nextTurn();
    };
    for (let turn = 0; turn < 8; turn++) await come(9);
    assert.equal(commits.begun, 0);
    await come(9);
    assert.equal(commits.begun, 1);
    await come(300);
    assert.equal(await commits.end(), 81);
    assert.equal(commits.begun, 2);
    await commits.end();
    await Promise.all(hits);
  });

  it("answers when the commit that holds a hit has ended, not before", async () => {
    const commits = new SlowCommits();
    const answered: string[] = [];
    const first = commits.intake.count(1, viewOf()).then(() => answered.push("first"));
    await nextTurn();
    const second = commits.intake.count(1, viewOf()).then(() => answered.push("second"));
    const survey = commits.intake.addSurvey(1, 1, "{}").then(() => answered.push("survey"));
    await nextTurn();
    assert.deepEqual(answered, []);
    await commits.end();
    await first;
    assert.deepEqual(answered, ["first"]);
    await commits.end();
    await Promise.all([second, survey]);
    assert.deepEqual(answered, ["first", "second", "survey"]);
  });

  it("lets a hit on a site nobody has wait for a commit as any other", async () => {
    const commits = new SlowCommits();
    let answered = false;
    const hit = commits.intake.count(null, viewOf()).then(() => {
      answered = true;
    });
    await nextTurn();
    assert.equal(answered, false);
    await commits.end();
    await hit;
  });

  it("holds hits that are alike once", async () => {
    const sent: EngineRequest[] = [];
    const intake = new Intake({
      clock: new FakeClock(),
      log: silentLog(),
      lowSpace: () => false,
      send: async (request) => {
        sent.push(request);
        return { ok: true, surveys: [], more: false };
      },
    });
    await Promise.all([
      intake.count(1, viewOf({ path: "/a" })),
      intake.count(1, viewOf({ path: "/a" })),
      intake.count(2, { kind: "ping", flags: 0, values: [] }),
    ]);
    const [request] = sent;
    assert.ok(request?.kind === "commit" && sent.length === 1);
    const found = request.batch.log.map((bytes) => decodeBatch(bytes).records);
    assert.deepEqual(found, [2]);
    assert.deepEqual(
      request.batch.log.flatMap(groupsOf).map(({ site, hits, views, counts }) => ({
        site,
        hits,
        views,
        counts: Object.fromEntries([...counts].map(([name, n]) => [name, Object.fromEntries(n)])),
      })),
      [
        { site: 1, hits: 2, views: 2, counts: { pv: { _: 2 }, path: { "/a": 2 } } },
        { site: 2, hits: 1, views: 0, counts: { app: { _: 1 } } },
      ],
    );
  });
});

describe("the answer to a hit", () => {
  const world = eachWorld();

  const committedViews = () => kept(world().dataDir).inLog.length;

  it("comes when others can read what it counted", async () => {
    for (let sent = 1; sent <= 20; sent++) {
      await world().beacon({ p: "/" });
      assert.equal(committedViews(), sent);
    }
  });

  it("comes when others can read what it counted, also when hits pour in", async () => {
    let answered = 0;
    await Promise.all(
      Array.from({ length: 200 }, async () => {
        await world().beacon({ p: "/" });
        answered++;
        if (answered % 20 === 0) assert.ok(committedViews() >= answered);
      }),
    );
    assert.equal(committedViews(), 200);
  });

  it("does not come while the commit cannot be made", async () => {
    const holder = new Database(databaseFile(world().dataDir));
    holder.exec("BEGIN IMMEDIATE");
    let answered = false;
    const hit = world()
      .beacon({ p: "/" })
      .then(() => {
        answered = true;
      });
    // Each of these makes a whole round through the service meanwhile.
    for (let i = 0; i < 20; i++) await world().stats();
    assert.equal(answered, false);
    holder.exec("COMMIT");
    holder.close();
    // On a busy machine SQLite has given up meanwhile: the commit is tried again by the clock.
    await until(() => {
      world().clock.advance(200);
      return answered;
    });
    await hit;
    assert.equal((await world().stats()).pv._, 1);
  });

  it("to a survey comes when others can read the survey", async () => {
    const reply = await world().survey({ sv: 1, os: "linux" });
    assert.equal(reply.status, 204);
    const db = new Database(databaseFile(world().dataDir), { readonly: true });
    assert.equal(db.prepare("SELECT count(*) FROM survey").pluck().get(), 1);
    db.close();
  });
});
