import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { commandLine, type Run } from "../../../appliance/base/system/program.ts";
import { provisionBox } from "../../../appliance/box/provision/box.ts";
import { isDrawn } from "../../helpers/long.ts";
import { Power } from "../../helpers/power.ts";

const SETTINGS = "# my notes\r\nHOSTNAME=box\r\nWIFI_SSID=home\r\nCOLOUR=red\r\nSTATS_TOKEN=";
const PRESEED = '[wlan]\ncountry = "CH"\nssid = "home"\npassword = "';

/** Thousands of small files are written one after the other: a disk would take minutes. */
const MEMORY = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

describe("a power cut while the box applies its settings", () => {
  let root = "";
  beforeEach(() => {
    root = mkdtempSync(join(MEMORY, "tallydeck-cut-"));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const read = (path: string) => readFileSync(join(root, path), "utf8");

  function newCard(): void {
    for (const folder of ["boot", "data"]) rmSync(join(root, folder), newFolder);
    for (const folder of ["boot/firmware", "data/system"]) mkdirSync(join(root, folder), newFolder);
    writeFileSync(join(root, "boot/firmware/tallydeck.env"), `${SETTINGS}let-me-in\r\n`);
    writeFileSync(join(root, "boot/firmware/rpi-preseed.toml"), `${PRESEED}correct horse"\n`);
  }
  const newFolder = { recursive: true, force: true };

  /** Power on: the system is as it was flashed, boot and data partition are as they were left. */
  async function start(moment = Infinity): Promise<{ wasCut: boolean; ran: string[] }> {
    for (const folder of ["etc", "run", "var"]) rmSync(join(root, folder), newFolder);
    for (const folder of ["etc/iwd", "run"]) mkdirSync(join(root, folder), newFolder);
    const ran: string[] = [];
    const power = new Power(moment);
    const run: Run = (program, own, values) =>
      power.use(() => {
        ran.push([program, ...commandLine(own, values)].join(" ").replaceAll(root, ""));
      });
    const wasCut = await power.cutsFiles(() =>
      provisionBox({ root, run, isMounted: () => true, warn: () => {} }),
    );
    return { wasCut, ran };
  }

  function assertDone(when: string): void {
    assert.deepEqual(
      readdirSync(join(root, "boot/firmware")).sort(),
      ["SETUP-RESULT.txt", "rpi-preseed.toml", "tallydeck.env"],
      when,
    );
    assert.equal(read("boot/firmware/tallydeck.env"), `${SETTINGS}\r\n`, when);
    assert.equal(read("boot/firmware/rpi-preseed.toml"), `${PRESEED}"\n`, when);
    const report = read("boot/firmware/SETUP-RESULT.txt");
    for (const line of ["applied  WIFI_SSID", "applied  [wlan] country", "IGNORED  COLOUR"])
      assert.ok(report.includes(line), `${when}: ${line}`);
    assert.equal(read("etc/hostname"), "box\n", when);
    assert.match(read("var/lib/iwd/home.psk"), /^Passphrase=correct horse$/m, when);
    assert.equal(read("run/tallydeck/tallydeck.env"), "STATS_TOKEN=let-me-in\n", when);
    assert.deepEqual(readdirSync(join(root, "data/system")), ["settings.json"], when);
  }

  it("costs nothing at any of its steps: the next start does the rest, and the one after none", async () => {
    let moment = 0;
    for (let wasCut = true; wasCut; moment++) {
      newCard();
      wasCut = (await start(moment)).wasCut;
      await start();
      assertDone(`cut at step ${moment}`);
      assert.deepEqual((await start()).ran, ["hostname -- box"]);
    }
    assert.ok(moment > 60, `${moment} steps`);
  });

  it("costs nothing when the next start is cut too", async () => {
    for (let moment = 0; moment < 80; moment++)
      for (let again = moment % 11; isDrawn(moment) && again < 80; again += 11) {
        newCard();
        await start(moment);
        await start(again);
        await start();
        assertDone(`cut at step ${moment}, and again at ${again}`);
      }
  });

  it("leaves the owner's file on the card at any of its steps, under one of two names", async () => {
    for (let moment = 0, wasCut = true; wasCut; moment++) {
      newCard();
      wasCut = (await start(moment)).wasCut;
      for (const file of ["tallydeck.env", "rpi-preseed.toml"])
        assert.ok(
          ["", ".old-with-secrets"].some((end) =>
            existsSync(join(root, "boot/firmware", file + end)),
          ),
          `${file} after a cut at step ${moment}`,
        );
    }
  });
});
