import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CommandFailed, type Terminal } from "../../../../appliance/app/commands/command.ts";
import { tryBoardWith } from "../../../../appliance/app/commands/hardware/try-board.ts";
import { rootFolders } from "../../../../appliance/base/system/root-requests.ts";
import { clockSource } from "../../../../appliance/base/system/system-clock.ts";
import { type HardwareReport, parseReport } from "../../../../appliance/deck/hardware/report.ts";
import { ofBoard, triedText, wellText } from "../../../../scripts/hardware-reports.ts";
import { FakeClock } from "../../../helpers/fake-clock.ts";
import { eachFolder } from "../../../helpers/folder.ts";

/** The files of a Raspberry Pi 4 with a Stream Deck Mini. */
const PI: Readonly<Record<string, string>> = {
  "/run/systemd/timesync/synchronized": "",
  "/sys/class/net/eth0/operstate": "up\n",
  "/sys/class/net/wlan0/operstate": "up\n",
  "/sys/class/net/wlan0/wireless/status": "",
  "/proc/self/net/wireless": "Inter-| sta\n face | tus\n wlan0: 0000   54.  -56.  -256        0\n",
  "/sys/bus/usb/devices/usb1/speed": "480\n",
  "/sys/bus/usb/devices/usb2/speed": "5000\n",
  "/sys/bus/usb/devices/1-1.2/idVendor": "0fd9\n",
  "/sys/bus/usb/devices/1-1.2/idProduct": "0063\n",
  "/sys/bus/usb/devices/1-1.2/speed": "480\n",
  "/sys/bus/usb/devices/1-1.2/serial": "BL19H1A00001\n",
  "/sys/bus/usb/devices/1-1/idVendor": "2109\n",
  "/sys/class/watchdog/watchdog0/identity": "Broadcom BCM2835 Watchdog timer\n",
  "/sys/class/watchdog/watchdog0/state": "active\n",
  "/sys/class/watchdog/watchdog0/timeout": "15\n",
};

/** A state of the updater, with this outcome. */
const updated = (kind: string) => ({
  running: { release: 7, version: "1.4.0", slot: "b" },
  other: { release: 6, version: "1.3.0" },
  mode: "normal",
  offers: [],
  failed: [],
  last: { kind, release: 7, version: "1.4.0", at: 1_767_225_600, reason: null },
});

