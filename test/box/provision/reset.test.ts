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
import type { Jumper } from "../../../appliance/box/provision/jumpers/pins.ts";
import { answerReset, eraseData } from "../../../appliance/box/provision/reset.ts";
import { Power } from "../../helpers/power.ts";

const MEMORY = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
const TEMPLATE = "# The box's settings\r\nWIFI_SSID=\r\n";
/** An updater's memory with reports that name a deck. */
const JOURNAL = {
  highest: 7,
  failed: [6],
  images: {},
  last: { kind: "failed", reason: "The deck Kitchen is plugged in, and does not work." },
  attempt: { id: "1", state: "prepared", before: { decks: ["Kitchen"] }, reason: "Kitchen" },
};
const LEFT = { highest: 7, failed: [6], images: {}, attempt: { id: "1", state: "prepared" } };
const CONF = "[Interface]\nPrivateKey = ";

describe("a reset of the box", () => {
  let root = "";
  let ran: string[] = [];
  let said: string[] = [];
  let canDiscard = true;
  let jumpers: readonly Jumper[] | undefined;
  beforeEach(() => {
    root = mkdtempSync(join(MEMORY, "tallydeck-reset-"));
    [said, canDiscard, jumpers] = [[], true, undefined];
    newCard();
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const newFolder = { recursive: true, force: true };
  const write = (path: string, text: string) => {
    mkdirSync(join(root, path, ".."), newFolder);
    writeFileSync(join(root, path), text);
  };
  const read = (path: string) => readFileSync(join(root, path), "utf8");
  const isThere = (path: string) => existsSync(join(root, path));
  const names = (path: string) => readdirSync(join(root, path)).sort();

  /** A box that was set up and has counted. */
  function newCard(): void {
    for (const folder of ["boot", "data", "usr"]) rmSync(join(root, folder), newFolder);
    write("usr/share/tallydeck/tallydeck.env", TEMPLATE);
    write(
      "boot/firmware/tallydeck.env",
      "HOSTNAME=attic\nWIFI_SSID=home\nWIFI_PASSWORD=correct horse\n",
    );
    write("boot/firmware/user-data", "hostname: attic\n");
    write("boot/firmware/config.txt", "os_prefix=a/\n");
    write("data/tallydeck/tallydeck.db", "counts");
    write("data/tallydeck/tls/key.pem", "secret");
    write("data/tallydeck-cache/x", "x");
    write("data/system/ssh/key", "secret");
    write("data/system/update.json", JSON.stringify(JOURNAL));
    write("data/system/clock", "");
    write("data/lost+found/x", "");
    powerOn();
    start();
  }

  function powerOn(): void {
    ran = [];
    for (const folder of ["etc", "run", "var"]) rmSync(join(root, folder), newFolder);
    for (const folder of ["etc/iwd", "run/tallydeck-reset/asked"])
      mkdirSync(join(root, folder), newFolder);
  }

  const run: Run = (program, own, values) => {
    ran.push([program, ...commandLine(own, values)].join(" ").replaceAll(root, ""));
    if (program === "fstrim" && !canDiscard) throw new Error("not supported");
  };
  const box = () => ({ root, run, isMounted: () => true, say: (line: string) => said.push(line) });
  const start = () => {
    eraseData(box());
    const jumpersOn = () => jumpers && new Set(jumpers);
    provisionBox({ root, run, isMounted: () => true, jumpersOn, warn: () => {} });
  };
  const ask = (request: string) => {
    writeFileSync(join(root, "run/tallydeck-reset/asked", request), "");
    answerReset(box());
  };

  function assertErased(when = ""): void {
    assert.deepEqual(names("data"), ["lost+found", "system"], when);
    const stays = names("data/system").filter((name) => name !== "jumpers");
    assert.deepEqual(stays, ["clock", "settings.json", "update.json"], when);
    assert.deepEqual(JSON.parse(read("data/system/update.json")), LEFT, when);
    assert.deepEqual(names("data/lost+found"), [], when);
    assert.doesNotMatch(read("data/system/settings.json"), /horse|attic/, when);
    assert.equal(read("boot/firmware/tallydeck.env"), TEMPLATE, when);
    assert.deepEqual(
      names("boot/firmware"),
      ["SETUP-RESULT.txt", "config.txt", "tallydeck.env"],
      when,
    );
    assert.equal(read("etc/hostname"), "tallydeck\n", when);
    assert.equal(isThere("var/lib/iwd/home.psk"), false, when);
  }

  it("keeps the system and its memory of releases, and begins with the first settings file", () => {
    assert.match(read("var/lib/iwd/home.psk"), /correct horse/);
    ask("begin");
    assert.equal(ran.at(-1), "systemctl reboot");
    powerOn();
    start();
    assertErased();
    assert.ok(ran.includes("fstrim -- /data"));
    assert.match(said.join(), /erases all data/);
    assert.match(
      read("boot/firmware/SETUP-RESULT.txt"),
      /deleted, and the card was told to discard/,
    );
    assert.equal(read("run/tallydeck-reset/done"), "discarded");
    // The next start knows nothing of it.
    powerOn();
    start();
    assert.equal(isThere("run/tallydeck-reset/done"), false);
  });

  it("says what cannot be promised of a card that cannot discard", () => {
    canDiscard = false;
    ask("begin");
    powerOn();
    start();
    assertErased();
    assert.match(read("boot/firmware/SETUP-RESULT.txt"), /cannot be told to discard it/);
  });

  it("leaves on the card what its owner put there for the set-up that begins", () => {
    write("boot/firmware/tallydeck.env", "HOSTNAME=cellar\n");
    write("boot/firmware/wireguard.conf", `${CONF}not yet read\n`);
    write("boot/firmware/RESET", "");
    ask("begin");
    powerOn();
    start();
    assert.equal(read("etc/hostname"), "cellar\n");
    assert.equal(isThere("boot/firmware/user-data"), false);
    assert.equal(isThere("boot/firmware/RESET"), false);
    assert.match(read("boot/firmware/wireguard.conf"), /not yet read/);
  });

  for (const name of ["RESET", "RESET.txt"])
    it(`is only wished for by ${name} on the card, which goes when it is called off`, () => {
      write(`boot/firmware/${name}`, "");
      powerOn();
      start();
      assert.equal(isThere("run/tallydeck-reset/wanted"), true);
      assert.equal(read("data/tallydeck/tallydeck.db"), "counts");
      ask("call-off");
      assert.equal(isThere(`boot/firmware/${name}`), false);
      assert.equal(isThere("run/tallydeck-reset/wanted"), false);
      assert.deepEqual(names("run/tallydeck-reset/asked"), []);
      assert.ok(!ran.includes("systemctl reboot"));
    });

  describe("by the jumper", () => {
    const startWith = (...on: Jumper[]) => {
      jumpers = on;
      powerOn();
      start();
      return isThere("run/tallydeck-reset/wanted");
    };

    it("is wished for once, where the jumper was not on at the last start", () => {
      assert.equal(startWith("reset"), false, "at its first start with a header");
      assert.equal(isThere("run/tallydeck-reset/jumper"), true);
      assert.equal(startWith(), false);
      assert.equal(isThere("run/tallydeck-reset/jumper"), false);
      assert.equal(startWith("wifi"), false);
      assert.equal(startWith("reset"), true);
      assert.equal(read("data/tallydeck/tallydeck.db"), "counts");
      ask("call-off");
      assert.equal(isThere("run/tallydeck-reset/wanted"), false);
      for (let starts = 0; starts < 3; starts += 1) assert.equal(startWith("reset"), false);
      jumpers = undefined;
      powerOn();
      start();
      assert.equal(startWith("reset"), false, "after a start in which it could not be read");
      assert.equal(startWith("wifi"), false);
      assert.equal(startWith("reset"), true);
    });

    it("erases once while it stays on, also what is set up anew meanwhile", () => {
      startWith();
      assert.equal(startWith("reset"), true);
      ask("begin");
      assert.equal(startWith("reset"), false);
      assertErased();
      assert.equal(isThere("run/tallydeck-reset/jumper"), true);
      write("data/tallydeck/tallydeck.db", "counts of another owner");
      assert.equal(startWith("reset"), false);
      assert.equal(read("data/tallydeck/tallydeck.db"), "counts of another owner");
    });
  });

  it("does not begin when it was called off in the same moment", () => {
    writeFileSync(join(root, "run/tallydeck-reset/asked/begin"), "");
    ask("call-off");
    assert.equal(isThere("boot/firmware/RESET-NOW"), false);
    assert.ok(!ran.includes("systemctl reboot"));
  });

  it("erases nothing while a partition is missing", () => {
    ask("begin");
    assert.throws(() => eraseData({ ...box(), isMounted: (path) => !path.endsWith("data") }));
    assert.equal(read("data/tallydeck/tallydeck.db"), "counts");
    assert.equal(isThere("boot/firmware/RESET-NOW"), true);
  });

  it("goes on at the next start after a power cut at any of its steps, twice too", async () => {
    let steps = 0;
    for (let wasCut = true; wasCut; steps += 1) {
      newCard();
      write("boot/firmware/RESET", "");
      ask("begin");
      for (const moment of [steps, steps % 7]) {
        powerOn();
        const power = new Power(moment);
        const cut = await power.cutsFiles(() =>
          eraseData({ ...box(), run: (...args) => power.use(() => run(...args)) }),
        );
        if (moment === steps) wasCut = cut;
      }
      powerOn();
      start();
      assertErased(`cut at step ${steps}`);
    }
    assert.ok(steps > 25, `${steps}`);
  });
});
