import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { DAY_MS } from "../../../../appliance/base/calendar.ts";
import { WRITERS } from "../../../helpers/access-logs.ts";
import { onOneEngine } from "../../../helpers/engines.ts";
import { FakeClock } from "../../../helpers/fake-clock.ts";
import { eachFolder } from "../../../helpers/folder.ts";
import { goatcounterJson, jsonl, writeZip } from "../../../helpers/foreign-exports.ts";
import { isLong } from "../../../helpers/long.ts";
import { assertError, Owner } from "../../../helpers/owner.ts";
import { until } from "../../../helpers/until.ts";
import { daysFrom, Importer, plausibleBytes } from "../../../helpers/uploading.ts";
import { CHROME, eachWorld } from "../../../helpers/world.ts";

onOneEngine(() => {
  describe("an import over HTTP", () => {
    const world = eachWorld({ env: { RETENTION_DAYS: "3650" } });
    const folder = eachFolder();
    let importer: Importer;
    beforeEach(() => {
      importer = new Importer(new Owner(world()));
    });
    const views = async (from: string, to = from) => (await world().stats({ from, to })).pv?._ ?? 0;
    const file = (first = "2026-02-01", days = 3) =>
      plausibleBytes(folder(), daysFrom(first, days));

    it("tells first what it would do, and then does it", async () => {
      const id = await importer.send(await file());
      const read = await importer.done(id, "inspect");
      assert.equal(read.problem, null);
      assert.equal(read.state, "read");
      const { preview } = read;
      assert.ok(preview);
      assert.deepEqual(
        [preview.format, preview.zone, preview.isZoneGuessed, preview.from, preview.to],
        ["Plausible", "UTC", true, "2026-02-01", "2026-02-03"],
      );
      assert.deepEqual(preview.totals, { views: 90, visitors: 30, sessions: 36 });
      assert.deepEqual(preview.perDay, [30, 30, 30]);
      assert.deepEqual(preview.replaces, []);
      assert.deepEqual(preview.brings, {
        from: "2026-02-01",
        to: "2026-02-03",
        days: 3,
        fresh: 3,
      });
      assert.equal(await views("2026-02-01", "2026-02-03"), 0);
      const done = await importer.done(id, "bring");
      assert.deepEqual([done.state, done.problem], ["done", null]);
      assert.equal(await views("2026-02-01", "2026-02-03"), 90);
      assert.deepEqual(readdirSync(join(world().dataDir, "uploads")), []);
      const { imports } = await importer.list();
      assert.equal(imports.length, 1);
      const [{ number, at, ...brought } = { number: 0, at: 0 }] = imports;
      assert.deepEqual(brought, {
        name: "example_com.zip",
        format: "Plausible",
        from: "2026-02-01",
        to: "2026-02-03",
        days: 3,
        totals: { views: 90, visitors: 30, sessions: 36 },
      });
      assert.ok(at !== null && Math.abs(at - world().clock.now()) < 600_000, String(at));
      assert.ok(number > 0);
    });

    it("asks before it takes the place of another, and can be deleted", async () => {
      await importer.done(await importer.send(await file()), "bring");
      const id = await importer.send(await file("2026-02-02", 4), "newer.zip");
      const { preview } = await importer.done(id, "inspect");
      const found = preview?.replaces.map(({ name, days }) => [name, days]);
      assert.deepEqual(found, [["example_com.zip", 2]]);
      const refused = await importer.done(id, "bring");
      assert.equal(refused.state, "read");
      assert.match(refused.problem ?? "", /2 days of these came with example_com\.zip before/);
      assert.doesNotMatch(refused.problem ?? "", /--/);
      const done = await importer.done(id, "bring", { replace: true });
      assert.equal(done.state, "done");
      const { imports } = await importer.list();
      assert.deepEqual(
        imports.map(({ name, days }) => [name, days]),
        [
          ["newer.zip", 4],
          ["example_com.zip", 1],
        ],
      );
      const path = `${importer.path}/imports/${imports[0]?.number}`;
      assertError(await importer.owner.ask("DELETE", path), 400, "invalid_field");
      const deleted = await importer.owner.ask("DELETE", `${path}?confirm=${imports[0]?.number}`);
      assert.equal(deleted.status, 204, deleted.text);
      assert.equal((await importer.list()).imports.length, 1);
      assert.equal(await views("2026-02-01", "2026-02-05"), 30);
    });

    it("takes the days, and the zone, that its owner names", async () => {
      const id = await importer.send(await file());
      const wishes = { from: "2026-02-02", to: "2026-02-02", zone: "Europe/Zurich" };
      const { preview } = await importer.done(id, "inspect", wishes);
      assert.deepEqual(
        [preview?.zone, preview?.isZoneGuessed, preview?.brings?.days],
        ["Europe/Zurich", false, 1],
      );
      assert.deepEqual(preview?.leftOut, { unnamed: 2 });
      await importer.done(id, "bring", wishes);
      assert.equal(await views("2026-02-01", "2026-02-03"), 30);
    });

    it("takes the shape of a log's lines", async () => {
      const log = Buffer.from(`[2026-02-01T10:00:00Z] GET /a 200 of 192.0.2.1 by "${CHROME}"\n`);
      const id = await importer.send(log, "own.log");
      const unknown = await importer.done(id, "inspect");
      assert.match(unknown.problem ?? "", /--log-format '.*the field "Lines of the log"/);
      const logFormat =
        '[$time_iso8601] $request_method $request_uri $status of $remote_addr by "$http_user_agent"';
      const wishes = { logFormat };
      const { preview, problem } = await importer.done(id, "inspect", wishes);
      assert.deepEqual([problem, preview?.format, preview?.totals.views], [null, "access log", 1]);
      await importer.done(id, "bring", wishes);
      assert.equal(await views("2026-02-01"), 1);
    });

    it("goes on after a restart in the middle, with the same file again", async () => {
      const days = daysFrom("2016-06-01", 3_500).filter((day) => day.endsWith("-01"));
      const bytes = await plausibleBytes(folder(), days);
      const id = await importer.send(bytes, "long.zip", 1_000_000);
      assert.equal((await importer.work(id, "bring")).status, 202);
      await importer.passed(0.5);
      await world().restart();
      const some = await views("2016-06-01", "2026-02-27");
      assert.ok(some < days.length * 30, String(some));
      assert.equal(existsSync(join(world().dataDir, "uploads")), false);
      importer = new Importer(new Owner(world()));
      assert.equal((await importer.list()).upload, null);
      const again = await importer.send(bytes, "long.zip", 1_000_000);
      assert.deepEqual((await importer.done(again, "bring")).problem, null);
      assert.equal(await views("2016-06-01", "2026-02-27"), days.length * 30);
      assert.equal((await importer.list()).imports.length, 1);
    });
  });
});

describe("an upload for an import", () => {
  let free = 1e12;
  const world = eachWorld({ space: async () => ({ free, total: 1e12 }) });
  const folder = eachFolder();
  let importer: Importer;
  beforeEach(() => {
    free = 1e12;
    importer = new Importer(new Owner(world()));
  });
  const file = () => plausibleBytes(folder(), daysFrom("2026-02-01", 3));
  const gone = (id: string) => importer.owner.ask("GET", `${importer.path}/uploads/${id}`);
  const cancel = (id: string) => importer.owner.ask("DELETE", `${importer.path}/uploads/${id}`);

  it("goes on where it was after a cut", async () => {
    const bytes = await file();
    const { id } = (await importer.begin("a.zip", bytes.length)).json;
    assert.equal((await importer.put(id, 0, bytes.subarray(0, 500))).json.received, 500);
    // The answer was lost, and the sender begins anew.
    const wrong = await importer.put(id, 0, bytes.subarray(0, 500));
    assertError(wrong, 409, "wrong_offset");
    assert.equal(wrong.headers["upload-offset"], "500");
    assertError(await importer.put(id, 900, bytes.subarray(900)), 409, "wrong_offset");
    assert.equal((await importer.put(id, 500, bytes.subarray(500))).json.state, "sent");
    assert.equal((await importer.done(id, "inspect")).preview?.days, 3);
  });

  it("keeps nothing of a piece that was cut off, and takes it again", async () => {
    const bytes = await file();
    const { id } = (await importer.begin("a.zip", bytes.length)).json;
    const sent = request({
      port: world().service.control.port,
      path: `${importer.path}/uploads/${id}?offset=0`,
      method: "PUT",
      agent: false,
      headers: { "content-length": bytes.length },
    });
    sent.once("error", () => {});
    await new Promise((resolve) => sent.write(bytes.subarray(0, 700), resolve));
    // A second sender of the same piece has to wait for the first.
    let taken = await importer.put(id, 0, bytes);
    if (taken.status === 409) {
      assertError(taken, 409, "busy");
      sent.destroy();
    }
    while (taken.status === 409) taken = await importer.put(id, 0, bytes);
    sent.destroy();
    assert.equal(taken.json.received, bytes.length);
    assert.equal((await importer.done(id, "inspect")).preview?.days, 3);
  });

  it("is cancelled while a piece of it is on its way", async () => {
    const { id } = (await importer.begin("a.zip", 10_000)).json;
    const sent = request({
      port: world().service.control.port,
      path: `${importer.path}/uploads/${id}?offset=0`,
      method: "PUT",
      agent: false,
      headers: { "content-length": 10_000 },
    });
    const { promise, resolve } = Promise.withResolvers<number | undefined>();
    sent.once("response", ({ statusCode }) => resolve(statusCode));
    await new Promise((written) => sent.write(Buffer.alloc(5_000), written));
    assert.equal((await cancel(id)).status, 204);
    sent.end(Buffer.alloc(5_000));
    assert.equal(await promise, 404);
    assert.deepEqual(readdirSync(join(world().dataDir, "uploads")), []);
  });

  it("of an access log with several hosts is read by the one that is named", async () => {
    const line = (host: string, path = "/") =>
      `${host} 192.0.2.1 - - [02/Feb/2026:10:00:00 +0000] "GET ${path} HTTP/1.1" 200 5 "-" "${CHROME}"\n`;
    const log = Buffer.from(line("a.example") + line("b.example") + line("a.example", "/x"));
    const id = await importer.send(log, "access.log");
    const unclear = await importer.done(id, "inspect");
    assert.match(unclear.problem ?? "", /of several hosts.*"host" a\.example, b\.example/);
    const { preview, problem } = await importer.done(id, "inspect", { host: "a.example" });
    assert.deepEqual([problem, preview?.totals.views], [null, 2]);
  });

  it("is one at a time, whoever sends it, until it is cancelled", async () => {
    const { id } = (await importer.begin("a.zip", 1_000)).json;
    const other = new Importer(new Owner(world()));
    const second = await other.begin("b.zip", 1_000);
    assertError(second, 409, "busy");
    assert.match(second.json.error, /^a\.zip is on its way into blog already/);
    assert.equal((await other.list()).upload?.id, id);
    assert.equal((await cancel(id)).status, 204);
    assertError(await cancel(id), 404, "not_found");
    assertError(await importer.put(id, 0, Buffer.from("x")), 404, "not_found");
    assert.equal((await other.begin("b.zip", 1_000)).status, 201);
  });

  it("takes one of two pieces that come at once", async () => {
    const { id } = (await importer.begin("a.zip", 2_000_000)).json;
    const piece = Buffer.alloc(1_000_000);
    const both = await Promise.all([importer.put(id, 0, piece), importer.put(id, 0, piece)]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409]);
    assert.equal((await importer.list()).upload?.received, 1_000_000);
  });

  it("is cancelled while the box works on it", async () => {
    const bytes = await plausibleBytes(folder(), daysFrom("2024-12-01", 400));
    const id = await importer.send(bytes, "a.zip", 1_000_000);
    assert.equal((await importer.work(id, "bring")).status, 202);
    assertError(await importer.work(id, "inspect"), 409, "busy");
    assert.equal((await cancel(id)).status, 204);
    assertError(await gone(id), 404, "not_found");
    assert.deepEqual(readdirSync(join(world().dataDir, "uploads")), []);
    const again = await importer.send(bytes, "a.zip", 1_000_000);
    assert.equal((await importer.done(again, "bring")).problem, null);
    assert.equal((await importer.list()).imports[0]?.days, 400);
  });

  it("is forgotten after a day", async () => {
    const { id } = (await importer.begin("a.zip", 1_000)).json;
    world().clock.advance(DAY_MS + 1_000);
    await until(() => readdirSync(join(world().dataDir, "uploads")).length === 0);
    assertError(await gone(id), 404, "not_found");
  });

  it("is refused where there is no room, at the beginning and later", async () => {
    free = 7e10;
    assertError(await importer.begin("a.zip", 2e10), 507, "no_space");
    assert.equal((await importer.list()).upload, null);
    const { id } = (await importer.begin("a.zip", 1_000)).json;
    free = 5e10;
    assertError(await importer.put(id, 0, Buffer.alloc(500)), 507, "no_space");
    free = 1e12;
    assert.equal((await importer.put(id, 0, Buffer.alloc(500))).json.received, 500);
  });

  it("is refused for what cannot be", async () => {
    for (const [name, size] of [
      ["", 5],
      ["x".repeat(2_000), 5],
      ["a.zip", 0],
      ["a.zip", -1],
      ["a.zip", 1.5],
      ["a.zip", 2 ** 60],
    ] as const)
      assertError(await importer.begin(name, size), 400, "invalid_field");
    assertError(await new Importer(importer.owner, "none").begin("a.zip", 5), 404, "not_found");
    const { id } = (await importer.begin("a.zip", 10)).json;
    const path = `${importer.path}/uploads/${id}`;
    const put = (query: string, body = Buffer.from("x")) =>
      importer.owner.ask("PUT", path + query, body);
    for (const query of ["", "?offset=", "?offset=-1", "?offset=1e3", "?offset=99999999999999999"])
      assertError(await put(query), 400, "invalid_field");
    assertError(await put("?offset=0", Buffer.alloc(11)), 400, "too_much");
    assertError(await put("?offset=0", Buffer.alloc(4_194_305)), 413, "payload_too_large");
    assertError(await importer.work(id, "inspect"), 409, "not_now");
    assertError(await importer.work(id, "bring"), 409, "not_now");
    const other = new Importer(importer.owner, "nobody");
    assertError(await other.put(id, 0, Buffer.from("x")), 404, "not_found");
    assert.equal((await importer.list()).upload?.received, 0);
    await put("?offset=0", Buffer.alloc(10));
    for (const wishes of [
      { from: "2026-02-01" },
      { from: "2026-02-02", to: "2026-02-01" },
      { from: "x", to: "y" },
      { zone: "Mars/X" },
      { zone: "--help" },
      { replace: "yes" },
      { inspect: true },
    ])
      assertError(await importer.work(id, "bring", wishes), 400, "invalid_field");
    const read = await importer.done(id, "inspect");
    assert.equal(read.state, "sent");
    assert.match(read.problem ?? "", /^a\.zip is nothing that can be imported\./);
  });

  it("keeps its file in its folder, whatever it is called", async () => {
    const bytes = await file();
    for (const [given, kept, isOdd] of [
      ["../../../etc/passwd", "passwd"],
      ["C:\\Users\\me\\stats.zip", "stats.zip"],
      ["..", "file"],
      ["a\0b\nc.zip", "abc.zip"],
      ["--help", "--help", true],
      ["😀".repeat(200), "😀".repeat(50), isLong],
      ["<b>x</b>.zip", "b>.zip"],
    ] as const) {
      const id = await importer.send(bytes, given, 1_000_000);
      assert.equal((await importer.list()).upload?.name, kept);
      assert.deepEqual(readdirSync(join(world().dataDir, "uploads", id)), [kept]);
      if (isOdd) {
        const { preview, problem } = await importer.done(id, "inspect");
        assert.deepEqual([preview?.days, problem], [3, null]);
      }
      await cancel(id);
    }
  });
});

