import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { processorMs, StallWatch, statOf } from "../../scripts/stall.ts";
import { freePort } from "../../test/helpers/free-port.ts";
import type { Speed } from "../../test/virtual-deck/wire.ts";
import type { BootFiles } from "../boot-lint.ts";
import type { Disk } from "./card.ts";
import type { Hardware } from "./firmware.ts";
import { Lab } from "./lab.ts";
import { Qmp } from "./qmp.ts";
import { Shell } from "./shell.ts";
import { waitedShare } from "./slow-guest.ts";

/** Twice systemd's time limit for stopping a unit. */
const ENDS_MS = 3 * 60_000;

/** A unit, a command, or a step of the kernel's, takes less of an emulator. */
const PATIENCE = { stillS: 240, spinsS: 600 };
const UNWATCHED_S = 30;
/** The limit in QEMU of all disks that are plugged in. */
const PACE = "pace";

type Ports = readonly [collector: number, control: number, tls: number, other: number];
const REACHED: Ports = [80, 3_000, 443, 8_080];

export interface MachineOptions {
  readonly hardware?: Hardware;
  /** False: no network card at all. A lab: a cable to it, in place of QEMU's own network, from which it reaches nobody when "inward". */
  readonly network?: boolean | "inward" | Lab;
  readonly megabytes?: number;
  /** The machine's ports that connections reach; 80, 3000, 443 and 8080 unless given. */
  readonly reached?: Ports;
  /** The port for 443; a free one unless given. */
  readonly tlsPort?: number;
  /** Further words for the kernel. */
  readonly commandLine?: string;
  /** The time of the clock chip at power-on; today unless given. */
  readonly clock?: string;
  /** The files that the firmware starts; those of config.txt unless given. */
  readonly files?: BootFiles;
  /** A socket for the port at which the machine arms its next start. */
  readonly armSocket?: string;
  /** The card has a cache that the machine is to flush; it learns that at its start. */
  readonly hasCache?: boolean;
  /** The file for a record of all writes to the card, which then has a cache. */
  readonly writeLog?: string;
  /** The names of its board in the device tree, the closest first; QEMU's own unless given. */
  readonly board?: readonly string[];
  /** A state of `freeze`, which the machine resumes. */
  readonly frozen?: string;
}

export type End = "cut" | "reset" | "off";

/**
 * One of QEMU's machines on a card: `virt`, whose kernel, initrd and command line are those that a
 * Raspberry Pi 4 would take from the boot partition, or `raspi3b`, which takes a Pi 3's and its
 * device tree, and has its SD slot and USB controller. Connections to `collectorPort`,
 * `controlPort`, `tlsPort` and `otherPort` reach 80, 3000, 443 and 8080, or others where given.
 */
export class Machine {
  readonly collectorPort: number;
  readonly controlPort: number;
  readonly tlsPort: number;
  readonly otherPort: number;
  /** The port for a deck, and its speed. */
  readonly usb: { readonly socket: string; readonly speed: Speed };
  readonly shell: Shell;
  /** Tells how it hangs, asked every few seconds while it is waited for; undefined while it moves on. */
  readonly hangs: () => Promise<string | undefined>;
  /** The end, once it has come. */
  readonly end: Promise<End>;
  readonly #card: Disk;
  readonly #qemu: ChildProcess;
  readonly #qmp: Qmp;
  /** The names in QEMU of files that were plugged in. */
  readonly #disks = new Map<string, string>();

  private constructor(
    card: Disk,
    qemu: ChildProcess,
    { shell, qmp }: { shell: Shell; qmp: Qmp },
    ports: Ports,
    speed: Speed,
  ) {
    this.#card = card;
    this.#qemu = qemu;
    this.shell = shell;
    this.hangs = watched({ card, qemu, shell, qmp });
    shell.hangs = this.hangs;
    this.#qmp = qmp;
    this.end = once(qemu, "exit").then(() => endOf(qmp));
    this.usb = { socket: join(card.folder, "usb.sock"), speed };
    [this.collectorPort, this.controlPort, this.tlsPort, this.otherPort] = ports;
  }

