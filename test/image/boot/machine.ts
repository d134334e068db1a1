import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { BOARDS, bootFiles } from "../../../image/boot-lint.ts";
import { BootPartition } from "./fat.ts";
import { Shell } from "./shell.ts";

/** What the card is larger than the image, so that the data partition has room to grow. */
const CARD_BYTES = 4 * 1024 ** 3;

/** A copy of an image on a card of its own, in a folder of its own. */
export class Card {
  readonly folder: string;
  readonly file: string;
  readonly boot: BootPartition;

  constructor(image: string, folder: string) {
    mkdirSync(folder, { recursive: true });
    this.folder = folder;
    this.file = join(folder, "card.img");
    execFileSync("cp", ["--sparse=always", image, this.file]);
    truncateSync(this.file, CARD_BYTES);
    this.boot = new BootPartition(this.file);
  }
}

export interface MachineOptions {
  /** False: no network card at all. */
  readonly network?: boolean;
  /** Further words for the kernel. */
  readonly commandLine?: string;
}

/**
 * QEMU's `virt` machine on a card: kernel, initrd and command line are those a Raspberry Pi 4 would
 * take from the boot partition. Connections to `collectorPort` and `controlPort` reach 80 and 3000.
 */
export class Machine {
  readonly collectorPort: number;
  readonly controlPort: number;
  /** Where a deck is plugged in. */
  readonly usb: string;
  readonly shell: Shell;
  readonly #card: Card;
  readonly #qemu: ChildProcess;

  private constructor(
    card: Card,
    qemu: ChildProcess,
    shell: Shell,
    ports: readonly [number, number],
  ) {
    this.#card = card;
    this.#qemu = qemu;
    this.shell = shell;
    this.usb = join(card.folder, "usb.sock");
    [this.collectorPort, this.controlPort] = ports;
  }

  static async start(card: Card, options: MachineOptions = {}): Promise<Machine> {
    const ports: [number, number] = [await freePort(), await freePort()];
    const log = openSync(join(card.folder, "qemu.log"), "a");
    const args = machineArguments(card, ports, options);
    const qemu = spawn("qemu-system-aarch64", args, { stdio: ["ignore", log, log] });
    // However this test ends, no machine stays behind.
    process.once("exit", () => qemu.kill("SIGKILL"));
    closeSync(log);
    const shell = await Shell.open(join(card.folder, "shell.sock"), () => qemu.exitCode === null);
    return new Machine(card, qemu, shell, ports);
  }

  /** What the kernel and the boot said on the serial line, of all starts. */
  get console(): string {
    return readFileSync(join(this.#card.folder, "console.log"), "utf8");
  }

  /** Pulls the plug. */
  async cutPower(): Promise<void> {
    this.shell.close();
    if (this.#qemu.exitCode !== null || this.#qemu.signalCode !== null) return;
    this.#qemu.kill("SIGKILL");
    await once(this.#qemu, "exit");
  }

  /** Shuts down as `systemctl poweroff` does, and waits for it. */
  async shutDown(): Promise<void> {
    const gone = once(this.#qemu, "exit");
    await this.shell.run("systemctl poweroff --no-block");
    await gone;
    this.shell.close();
  }
}

function machineArguments(
  card: Card,
  [collector, control]: readonly [number, number],
  { network = true, commandLine = "" }: MachineOptions,
): string[] {
  const { folder, file } = card;
  const files = filesOf(card);
  const sockets = `hostfwd=tcp:127.0.0.1:${collector}-:80,hostfwd=tcp:127.0.0.1:${control}-:3000`;
  return [
    ...["-M", "virt", "-cpu", "cortex-a72", "-smp", "2", "-m", "1024"],
    ...["-accel", "tcg,thread=multi", "-display", "none", "-no-reboot"],
    ...["-kernel", files.kernel, "-initrd", files.initrd],
    "-append",
    `${files.commandLine} console=ttyAMA0 systemd.debug_shell=hvc0 ${commandLine}`,
    ...["-drive", `if=none,id=card,file=${file},format=raw,cache=writethrough`],
    ...["-device", "virtio-blk-pci,drive=card,romfile="],
    ...(network
      ? ["-netdev", `user,id=net,${sockets}`, "-device", "virtio-net-pci,netdev=net,romfile="]
      : ["-nic", "none"]),
    ...["-device", "virtio-rng-pci", "-device", "qemu-xhci"],
    ...["-chardev", `socket,id=deck,path=${folder}/usb.sock,server=on,wait=off`],
    ...["-device", "usb-redir,chardev=deck"],
    ...["-device", "virtio-serial-pci"],
    ...["-chardev", `socket,id=shell,path=${folder}/shell.sock,server=on,wait=off`],
    ...["-device", "virtconsole,chardev=shell"],
    ...["-chardev", `file,id=console,path=${folder}/console.log,append=on`],
    ...["-serial", "chardev:console"],
  ];
}

/** The files a Pi 4 starts with, by its config.txt, copied out of the boot partition. */
function filesOf({ boot, folder }: Card): { kernel: string; initrd: string; commandLine: string } {
  const board = BOARDS.find(({ name }) => name === "4 B");
  if (board === undefined) throw new Error("the linter knows no Pi 4");
  const text = (file: string) => (boot.read(file) ?? missing(file)).toString("utf8");
  const named = bootFiles(text("config.txt"), board, (file) => boot.read(file) !== undefined);
  const copy = (file: string) => {
    const path = join(folder, file);
    writeFileSync(path, boot.read(file) ?? missing(file));
    return path;
  };
  return {
    kernel: copy(named.kernel),
    initrd: copy(named.initrd),
    commandLine: text(named.commandLine).trim(),
  };
}

function missing(file: string): never {
  throw new Error(`${file}, which config.txt names, is not on the boot partition`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}
