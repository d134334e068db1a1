import assert from "node:assert/strict";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rootFolders } from "../../../../appliance/base/system/root-requests.ts";
import { madeAt } from "../../../../appliance/base/system/version.ts";
import { CARD, FAILING_CARD } from "../../../helpers/box-parts.ts";
import { eachFolder } from "../../../helpers/folder.ts";
import { assertError, Owner } from "../../../helpers/owner.ts";
import { untilTold } from "../../../helpers/until.ts";
import { askPort, eachWorld } from "../../../helpers/world.ts";

describe("the box", () => {
  const world = eachWorld({ space: async () => ({ free: 21e9, total: 29e9 }) });

  it("says what it is and how it is", async () => {
    world().vitals = { ...world().vitals, temperature: 48.3, wifi: { dbm: -56 } };
    const { version, made, timeZone, ...box } = await new Owner(world()).get("/api/box");
    assert.match(version, /^\d+\.\d+\.\d+$/);
    assert.equal(made, madeAt());
    assert.equal(typeof timeZone, "string");
    assert.deepEqual(box, {
      upSeconds: 352_800,
      memory: { totalBytes: 2 ** 30, serviceBytes: 110 * 2 ** 20 },
      temperature: 48.3,
      wifi: { dbm: -56 },
      time: world().clock.now(),
      clockSet: true,
      days: { zone: "UTC", ahead: null },
      addresses: { number: `http://localhost:${world().service.control.port}/`, name: null },
      disk: { freeBytes: 21e9, totalBytes: 29e9 },
      numbersElsewhere: false,
      logKeptAt: null,
      power: false,
      warnings: [],
    });
  });

  it("leaves out what it does not know", async () => {
    const box = await new Owner(world()).get("/api/box");
    for (const unknown of ["temperature", "wifi"]) assert.equal(unknown in box, false, unknown);
  });

  it("says what its card takes, and that it fails", async () => {
    world().disk = CARD;
    await world().restart();
    const card = async () => {
      const { device, warnings } = await new Owner(world()).get("/api/box");
      // Both depend on how long this machine runs.
      const { dailyBytes, lifeYears, ...known } = device;
      return { ...known, warnings };
    };
    const whole = { isCard: true, bytes: 32e9, writtenBytes: 12e6 };
    assert.deepEqual(await card(), { ...whole, errors: [], warnings: [] });
    world().disk = FAILING_CARD;
    await world().restart();
    const errors = [{ kind: "data", times: 1, at: world().clock.now() }];
    assert.deepEqual(await card(), { ...whole, errors, warnings: ["storage_failing"] });
  });

  it("is neither restarted nor shut down where Tallydeck is one program among others", async () => {
    for (const action of ["restart", "shutdown"])
      assertError(await new Owner(world()).ask("POST", "/api/power", { action }), 409, "not_a_box");
  });
});

describe("the power of a box", () => {
  const folder = eachFolder();
  const requests = () => join(rootFolders(folder()).power, "asked");
  const world = eachWorld(() => {
    mkdirSync(requests(), { recursive: true });
    return { env: { ROOT_DIR: folder() } };
  });
  const asked = (action: unknown) => new Owner(world()).ask("POST", "/api/power", { action });

  for (const action of ["restart", "shutdown"])
    it(`is told to ${action} by a file of that name`, async () => {
      assert.equal((await new Owner(world()).get("/api/box")).power, true);
      assert.equal((await asked(action)).status, 204);
      assert.deepEqual(readdirSync(requests()), [action]);
    });

  it("does nothing else, whatever it is asked", async () => {
    for (const action of ["", "reboot", "../restart", "restart; id", ["restart"], null, undefined])
      assertError(await asked(action), 400, "invalid_field");
    assert.deepEqual(readdirSync(requests()), []);
  });
});

describe("a box that cannot be told", () => {
  const folder = eachFolder();
  const world = eachWorld(() => ({ env: { ROOT_DIR: join(folder(), "nowhere") } }));

  it("says so, and what to do", async () => {
    const reply = await new Owner(world()).ask("POST", "/api/power", { action: "restart" });
    assertError(reply, 503, "power_failed");
  });
});

describe("a box whose storage is full", () => {
  const world = eachWorld({
    space: async () => ({ free: 1_000_000, total: 10_000_000_000 }),
  });

  it("says so to its owner", async () => {
    const owner = new Owner(world());
    const warnings = async () => (await owner.get("/api/box")).warnings;
    await untilTold(async () => (await warnings()).includes("storage_full"));
  });
});

describe("the log of a box that failed", () => {
  const folder = eachFolder();
  const file = () => join(folder(), "before-failure.txt");
  const world = eachWorld(() => ({ env: { KEPT_LOG_FILE: file() } }));

  it("is downloaded by its owner alone, once there is one", async () => {
    const owner = new Owner(world());
    assert.equal((await owner.get("/api/box")).logKeptAt, null);
    assertError(await owner.ask("GET", "/api/log"), 404, "no_log");
    writeFileSync(file(), "the end\n");
    assert.ok((await owner.get("/api/box")).logKeptAt > 0);
    const { text, headers } = await owner.ask("GET", "/api/log");
    assert.equal(text, "the end\n");
    assert.match(headers["content-type"] ?? "", /^text\/plain/);
    assert.match(headers["content-disposition"] ?? "", /attachment/);
    assert.equal((await askPort(world().service.collector.port, "/api/log")).status, 404);
  });
});
