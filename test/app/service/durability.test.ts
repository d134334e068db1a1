import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import fc from "fast-check";
import { databaseFile } from "../../../appliance/store/sqlite/database.ts";
import { Disk, whyNoDisks } from "../../helpers/disk.ts";
import { isLong } from "../../helpers/long.ts";
import { TEST_SEED } from "../../helpers/seeded.ts";
import { RunningService } from "../../helpers/tallydeck.ts";
import { ADMIN, askPort, CHROME, encode } from "../../helpers/world.ts";

/** Some thousand take ten seconds and more, most of it starts of the service. */
const HITS = isLong ? 2_000 : 600;
/** As many as come from one machine at once, and are served. */
const AT_ONCE = 256;
const SURVEYS = 60;
const SITES = isLong ? ["first", "second", "third"] : ["first", "second"];
const ENV = { SITES: SITES.join(), STATS_TOKEN: ADMIN };

/** After how many answers the end comes, for each site. */
const MOMENTS = fc.sample(fc.integer({ min: 1, max: 0.9 * HITS }), {
  numRuns: SITES.length,
  seed: TEST_SEED,
});

interface Answered {
  readonly paths: Set<string>;
  readonly comments: Set<string>;
}

/**
 * Sends to one site, many at once, hits, each of a page of its own, and surveys, each from an
 * address of its own. Calls `then` after so many answers.
 * @returns all that was answered
 */
async function pour(port: number, s: string, after: number, then: () => void): Promise<Answered> {
  const answered: Answered = { paths: new Set(), comments: new Set() };
  const send = async (all: Set<string>, name: string, request: ReturnType<typeof askPort>) => {
    const reply = await request.catch(() => undefined);
    if (reply === undefined || reply.status >= 400) return;
    all.add(name);
    if (answered.paths.size + answered.comments.size === after) then();
  };
  const headers = { "user-agent": CHROME };
  const hit = (i: number) => {
    const p = `/${s}/${i}`;
    const v = encodeURIComponent(encode({ p }));
    return send(answered.paths, p, askPort(port, `/e?s=${s}&v=${v}`, { headers }));
  };
  const survey = (i: number) => {
    const c = `${s} ${i}`;
    const body = JSON.stringify({ sv: 1, c });
    const from = `127.7.${i >> 8}.${1 + (i & 127)}`;
    return send(answered.comments, c, askPort(port, `/s?s=${s}`, { method: "POST", from, body }));
  };
  let next = 0;
  const lane = async () => {
    while (next < HITS) {
      const i = next++;
      await Promise.all([hit(i), ...(i % Math.floor(HITS / SURVEYS) === 0 ? [survey(i)] : [])]);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return answered;
}

async function assertAllThere(
  service: RunningService,
  site: string,
  { paths, comments }: Answered,
): Promise<void> {
  const read = async (path: string) =>
    (await service.ask(`${path}?site=${site}&token=${ADMIN}&from=first`)).json;
  // Stopped early, a site may have surveys only: the answer leaves out what has no counts.
  const { pv = { _: 0 }, path = {} } = await read("/stats");
  assert.deepEqual(
    [...paths].filter((name) => path[name] !== 1),
    [],
    "hits that were answered and are not there, or not once",
  );
  assert.ok(pv._ >= paths.size && pv._ <= HITS);
  assert.equal(Object.keys(path).length, pv._, "none was counted twice");

  const stored = (
    await (
      await service.ask(`/surveys?site=${site}&token=${ADMIN}`)
    ).json
  ).comments.map(({ c }: { c: string }) => c);
  assert.equal(new Set(stored).size, stored.length, "no survey is there twice");
  const left = [...comments].filter((c) => !stored.includes(c));
  assert.deepEqual(left, []);
}

function assertIntact(dataDir: string): void {
  const db = new Database(databaseFile(dataDir), { readonly: true });
  assert.equal(db.pragma("integrity_check", { simple: true }), "ok");
  db.close();
}

describe(`in the middle of ${HITS} hits, ${AT_ONCE} at once (TEST_SEED=${TEST_SEED} brings the same again)`, () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), "tallydeck-test-"));
  });
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

  it("kill -9 loses nothing that was answered, and counts nothing twice", async () => {
    const answered: Answered[] = [];
    for (const [i, site] of SITES.entries()) {
      const service = await RunningService.start(dataDir, ENV);
      const end = () => void service.end("SIGKILL");
      answered.push(await pour(service.port, site, MOMENTS[i] ?? 1, end));
      assert.equal((await service.ended).code, null);
    }
    const service = await RunningService.startHere(dataDir, ENV);
    for (const [i, site] of SITES.entries())
      await assertAllThere(service, site, answered[i] as Answered);
    assertIntact(dataDir);
    assert.equal((await service.end()).code, 0);
  });

  it("stopping the service loses nothing that was answered", async () => {
    const service = await RunningService.start(dataDir, ENV);
    const stop = () => void service.end("SIGTERM");
    const answered = await pour(service.port, "first", MOMENTS[0] ?? 1, stop);
    assert.equal((await service.ended).code, 0);
    const after = await RunningService.startHere(dataDir, ENV);
    await assertAllThere(after, "first", answered);
    await after.end();
  });

  it("cutting the power loses nothing that was answered", async function () {
    const reason = whyNoDisks();
    if (reason !== undefined) {
      console.log(`    skipped: ${reason}`);
      this.skip();
    }
    const disk = Disk.ext4();
    try {
      const service = await RunningService.start(disk.folder, ENV);
      let cut: Promise<void> | undefined;
      const answered = await pour(service.port, "first", MOMENTS[0] ?? 1, () => {
        cut = service.suspend().then(() => disk.cutPower(() => service.end("SIGKILL")));
      });
      await cut;
      const after = await RunningService.startHere(disk.folder, ENV);
      await assertAllThere(after, "first", answered);
      assertIntact(disk.folder);
      await after.end();
    } finally {
      disk.remove();
    }
  });
});
