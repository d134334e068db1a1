import assert from "node:assert/strict";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { silentLog } from "../../appliance/base/log.ts";
import { Intake, PATIENCE_MS } from "../../appliance/store/intake/intake.ts";
import { decodeBatch } from "../../appliance/store/log/batch.ts";
import { Commits } from "../../appliance/store/sqlite/commit.ts";
import { type Database, openForWriting } from "../../appliance/store/sqlite/database.ts";
import { FakeClock } from "../helpers/fake-clock.ts";
import { eachFolder } from "../helpers/folder.ts";
import { addSite, findSite } from "../helpers/stored-sites.ts";
import { viewOf } from "../helpers/traffic.ts";
import { until } from "../helpers/until.ts";

describe("a commit that takes longer than 5 s", () => {
  const folder = eachFolder();
  let db: Database;
  let site: number;
  let clock: FakeClock;
  let intake: Intake;
  /** While true a commit ends only when `goOn` is called, as on a disk that hangs. */
  let hangs: boolean;
  let goOn: () => void;

  beforeEach(() => {
    db = openForWriting(join(folder(), "tallydeck.db"));
    addSite(db, "blog");
    site = findSite(db, "blog")?.key ?? 0;
    const commits = new Commits(db);
    clock = new FakeClock();
    hangs = true;
    intake = new Intake({
      clock,
      log: silentLog(),
      lowSpace: () => false,
      async send(request) {
        assert.ok(request.kind === "commit");
        if (hangs) await new Promise<void>((resolve) => (goOn = resolve));
        const surveys = db.transaction(() => commits.add(request.batch)).immediate();
        return { ok: true, surveys, more: false };
      },
    });
  });
  afterEach(() => db.close());

  const hit = () => intake.count(site, viewOf());
  const views = () =>
    (db.prepare("SELECT body FROM log").pluck().all() as Uint8Array[])
      .map((body) => decodeBatch(body))
      .flatMap(({ times }) => [...times])
      .reduce((sum, n) => sum + n, 0);
  const surveys = () => db.prepare("SELECT payload FROM survey").pluck().all();

  it("lets hits be answered, those in it and those behind it, and counts each once", async () => {
    const inside = hit();
    await nextTurn();
    const behind = hit();
    clock.advance(PATIENCE_MS);
    await Promise.all([inside, behind]);
    assert.equal(intake.unavailable, true);
    await hit();
    assert.equal(views(), 0);
    hangs = false;
    goOn();
    await intake.drain();
    assert.equal(intake.unavailable, false);
    assert.equal(views(), 3);
  });

  it("ends with the patience: the next hit is answered when it is stored", async () => {
    const inside = hit();
    await nextTurn();
    clock.advance(PATIENCE_MS);
    await inside;
    goOn();
    await until(() => !intake.unavailable);
    let isAnswered = false;
    const next = hit().then(() => {
      isAnswered = true;
    });
    await nextTurn();
    await nextTurn();
    assert.deepEqual([isAnswered, views()], [false, 1]);
    goOn();
    await next;
    assert.equal(views(), 2);
  });

  it("refuses surveys: those in it, which may be stored all the same, and those behind it", async () => {
    const refused = (survey: Promise<void>) =>
      assert.rejects(survey, { code: "storage_unavailable" });
    const inside = intake.addSurvey(site, 1, "inside");
    await nextTurn();
    const behind = intake.addSurvey(site, 1, "behind");
    clock.advance(PATIENCE_MS);
    await refused(inside);
    await refused(behind);
    await refused(intake.addSurvey(site, 1, "after"));
    hangs = false;
    goOn();
    await intake.drain();
    await intake.addSurvey(site, 1, "stored");
    assert.deepEqual(surveys(), ["inside", "stored"]);
  });

  it("is no reason to give up as long as it ends in time", async () => {
    const survey = intake.addSurvey(site, 1, "stored");
    await nextTurn();
    clock.advance(PATIENCE_MS - 1);
    hangs = false;
    goOn();
    await survey;
    clock.advance(PATIENCE_MS);
    assert.equal(intake.unavailable, false);
    assert.deepEqual(surveys(), ["stored"]);
  });
});

describe("when nothing can be stored and the service stops", () => {
  it("one last attempt is made", async () => {
    const clock = new FakeClock();
    let attempts = 0;
    const intake = new Intake({
      clock,
      log: silentLog(),
      lowSpace: () => false,
      async send() {
        attempts++;
        return { ok: false, busy: false, message: "disk full" };
      },
    });
    await intake.count(1, viewOf());
    assert.equal(attempts, 1);
    await intake.drain();
    assert.equal(attempts, 2);
  });
});