describe("an upload on a box that does not know the date", () => {
  const world = eachWorld(() => ({ clock: new FakeClock(undefined, { sure: false }) }));
  const folder = eachFolder();

  it("waits for it", async () => {
    const importer = new Importer(new Owner(world()));
    const id = await importer.send(await plausibleBytes(folder(), daysFrom("2026-02-01", 1)));
    assertError(await importer.work(id, "inspect"), 409, "not_now");
    world().clock.becomeSure();
    assert.equal((await importer.done(id, "inspect")).problem, null);
  });
});

/** With all of them, it takes ten seconds, and all the memory there is. */
const REFERRERS = isLong
  ? { log: 100_000, goatcounter: 300_000 }
  : { log: 5_000, goatcounter: 15_000 };

describe("an import over HTTP of a day with very many referrers", () => {
  const world = eachWorld();
  const folder = eachFolder();

  it("fits into the memory that there is for it, from a log", async () => {
    const importer = new Importer(new Owner(world()));
    const line = (n: number) =>
      WRITERS.combined?.({
        at: Date.parse("2026-02-01T00:00:00Z") + n * 800,
        ip: `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`,
        target: "/",
        agent: CHROME,
        referrer: `https://r${n}.example/`,
      });
    const log = Array.from({ length: REFERRERS.log }, (_, n) => line(n)).join("\n");
    const id = await importer.send(gzipSync(log), "access.log.gz", 4_000_000);
    const { state, problem } = await importer.done(id, "bring");
    assert.deepEqual([state, problem], ["done", null]);
    const day = { from: "2026-02-01", to: "2026-02-01" };
    const { pv, ref = {} } = await world().stats(day);
    assert.equal(pv?._, REFERRERS.log);
    const views = Object.values(ref as Record<string, number>).reduce((sum, n) => sum + n, 0);
    assert.equal(views, REFERRERS.log);
  });

  it("fits into the memory that there is for it, from GoatCounter", async () => {
    const day = "2026-02-01";
    const numbers = Array.from({ length: REFERRERS.goatcounter }, (_, n) => n + 1);
    const ref = (id: number) => ({ id, ref: `r${id}.example/a/long/page`, ref_scheme: "h" });
    const path = join(folder(), "goat.zip");
    await writeZip(path, {
      ...goatcounterJson([day]),
      "refs.jsonl": jsonl(numbers.map(ref)),
      "hit_stats.jsonl": jsonl(
        numbers.map((ref_id) => ({ hour: `${day}T10:00:00Z`, path_id: 1, ref_id, count: 1 })),
      ),
    });
    const importer = new Importer(new Owner(world()));
    const id = await importer.send(readFileSync(path), "goat.zip", 4_000_000);
    const { state, problem } = await importer.done(id, "bring");
    assert.deepEqual([state, problem], ["done", null]);
    assert.equal((await world().stats({ from: day, to: day })).sessions?._, REFERRERS.goatcounter);
  });
});
