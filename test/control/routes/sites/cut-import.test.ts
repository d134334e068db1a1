import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { runtimeInfoOf } from "../../../../appliance/app/commands/runtime-info.ts";
import { dayOf, formatDay } from "../../../../appliance/base/calendar.ts";
import { tallydeck } from "../../../helpers/command-line.ts";
import { Disk, whyNoDisks } from "../../../helpers/disk.ts";
import { eachFolder } from "../../../helpers/folder.ts";
import { umamiEvents } from "../../../helpers/foreign-exports.ts";
import { assertError, Owner } from "../../../helpers/owner.ts";
import { RunningService } from "../../../helpers/tallydeck.ts";
import { until } from "../../../helpers/until.ts";
import { daysFrom, Importer, plausibleBytes } from "../../../helpers/uploading.ts";
import { type Ask, askPort, CHROME, encode, World } from "../../../helpers/world.ts";

/** Days of as many months, each of which is written by itself: the first day of each. */
const MONTHS = 110;

describe("an upload on a disk that fills up", () => {
  it("ends in a sentence, keeps no half of a piece, and goes on with room", async function () {
    const reason = whyNoDisks();
    if (reason !== undefined) {
      console.log(`    skipped: ${reason}`);
      this.skip();
    }
    const disk = Disk.inMemory(32);
    // It says that there is room, as one does that others fill meanwhile.
    const space = async () => ({ free: 1e12, total: 1e12 });
    const world = new World({ dataDir: join(disk.folder, "data"), space });
    try {
      await world.start();
      const importer = new Importer(new Owner(world));
      const piece = Buffer.alloc(1_000_000);
      const { id } = (await importer.begin("a.zip", 5e6)).json;
      assert.equal((await importer.put(id, 0, piece)).status, 200);
      disk.fill();
      assertError(await importer.put(id, 1e6, piece), 507, "no_space");
      assert.equal((await importer.list()).upload?.received, 1e6);
      disk.empty();
      assert.equal((await importer.put(id, 1e6, piece)).json.received, 2e6);
      assert.equal((await world.beacon({ p: "/" })).status, 200);
    } finally {
      await world.end();
      disk.remove();
    }
  });
});

describe("an import on a box whose power is cut in the middle", () => {
  const folder = eachFolder();
  const env = { STATS_TOKEN: "t", RETENTION_DAYS: "3650" };
  beforeEach(async () => {
    await tallydeck(["sites", "add", "blog", "--data-dir", folder()]);
  });
  const start = async () => {
    const service = await RunningService.start(folder(), env);
    const port = runtimeInfoOf(folder())?.control?.port ?? assert.fail("it does not run");
    const askControl = (path: string, ask: Ask) => askPort(port, path, ask);
    return { service, importer: new Importer(new Owner({ askControl } as unknown as World)) };
  };

  it("ends with its service where that is killed alone", async () => {
    const day = formatDay(dayOf(Date.now()) - 2);
    const view = { at: `${day} 10:00:00`, path: "/", visitor: "v", visit: "1" };
    const events = gzipSync(umamiEvents(Array.from({ length: 30_000 }, () => view)));
    const { service, importer } = await start();
    const id = await importer.send(events, "events.csv.gz", 1_000_000);
    assert.equal((await importer.work(id, "bring")).status, 202);
    await importer.passed(0);
    const [child] = childrenOf(service.pid);
    assert.ok(child !== undefined);
    await service.end("SIGKILL");
    await until(() => !isAlive(child));
    const { out } = await tallydeck(["sources", "--json", "--data-dir", folder()]);
    const found = JSON.parse(out).map(({ number }: { number: number }) => number);
    assert.deepEqual(found, [0]);
  });

  it("goes on with the same file after the next start, and no hit is lost", async () => {
    const today = dayOf(Date.now());
    const days = daysFrom(formatDay(today - 3640), 3640).filter((day) => day.endsWith("-01"));
    const bytes = await plausibleBytes(folder(), days.slice(0, MONTHS));
    const { service, importer } = await start();
    const id = await importer.send(bytes, "long.zip", 1_000_000);
    let counted = 0;
    const hits: Promise<void>[] = [];
    const hit = async () => {
      const headers = { "user-agent": CHROME };
      const { status } = await service.ask(`/e?s=blog&v=${encode({})}`, { headers });
      counted += status < 300 ? 1 : 0;
    };
    assert.equal((await importer.work(id, "bring")).status, 202);
    await importer.passed(0.5, () => hits.push(hit().catch(() => {})));
    await service.end("SIGKILL");
    await Promise.all(hits);

    const again = await start();
    assert.equal((await again.importer.list()).upload, null);
    const anew = await again.importer.send(bytes, "long.zip", 1_000_000);
    assert.equal((await again.importer.done(anew, "bring")).problem, null);
    const { imports } = await again.importer.list();
    const found = imports.map(({ days, totals }) => [days, totals.views]);
    assert.deepEqual(found, [[MONTHS, MONTHS * 30]]);
    const { json } = await again.service.ask(`/stats?site=blog&token=t`);
    assert.ok((json.pv?._ ?? 0) >= counted, `${counted} ${JSON.stringify(json.pv)}`);
    await again.service.end();
  });
});

/** The processes that a process has started. */
function childrenOf(pid: number | undefined): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && statOf(Number(name))?.[1] === `${pid}`)
    .map(Number);
}

function isAlive(pid: number): boolean {
  return ![undefined, "Z", "X"].includes(statOf(pid)?.[0]);
}

/** State, parent and more of a process, as proc(5) has them; undefined where it is gone. */
function statOf(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return undefined;
  }
}