describe("tallydeck try-board", () => {
  const folder = eachFolder();

  interface Board {
    files?: Readonly<Record<string, string>>;
    ready?: string;
    state?: object;
    args?: readonly string[];
    out?: string;
    /** Root's state of the Wi-Fi, as text. */
    wifi?: string;
  }
  let runs = 0;

  /** Runs it on such a machine. @returns the commands that it passed on, too */
  async function look({ wifi, ready = "23400123\n", state, args = [], out, ...board }: Board = {}) {
    const file = join(folder(), out ?? `board-${runs++}.txt`);
    const root = rootFolders(folder());
    mkdirSync(root.update, { recursive: true });
    if (state !== undefined) writeFileSync(join(root.update, "state.json"), JSON.stringify(state));
    const files = {
      ...(board.files ?? PI),
      ...(wifi && { [join(root.wifi, "state.json")]: wifi }),
    };
    const env = { ...((state ?? wifi) !== undefined && { ROOT_DIR: folder() }) };
    const lines: string[] = [];
    const passedOn: string[][] = [];
    const terminal = { env, now: () => 0, out: (line: string) => lines.push(line) };
    const read = (path: string) => {
      const text = files[path];
      if (text === undefined) throw new Error(`no ${path}`);
      return text;
    };
    const command = tryBoardWith({
      files: { read: async (path) => files[path], list: async (path) => namesIn(files, path) },
      ask: () => ready,
      clock: () => new FakeClock(undefined, { boot: "f72229c8-1111-2222" }),
      clockSource: () => clockSource(read),
      machine: () => ({ board: "Raspberry Pi 4 Model B Rev 1.4" }),
      update: { run: async (words) => void passedOn.push([...words]) },
    });
    await command.run(["--out", file, ...args], terminal as unknown as Terminal);
    const text = readFileSync(file, "utf8");
    return { text, report: parseReport(text), lines, passedOn };
  }

  const stepOf = ({ report }: { report: HardwareReport }, name: string) => {
    const { result, note } = report.steps.find((step) => step.name === name) ?? assert.fail(name);
    return `${result} ${note}`;
  };

  it("tells how a Pi is, without a serial number", async () => {
    const pi = await look({ state: updated("updated") });
    const boot = pi.report.steps.find(({ name }) => name === "boot");
    assert.equal(boot?.ms, 23_400);
    assert.match(stepOf(pi, "boot"), /^ok boot f72229c8; /);
    assert.equal(stepOf(pi, "clock"), "ok set by NTP");
    assert.equal(stepOf(pi, "wifi"), "ok wlan0 up, -56 dBm");
    assert.equal(stepOf(pi, "usb"), "ok buses of 480, 5000 Mbit/s; mini at 480 Mbit/s");
    assert.equal(stepOf(pi, "watchdog"), "ok Broadcom BCM2835 Watchdog timer: active, 15 s");
    assert.equal(stepOf(pi, "update"), "ok kept 1.4.0, 2026-01-01");
    assert.ok(!pi.text.includes("BL19H1A00001"));
    assert.equal(pi.report.facts.device, "real");
  });

  it("says of each thing that it is not there", async () => {
    const bare = await look({ files: {}, ready: "0\n" });
    const results = bare.report.steps.map(({ name, result }) => `${name} ${result}`);
    assert.deepEqual(results, [
      "boot absent",
      "clock failed",
      "wifi absent",
      "phone absent",
      "usb absent",
      "watchdog absent",
      "update absent",
      "back absent",
    ]);
    assert.match(stepOf(bare, "update"), /a program on this machine/);
  });

  it("tells how a set-up of the Wi-Fi went, without a name", async () => {
    const told = { network: "Haus am See", trouble: null, hasInternet: true };
    for (const [state, said] of [
      [{ ...told, hasOpened: true, mostPhones: 1 }, "ok opened, 1 phone on it, joined"],
      [
        { hasOpened: true, mostPhones: 2, trouble: { reason: "not-accepted", network: "Home" } },
        "ok opened, 2 phones on it, not-accepted",
      ],
      [{ hasOpened: true, mostPhones: 0 }, "skipped opened, 0 phones on it"],
      [{ hasOpened: false }, "failed the box's own network did not open"],
    ] as const)
      assert.equal(stepOf(await look({ wifi: JSON.stringify(state) }), "phone"), said);
    assert.match(stepOf(await look({ wifi: "{" }), "phone"), /^absent /);
  });

  it("finds fault with a watchdog that is not armed on a box, and not elsewhere", async () => {
    const files = { ...PI, "/sys/class/watchdog/watchdog0/state": "inactive\n" };
    assert.match(stepOf(await look({ files, state: updated("back") }), "watchdog"), /^failed /);
    assert.match(stepOf(await look({ files }), "watchdog"), /^absent /);
  });

  it("leaves the address of a card out of its name", async () => {
    const files = {
      "/sys/class/net/wlx00c0caabcdef/operstate": "down\n",
      "/sys/class/net/wlx00c0caabcdef/phy80211/index": "0",
    };
    const found = await look({ files });
    assert.equal(stepOf(found, "wifi"), "skipped wlx? down");
  });

  it("knows a way back, an update that failed, and a board that cannot try one", async () => {
    const back = await look({ state: updated("back") });
    assert.match(stepOf(back, "back"), /^ok started 1\.4\.0/);
    assert.match(stepOf(back, "update"), /^skipped /);
    const failed = await look({ state: updated("failed") });
    assert.match(stepOf(failed, "update"), /^failed failed: 1\.4\.0/);
    const cannot = await look({ state: { ...updated("updated"), canTry: false } });
    assert.match(stepOf(cannot, "update"), /^failed the board ignored/);
  });

  it("starts the other release only when it is told to, and by the command that asks", async () => {
    const state = updated("updated");
    assert.deepEqual((await look({ state })).passedOn, []);
    assert.deepEqual((await look({ state, args: ["--back"] })).passedOn, [["back"]]);
  });

  it("has nothing to go back to off a box", async () => {
    await assert.rejects(look({ args: ["--back"] }), CommandFailed);
  });

  it("writes nothing over a file that is there", async () => {
    writeFileSync(join(folder(), "board.txt"), "mine");
    await assert.rejects(
      look({ out: "board.txt" }),
      /board\.txt is there already\. Name another file as --out/,
    );
    assert.equal(readFileSync(join(folder(), "board.txt"), "utf8"), "mine");
  });

  it("counts for the table of boards, unless it comes from an emulator", async () => {
    const { report } = await look({ state: updated("updated") });
    const four = { model: "Raspberry Pi 4" };
    const emulated = { ...report, facts: { ...report.facts, device: "emulated" } };
    const found = ofBoard([report, emulated], four);
    assert.match(triedText(found), /^verified by 1, with \d/);
    const seen = ["update", "back"].map((step) => wellText(found, step));
    assert.deepEqual(seen, ["by 1", "untried"]);
    assert.deepEqual(ofBoard([report], { model: "Raspberry Pi 40" }), []);
    assert.deepEqual(ofBoard([report], { model: undefined }), []);
  });

  it("knows an emulator", async () => {
    for (const files of [
      { "/sys/class/dmi/id/sys_vendor": "QEMU\n" },
      { "/proc/cpuinfo": "processor : 0\nflags\t\t: fpu hypervisor lahf_lm\n" },
      { "/sys/firmware/qemu_fw_cfg/rev": "3" },
    ])
      assert.equal((await look({ files })).report.facts.device, "emulated");
  });
});

function namesIn(files: Readonly<Record<string, string>>, folder: string): string[] {
  const below = Object.keys(files).filter((path) => path.startsWith(`${folder}/`));
  return [...new Set(below.map((path) => path.slice(folder.length + 1).split("/")[0] ?? ""))];
}
