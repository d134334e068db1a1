import assert from "node:assert/strict";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { SystemClock } from "../../appliance/base/system/system-clock.ts";
import { UNITS } from "../../test/helpers/fake-hid-units.ts";
import { UsbDeck } from "../../test/virtual-deck/usb-deck.ts";
import { SECTOR } from "./block-log.ts";
import type { Card } from "./card.ts";
import type { Lane } from "./checks.ts";
import { copySectors, partition } from "./fat.ts";
import type { Machine } from "./machine.ts";
import type { Pi } from "./pi.ts";
import { put } from "./releases.ts";
import { boxOf, hashOf, isUnchanged, lane, SHORT, says, type Updates } from "./update-run.ts";

/** A release that is not well is given up after so many starts' time, and not before so many seconds. */
const PATIENCE = { starts: 3, leastS: 200 };

interface Fault {
  /** "… goes back from a release that NAME" */
  readonly name: string;
  /** The reason in the report of the box. */
  readonly reason: RegExp;
  /** Changes the card between the arming and the start. */
  readonly card?: (card: Card) => void;
  /** Changes the root's files. */
  readonly root?: (root: string) => void;
  /** An event of the machine during the trial. */
  readonly meanwhile?: (machine: Machine) => Promise<unknown>;
  /** The firmware does not even start it. */
  readonly isDead?: boolean;
}

const NOT_STARTED = /did not start/;
const STOPPED = /started, and then stopped|did not start/;
const SERVICE = "etc/systemd/system/tallydeck.service.d/test.conf";
const OLD_FORMAT = "DATA_FORMAT$1format: 3, readableBy: 3";
const UNITS_FOLDER = "etc/systemd/system";

const FAULTS: readonly Fault[] = [
  {
    name: "has no kernel",
    isDead: true,
    card: ({ boot }) => boot.remove("b/vmlinuz"),
    reason: NOT_STARTED,
  },
  {
    name: "has zeros for a kernel",
    isDead: true,
    card: ({ boot }) => boot.write("b/vmlinuz", Buffer.alloc(1 << 20)),
    reason: NOT_STARTED,
  },
  {
    name: "has half an initrd",
    card: ({ boot }) => {
      const initrd = boot.read("b/initrd.img");
      assert.ok(initrd);
      boot.write("b/initrd.img", initrd.subarray(0, initrd.length / 2));
    },
    reason: NOT_STARTED,
  },
  {
    name: "has zeros for a root",
    card: (card) => writeRoot(card, "/dev/zero", 64),
    reason: NOT_STARTED,
  },
  {
    name: "has the root of another release",
    card: ({ file }) => {
      const [from, to] = [partition(file, 2), partition(file, 3)];
      const count = from.to - from.from;
      overwrite(file, file, `skip=${from.from}`, `seek=${to.from}`, `count=${count}`);
    },
    reason: NOT_STARTED,
  },
  {
    name: "ends its first program",
    root: (root) => put(root, "usr/sbin/init", "#!/bin/sh\nexit 1\n", 0o755),
    reason: NOT_STARTED,
  },
  {
    name: "panics a while after its start",
    root: (root) =>
      unit(
        root,
        "test-panic",
        "sleep 20; echo 1 >/proc/sys/kernel/sysrq; echo c >/proc/sysrq-trigger",
      ),
    reason: STOPPED,
  },
  {
    // A unit that needs only a shell ends this trial: nobody else can.
    name: "runs no program of ours",
    root: (root) => put(root, "usr/bin/tallydeck-node", "#!/bin/sh\nexit 1\n", 0o755),
    reason: STOPPED,
  },
  {
    name: "exits with 2 instead of serving",
    root: (root) => runs(root, "/bin/sh -c 'exit 2'"),
    reason: /The service refuses its settings\./,
  },
  {
    name: "hangs",
    root: (root) => runs(root, "/bin/sleep infinity"),
    reason: /The service (?:does not come up|hung|stops)/,
  },
  {
    name: "leaves port 80 dead",
    root: (root) =>
      put(
        root,
        `${UNITS_FOLDER}/tallydeck-collector.socket.d/test.conf`,
        "[Socket]\nListenStream=\nListenStream=8088\n",
      ),
    reason: /The collector \(port 80\) does not answer\./,
  },
  {
    name: "gets no address",
    root: (root) => put(root, "etc/systemd/network/20-wired.network", "[Match]\nName=none\n"),
    reason: /No address on eth0\./,
  },
  {
    name: "does not find the deck",
    root: (root) => put(root, "etc/udev/rules.d/70-tallydeck.rules", ""),
    meanwhile: plugDeck,
    reason: /The deck .* is plugged in, and does not work\./,
  },
  {
    name: "cannot use the database",
    root: (root) => {
      const file = "opt/tallydeck/appliance/store/format.js";
      const text = readFileSync(join(root, file), "utf8");
      put(root, file, text.replace(/DATA_FORMAT(.*)format: \d+, readableBy: \d+/, OLD_FORMAT));
    },
    reason: /The data cannot be used by this release\./,
  },
  {
    name: "is well and unwell by turns",
    root: (root) => {
      unit(root, "test-fails", "exit 1");
      const flaps =
        "systemctl reset-failed test-fails; sleep 6; systemctl start test-fails; sleep 6";
      unit(root, "test-flaps", `while :; do ${flaps}; done`);
    },
    reason: /Unit test-fails\.service failed\.|too late to be well/,
  },
];

