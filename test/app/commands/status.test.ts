import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rootFolders } from "../../../appliance/base/system/root-requests.ts";
import { tallydeck } from "../../helpers/command-line.ts";
import { FakeUpdater } from "../../helpers/fake-updater.ts";
import { eachFolder } from "../../helpers/folder.ts";
import { RunningService } from "../../helpers/tallydeck.ts";
import { ADMIN, askPort, serviceOn } from "../../helpers/world.ts";

describe("tallydeck status", () => {
  const folder = eachFolder();
  const env = { SITES: "blog,shop", STATS_TOKEN: ADMIN, VIRTUAL_DECK: "mk2" };
  const start = (more: Record<string, string> = {}) =>
    RunningService.startHere(folder(), { ...env, ...more });
  const status = async (code = 0, zone = "UTC") => {
    const ended = await tallydeck(["status", "--data-dir", folder()], { TZ: zone });
    assert.deepEqual([ended.code, ended.err], [code, ""]);
    return ended.out;
  };

  it("says that no service runs, how to start one, and makes nothing", async () => {
    const out = await status(3);
    const how = `./scripts/start --data-dir ${folder()}`;
    assert.match(out, /^Tallydeck \d+\.\d+\.\d+ is not running\. /);
    assert.ok(out.includes(`Start it: ${how}\n  Sites      none\n  Decks      `), out);
    assert.deepEqual(readdirSync(folder()), []);
  });

  it("says where a running service is, and what it works with, to people and to programs", async () => {
    const asked = ["status", "--json", "--data-dir", folder()];
    const service = await RunningService.start(folder(), env);
    const [, webUi] = await service.says(/Web UI {5}(http:\S+)/);
    const out = await status();
    assert.match(out, /^Tallydeck \d+\.\d+\.\d+ is running\.\n/);
    assert.ok(out.includes(`  Dashboard  http://localhost:${service.port}/dashboard\n`), out);
    assert.ok(out.includes(`  Web UI     ${webUi}\n  Sites      blog, shop\n`), out);
    assert.match(out, /^ {2}Decks {6}mk2 \(virtual\)\n {2}Warnings {3}none$/m);
    assert.match(out, /^ {2}Disk {7}[\d.]+ \wB of [\d.]+ \wB free, the data takes [\d.]+ \wB$/m);
    const told = JSON.parse((await tallydeck(asked)).out);
    const { running, sites, dayZone, decks, warnings, data } = told;
    assert.deepEqual(
      { running, sites, dayZone, decks, warnings, data },
      {
        running: true,
        sites: ["blog", "shop"],
        dayZone: "UTC",
        decks: ["mk2 (virtual)"],
        warnings: [],
        data: folder(),
      },
    );
    assert.match(told.webUi, /^http:/);
    await service.end("SIGKILL");
    assert.match(await status(3), /is not running\..*\n {2}Sites {6}blog, shop\n/);
    const ended = await tallydeck(asked);
    assert.deepEqual([ended.code, JSON.parse(ended.out).running], [3, false]);
  });

  it("says whose days begin where clocks of its machine show another time, and when that changes", async () => {
    await (await serviceOn(folder(), { ...env, DAY_ZONE: "UTC" })).stop();
    assert.doesNotMatch(await status(3), /Days/);
    const there = await status(3, "Asia/Tokyo");
    assert.match(there, /^ {2}Days {7}those of UTC; clocks here show Asia\/Tokyo$/m);
    await (await serviceOn(folder(), { ...env, DAY_ZONE: "Europe/Zurich" })).stop();
    const ahead =
      /^ {2}Days {7}From \d{4}-\d\d-\d\d on days are those of Europe\/Zurich; until then, of UTC\.$/m;
    assert.match(await status(3), ahead);
  });

  it("says on the box which system runs, and how the last update ended", async () => {
    new FakeUpdater(rootFolders(folder()).update, "").restarted(
      "failed",
      { release: 12, version: "0.3.0" },
      "No net.",
    );
    const args = ["status", "--data-dir", folder()];
    const { out } = await tallydeck(args, { ROOT_DIR: folder() });
    assert.match(
      out,
      /^ {2}System {5}release 11 \(0\.2\.0\) in slot a\. Went back from 0\.3\.0 to 0\.2\.0\. No net\.$/m,
    );
  });

  it("tells of the data what a Web UI that asks for a sign-in does not", async () => {
    const service = await start({ BIND: "0.0.0.0" });
    const [, port] = await service.says(/Web UI {5}http:\/\/localhost:(\d+)/);
    assert.equal((await askPort(Number(port), "/api/diagnostics")).status, 401);
    const out = await status();
    assert.match(out, /is running\.\n/);
    assert.ok(out.includes(`http://localhost:${port}/\n  Sites      blog, shop\n`), out);
    assert.match(out, /^ {2}Decks {6}\w.*\n {2}Warnings {3}none$/m);
    assert.doesNotMatch(out, /virtual/);
    await service.end();
  });

  it("tells the public name, how it stands and that there is no certificate yet", async () => {
    const service = await start({ PUBLIC_NAME: "a.example" });
    const told = { PUBLIC_NAME: "a.example" };
    const { out } = await tallydeck(["status", "--data-dir", folder()], told);
    assert.match(out, /^ {2}Public {5}a\.example, needs consent, no certificate yet$/m);
    assert.match(await status(), /^ {2}Public {5}needs consent, no certificate yet$/m);
    await service.end();
    assert.match(await status(3), /^ {2}Public {5}no public address$/m);
  });

  it("warns of data that cannot be read", async () => {
    writeFileSync(join(folder(), "tallydeck.db"), "my diary\n".repeat(999));
    assert.match(await status(3), /^ {2}Warnings {3}.*tallydeck\.db is damaged or no database/m);
  });
});