  static async start(card: Disk, options: MachineOptions = {}): Promise<Machine> {
    const tls = options.tlsPort ?? (await freePort());
    const ports: Ports = [await freePort(), await freePort(), tls, await freePort()];
    const log = openSync(join(card.folder, "qemu.log"), "a");
    if (options.writeLog !== undefined) writeFileSync(options.writeLog, "");
    const args = machineArguments(card, ports, options);
    const { network } = options;
    if (options.board) args.push("-dtb", namedBoard(card, args, options.board));
    const line = ["qemu-system-aarch64", ...args] as const;
    const [program, words] = network instanceof Lab ? network.inside(...line) : [line[0], args];
    const qemu = spawn(program, words, { stdio: ["ignore", log, log] });
    // However this test ends, no machine stays behind.
    const end = () => qemu.kill("SIGKILL");
    process.once("exit", end);
    qemu.once("exit", () => process.off("exit", end));
    closeSync(log);
    const [shell, qmp] = await Promise.all([
      Shell.open(join(card.folder, "shell.sock"), () => isRunning(qemu)),
      Qmp.open(join(card.folder, "monitor.sock"), () => isRunning(qemu)),
    ]);
    if (options.frozen !== undefined) await thaw(qmp);
    // The hub that QEMU puts before a Pi 3's port is a USB 1.1 one.
    const speed = options.hardware === "raspi3b" ? "full" : "high";
    return new Machine(card, qemu, { shell, qmp }, ports, speed);
  }