/** Each release that is not well goes back, once, with its own sentence. */
export function trialLanes(updates: Updates, armed: Pi): Lane[] {
  return FAULTS.map((fault) =>
    lane(updates, `goes back from a release that ${fault.name}`, (folder) =>
      checkFault(updates, armed, fault, folder),
    ),
  );
}

async function checkFault(
  { workshop, next, token, startS }: Updates,
  armed: Pi,
  fault: Fault,
  folder: string,
): Promise<string> {
  const withinS = Math.max(PATIENCE.leastS, PATIENCE.starts * startS);
  const options = { commandLine: `tallydeck.trial=10,${withinS}` };
  await using pi = armed.copy(folder);
  if (fault.root) {
    const root = join(folder, "root.img");
    workshop.makeRoot({ ...next, change: fault.root }, root);
    writeRoot(pi.card, root);
  }
  fault.card?.(pi.card);
  const whole = hashOf(pi.card, "a");
  let machine = await pi.goOn(options);
  if (!fault.isDead) {
    assert.deepEqual(pi.turns, ["tryboot.txt"]);
    const meanwhile = fault.meanwhile?.(machine).catch(() => {});
    assert.equal(await pi.ended(machine, 3 * withinS * 1_000), "reset");
    await meanwhile;
    machine = await pi.goOn(SHORT);
  }
  assert.equal(pi.turns.at(-1), "config.txt");
  const box = await boxOf(machine, token);
  const { kind, reason } = await says(box, "it went back", ({ last }) => last ?? undefined);
  assert.match(reason ?? "", fault.reason);
  assert.ok(kind === "failed" || kind === "interrupted");
  assert.equal((await box.read("/stats?site=blog", token)).path["/before"], 1);
  // It does not try again by itself.
  assert.equal(pi.armings, 0);
  isUnchanged(pi.card);
  assert.equal(hashOf(pi.card, "a"), whole);
  return `${kind}: ${reason}`;
}

/** Puts a file into the third partition; `mib` where it has no end. */
function writeRoot({ file }: Card, root: string, mib?: number): void {
  const count = mib === undefined ? [] : [`count=${(mib << 20) / SECTOR}`];
  overwrite(root, file, `seek=${partition(file, 3).from}`, ...count);
}

function overwrite(from: string, to: string, ...where: readonly string[]): void {
  copySectors(from, to, "conv=notrunc", ...where);
}

function runs(root: string, command: string): void {
  put(root, SERVICE, `[Service]\nExecStart=\nExecStart=${command}\n`);
}

/** A unit of its own, started with the system. */
function unit(root: string, name: string, script: string): void {
  const text = `[Service]\nExecStart=/bin/sh -c '${script}'\n`;
  put(root, `${UNITS_FOLDER}/${name}.service`, text);
  // systemd starts what a link leads to, and no file.
  const wanted = join(root, UNITS_FOLDER, "multi-user.target.wants");
  mkdirSync(wanted, { recursive: true });
  symlinkSync(`../${name}.service`, join(wanted, `${name}.service`));
}

/** The deck that was there when the board was armed. */
export function plugDeck(machine: Machine): Promise<UsbDeck> {
  const make = UNITS.mk2;
  if (make === undefined) throw new Error("no unit mk2");
  return UsbDeck.plug(make(new SystemClock()), machine.usb);
}