  /** The output of kernel and boot on the serial line, of all starts. */
  get console(): string {
    return readFileSync(join(this.#card.folder, "console.log"), "utf8");
  }

  /** False once it was shut down, lost its power, or ended by itself. */
  get isRunning(): boolean {
    return isRunning(this.#qemu);
  }

  /** The share of its time so far that it waited for a processor of this machine, from 0 to 1. */
  get waitedShare(): number {
    return waitedShare(this.#qemu.pid as number);
  }

  /** Pulls the plug. */
  async cutPower(): Promise<void> {
    this.shell.close();
    if (!this.isRunning) return;
    this.#qemu.kill("SIGKILL");
    await once(this.#qemu, "exit");
  }

  /** The writes to the card since power-on. */
  async written(): Promise<{ bytes: number; requests: number; flushes: number }> {
    const card = (await disksOf(this.#qmp)).find(({ device }) => device === "card");
    if (card === undefined) throw new Error("the machine has no card");
    const { wr_bytes: bytes, wr_operations: requests, flush_operations: flushes } = card.stats;
    return { bytes, requests, flushes };
  }

  /** Plugs a disk in, also once more. @param id of this time */
  async plugDisk(file: string, id: string, { isReadOnly = false } = {}): Promise<void> {
    let drive = this.#disks.get(file);
    if (drive === undefined) {
      drive = `disk${this.#disks.size}`;
      await this.#qmp.do("blockdev-add", {
        driver: "raw",
        "node-name": drive,
        "read-only": isReadOnly,
        file: {
          driver: "throttle",
          "throttle-group": PACE,
          file: { driver: "file", filename: file },
        },
      });
      this.#disks.set(file, drive);
    }
    await this.#qmp.do("device_add", { driver: "usb-storage", drive, id });
  }

  /** Pulls it out again. */
  async unplugDisk(id: string): Promise<void> {
    await this.#qmp.do("device_del", { id });
  }

  /** Lets all disks that are plugged in take so many bytes a second from now on; 0 for what they can. */
  async slowDisks(bytes: number): Promise<void> {
    await this.#qmp.do("qom-set", {
      path: `/objects/${PACE}`,
      property: "limits",
      value: { "bps-total": bytes },
    });
  }

  /** Keeps its memory in a file and ends; a copy of its card goes with it. */
  async freeze(file: string): Promise<void> {
    await this.#qmp.do("stop");
    await this.#qmp.do("migrate", { uri: `exec:cat >${file}` });
    for (;;) {
      const { status } = (await this.#qmp.do("query-migrate")) as { status: string };
      if (status === "completed") break;
      if (status === "failed") throw new Error("QEMU could not keep the machine's memory");
      await pause(200);
    }
    await this.cutPower();
  }

  /** Shuts down as `systemctl poweroff` does, and waits for it. */
  shutDown(): Promise<void> {
    return this.ends(() => this.shell.run("systemctl poweroff --no-block"));
  }

  /** Waits until it has shut down, or would restart, for what `ask` does. */
  async ends(ask: () => Promise<unknown>): Promise<void> {
    const signal = AbortSignal.timeout(ENDS_MS);
    await Promise.all([once(this.#qemu, "exit", { signal }), ask()]);
    this.shell.close();
  }
}

/** Tells how a machine hangs, which then ends: one that neither speaks nor touches its card says nothing. */
function watched({ card, qemu, shell, qmp }: Watched): () => Promise<string | undefined> {
  let watch = new StallWatch(PATIENCE);
  let at = -Infinity;
  return async () => {
    if (!isRunning(qemu)) return undefined;
    const console =
      statSync(join(card.folder, "console.log"), { throwIfNoEntry: false })?.size ?? 0;
    const operations = await cardOperations(qmp).catch(() => undefined);
    // The machine ended meanwhile.
    if (operations === undefined) return undefined;
    const said = console + shell.heardBytes + operations;
    const now = performance.now() / 1_000;
    // Meanwhile nobody waited for it, and it may have had nothing to do.
    if (now - at > UNWATCHED_S) watch = new StallWatch(PATIENCE);
    at = now;
    const usedS = processorMs(statOf(qemu.pid ?? 0)) / 1_000;
    const hangs = watch.see({ at, said, usedS });
    if (hangs !== undefined) qemu.kill("SIGKILL");
    return hangs;
  };
}

interface Watched {
  readonly card: Disk;
  readonly qemu: ChildProcess;
  readonly shell: Shell;
  readonly qmp: Qmp;
}

type DiskStats = Readonly<
  Record<"rd_operations" | "wr_operations" | "wr_bytes" | "flush_operations", number>
>;

async function disksOf(qmp: Qmp): Promise<readonly { device: string; stats: DiskStats }[]> {
  return (await qmp.do("query-blockstats")) as Awaited<ReturnType<typeof disksOf>>;
}

/** Reads, writes and flushes so far, of all its disks. */
async function cardOperations(qmp: Qmp): Promise<number> {
  const disks = await disksOf(qmp);
  return disks.reduce(
    (sum, { stats }) => sum + stats.rd_operations + stats.wr_operations + stats.flush_operations,
    0,
  );
}

/** Its memory comes as it was when it was stopped, and stays so. */
async function thaw(qmp: Qmp): Promise<void> {
  for (;;) {
    const { status } = (await qmp.do("query-status")) as { status: string };
    if (status !== "inmigrate") break;
    await pause(200);
  }
  await qmp.do("cont");
}

function endOf({ reason }: Qmp): End {
  if (reason === "guest-reset") return "reset";
  return reason === "guest-shutdown" ? "off" : "cut";
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

function machineArguments(card: Disk, ports: Ports, options: MachineOptions): string[] {
  const { hardware = "virt", network = true, commandLine = "", clock } = options;
  const sockets = (options.reached ?? REACHED)
    .map((port, index) => `hostfwd=tcp:127.0.0.1:${ports[index]}-:${port}`)
    .join(",");
  const words = [
    `systemd.debug_shell=${SHELL[hardware]}`,
    // The kernel prints the registers of a program that crashes.
    "print-fatal-signals=1",
    // Output on the serial line shows that it makes progress.
    "loglevel=6 systemd.show_status=true",
    // They cost an emulator half of its time, and no board is attacked here.
    "mitigations=off",
    `systemd.set_credential_binary=systemd.unit-dropin.tallydeck.service:${PATIENT}`,
    commandLine,
  ].join(" ");
  return [
    // An update runs more code than QEMU keeps translated unless it is told to.
    ...["-accel", "tcg,thread=multi,tb-size=2048", "-display", "none", "-no-reboot"],
    ...(clock ? ["-rtc", `base=${clock}`] : []),
    ...["-chardev", `socket,id=shell,path=${card.folder}/shell.sock,server=on,wait=off`],
    ...["-chardev", `socket,id=deck,path=${card.folder}/usb.sock,server=on,wait=off`],
    ...driveArguments(card, hardware, options.writeLog),
    ...["-object", `throttle-group,id=${PACE}`],
    ...["-qmp", `unix:${card.folder}/monitor.sock,server=on,wait=off`],
    ...(options.frozen ? ["-incoming", `exec:cat ${options.frozen}`] : []),
    ...networkArguments(network, sockets),
    ...(hardware === "virt" ? virt(card, words, options) : raspi3b(card, words, options)),
    ...["-device", "usb-redir,chardev=deck"],
  ];
}

/** @returns the file of the machine's device tree, with other names */
function namedBoard(card: Disk, args: readonly string[], names: readonly string[]): string {
  const file = join(card.folder, "board.dtb");
  execFileSync("qemu-system-aarch64", [...args, "-machine", `dumpdtb=${file}`], {
    stdio: "ignore",
  });
  execFileSync("fdtput", ["-t", "s", file, "/", "compatible", ...names]);
  return file;
}

/** Emulated, and with others beside it, a service may start for longer than any board would need. */
const PATIENT = Buffer.from("[Service]\nTimeoutStartSec=30min\n").toString("base64");

/** Recorded, the card is one with a cache; else each write is on it once it is answered. */
function driveArguments(card: Disk, hardware: Hardware, writeLog?: string): string[] {
  if (writeLog === undefined)
    return ["-drive", `if=${CARD[hardware]},file=${card.file},format=raw,cache=writethrough`];
  return [
    ...["-blockdev", `driver=file,filename=${card.file},node-name=card-file`],
    ...["-blockdev", `driver=file,filename=${writeLog},node-name=log-file`],
    ...["-blockdev", "driver=blklogwrites,file=card-file,log=log-file,node-name=card"],
  ];
}

function networkArguments(network: boolean | "inward" | Lab, sockets: string): string[] {
  if (network === false) return ["-nic", "none"];
  if (network === "inward") return ["-netdev", `user,id=net,restrict=on,${sockets}`];
  if (network === true) return ["-netdev", `user,id=net,${sockets}`];
  return ["-netdev", `tap,id=net,ifname=${network.tap},script=no,downscript=no`];
}

const SHELL: Readonly<Record<Hardware, string>> = { virt: "hvc0", raspi3b: "ttyS1" };
const CARD: Readonly<Record<Hardware, string>> = { virt: "none,id=card", raspi3b: "sd" };

/** Merged requests have as many parts as one may have, and the log would add another. */
const RECORDED = ",write-cache=on,request-merging=off";

function virt(card: Disk, words: string, options: MachineOptions): string[] {
  const { network, megabytes = 1_024, armSocket, writeLog, hasCache } = options;
  const recorded = writeLog !== undefined || hasCache === true;
  const { kernel, initrd, commandLine } = card.startFiles("virt", options.files);
  const arming = armSocket ? " tallydeck.arm=port" : "";
  return [
    ...["-M", "virt", "-cpu", "cortex-a72", "-smp", "2", "-m", String(megabytes)],
    ...given({ kernel, initrd }),
    ...["-append", `${commandLine} console=ttyAMA0 ${words}${arming}`],
    ...["-device", `virtio-blk-pci,drive=card,romfile=${recorded ? RECORDED : ""}`],
    ...(network === false ? [] : ["-device", "virtio-net-pci,netdev=net,romfile="]),
    ...["-device", "virtio-rng-pci", "-device", "qemu-xhci"],
    ...["-device", "virtio-serial-pci", "-device", "virtconsole,chardev=shell"],
    ...(armSocket
      ? [
          ...["-chardev", `socket,id=arm,path=${armSocket},server=on,wait=off`],
          ...["-device", "virtserialport,chardev=arm,name=tallydeck.arm"],
        ]
      : []),
    ...["-chardev", `file,id=console,path=${card.folder}/console.log,append=on`],
    ...["-serial", "chardev:console"],
  ];
}

function raspi3b(card: Disk, words: string, { network, files }: MachineOptions): string[] {
  const { kernel, initrd, deviceTree, commandLine } = card.startFiles("raspi3b", files);
  return [
    ...["-M", "raspi3b", ...given({ kernel, initrd, dtb: deviceTree })],
    // QEMU takes the start of this watchdog for its end, and resets at once.
    ...["-append", `${commandLine} systemd.watchdog_sec=0 ${words}`],
    // An address from a vendor's range, as its own has: with a made-up one it would be usb0.
    ...(network === false ? [] : ["-device", "usb-net,netdev=net,mac=b8:27:eb:00:00:01"]),
    // The first serial port has the Bluetooth chip at its other end.
    ...["-serial", "null", "-serial", "chardev:shell"],
  ];
}

/** An option for each file that there is. */
function given(files: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(files).flatMap(([name, file]) => (file ? [`-${name}`, file] : []));
}
