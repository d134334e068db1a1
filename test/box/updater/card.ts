import { createHash } from "node:crypto";
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
import { dirname, join } from "node:path";
import type { Manifest } from "../../../appliance/base/release/manifest.ts";
import type { Release, Slot } from "../../../appliance/base/release/release.ts";
import type {
  UpdaterRequest,
  UpdaterState,
} from "../../../appliance/base/release/updater-state.ts";
import { commandLine } from "../../../appliance/base/system/program.ts";
import { boot } from "../../../appliance/box/updater/boot.ts";
import { configWithSlot, slotOfConfig } from "../../../appliance/box/updater/boot-partition.ts";
import type { Box } from "../../../appliance/box/updater/box.ts";
import { type Journal, readJournal } from "../../../appliance/box/updater/journal.ts";
import { keep } from "../../../appliance/box/updater/keep.ts";
import { answerRequests } from "../../../appliance/box/updater/requests.ts";
import type { Minisign } from "../../helpers/minisign.ts";
import { bootFiles, madeRelease, packedBoot } from "../../helpers/release.ts";

export const OLD: Release = { release: 11, version: "0.2.0" };
export const NEXT: Release = { release: 12, version: "0.3.0" };
export const THIRD: Release = { release: 13, version: "0.3.1" };
const CONFIG = "# Anna's\r\narm_64bit=1\r\n[pi4]\r\narm_boost=1\r\n";
const PARTITION = { a: "02", b: "03" };
export const SERVICES = "data/tallydeck-updates/bundle";
const PIECE = 65_536;
const ROOT_BYTES = 150_000;

/** Thousands of small files are written one after the other: a disk would take minutes. */
const MEMORY = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** The root of a release; each has another. */
function rootOf({ release }: Pick<Release, "release">): Buffer<ArrayBuffer> {
  return Buffer.alloc(ROOT_BYTES, `root of ${release}, `);
}

/** A release whose parts tell whose they are. */
export function made(signer: Minisign, release: Release, said: Partial<Manifest> = {}) {
  const boot = packedBoot(bootFiles(release));
  return madeRelease(signer, { ...release, ...said }, { root: rootOf(release), boot });
}

/** A card with a release in slot a, and the board that it is in; a folder has what is on it. */
export class Card {
  readonly root = mkdtempSync(join(MEMORY, "tallydeck-card-"));
  /** Programs that ran, in order. */
  readonly ran: string[] = [];
  /** Whether the board keeps the wish for a trial over a reset. */
  canTry: boolean | "unsaid" = true;
  /** The lock, which is always free. */
  lock: Box["lock"] = async () => () => {};
  slotBytes = 262_144;
  boot = "";
  /** `Facts` of a healthy box. With undefined, looking at the box fails. */
  facts: unknown = {
    control: null,
    failed: [],
    interfaces: [{ name: "eth0", hasAddress: true, isUnplugged: false }],
    usb: { hosts: 1, devices: [] },
  };
  /** Bytes free on either partition. */
  readonly room = { boot: 1e9, data: 1e9 };
  running: Slot = "a";
  #isArmed = false;
  #now = 1_795_000_000;
  #starts = 0;

  constructor(key = "") {
    this.write("boot/firmware/config.txt", configWithSlot(CONFIG, "a"));
    this.putSlot("a", OLD);
    this.write("dev/slot-b", Buffer.alloc(this.slotBytes));
    this.write("usr/share/tallydeck/keys/1.pub", key);
    this.write("sys/firmware/devicetree/base/compatible", "raspberrypi,4-model-b\0brcm,bcm2711\0");
    mkdirSync(join(this.root, "data/system"), { recursive: true });
    this.start("a");
  }

  remove(): void {
    rmSync(this.root, { recursive: true });
  }

  /** Power on: the system of a slot starts with nothing in memory. */
  start(slot: Slot): void {
    this.running = slot;
    this.boot = `boot-${++this.#starts}`;
    rmSync(join(this.root, "run"), { recursive: true, force: true });
    mkdirSync(join(this.root, "run/tallydeck-update/asked"), { recursive: true });
    this.write("etc/tallydeck-release", this.read(`boot/firmware/${slot}/release`));
  }

  /** The same, and what every start does. */
  async bootSlot(slot: Slot): Promise<UpdaterState> {
    this.start(slot);
    await boot(this.box());
    return this.state();
  }

  /** As the firmware starts it after a reset, or after the power went, which loses what was armed. */
  async powerOn({ wasCut = false } = {}): Promise<UpdaterState> {
    const tryboot = join(this.root, "boot/firmware/tryboot.txt");
    const isTrial = this.#isArmed && !wasCut && existsSync(tryboot);
    this.#isArmed = false;
    const slot = slotOfConfig(isTrial ? readFileSync(tryboot, "latin1") : this.config());
    if (slot === undefined) throw new Error("The firmware finds no system.");
    return await this.bootSlot(slot);
  }

  async request(ask: UpdaterRequest, release = ""): Promise<UpdaterState> {
    this.write(`run/tallydeck-update/asked/${ask}`, String(release));
    await answerRequests(this.box());
    return this.state();
  }

  /** A release is downloaded, written, started, and well. */
  async update(signer: Minisign, release: Release): Promise<void> {
    this.putBundle(made(signer, release));
    await this.request("prepare", String(release.release));
    await this.request("arm", String(release.release));
    await this.powerOn();
    await keep(this.box());
  }

  box(): Box {
    return {
      root: this.root,
      commandLine: `quiet root=PARTUUID=7a11dec4-${PARTITION[this.running]} ro\n`,
      boot: this.boot,
      run: (program, own, values) => this.run([program, ...commandLine(own, values)].join(" ")),
      warn: () => {},
      now: () => this.#now++,
      newId: () => "attempt",
      slotAt: (slot) => ({ path: join(this.root, `dev/slot-${slot}`), bytes: this.slotBytes }),
      freeBytes: (folder) => this.room[folder.includes("/boot") ? "boot" : "data"],
      lock: (seconds) => this.lock(seconds),
      fromCard: async function* (path) {
        const bytes = readFileSync(path);
        for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
      },
    };
  }

  run(command: string): void {
    this.ran.push(command.replaceAll(this.root, ""));
    if (command === "systemctl start tallydeck-facts.service") this.#look();
    if (command !== "systemctl start tallydeck-arm.service") return;
    this.#isArmed = this.canTry !== false;
    if (this.canTry !== true) throw new Error("exit 1");
  }

  #look(): void {
    if (this.facts === undefined) throw new Error("exit 1");
    this.write("run/tallydeck-update/facts.json", JSON.stringify(this.facts));
  }

  state(): UpdaterState {
    return JSON.parse(this.read("run/tallydeck-update/state.json")) as UpdaterState;
  }

  journal(): Journal {
    return readJournal(this.box());
  }

  config(): string {
    return this.read("boot/firmware/config.txt");
  }

  hasTryboot(): boolean {
    return existsSync(join(this.root, "boot/firmware/tryboot.txt"));
  }

  /** Whether all that a board starts from there is what the release brought. */
  isWhole(slot: Slot, release: Release): boolean {
    const folder = join(this.root, "boot/firmware", slot);
    const files = bootFiles(release).map(({ name, content }): [string, string] => [
      name,
      Buffer.from(content).toString("latin1").replace("7a11dec4-02", `7a11dec4-${PARTITION[slot]}`),
    ]);
    const sum = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
    const root = readFileSync(join(this.root, `dev/slot-${slot}`)).subarray(0, ROOT_BYTES);
    return (
      existsSync(folder) &&
      readdirSync(folder).length === files.length &&
      files.every(([name, content]) => this.read(`boot/firmware/${slot}/${name}`) === content) &&
      sum(root) === sum(rootOf(release))
    );
  }

  write(path: string, content: string | Uint8Array): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), content);
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), "latin1");
  }

  /** As it was flashed there. */
  putSlot(slot: Slot, release: Release): void {
    for (const { name, content } of bootFiles(release)) {
      const text = Buffer.from(content).toString("latin1");
      const own = text.replace("7a11dec4-02", `7a11dec4-${PARTITION[slot]}`);
      this.write(`boot/firmware/${slot}/${name}`, own);
    }
    this.write(`dev/slot-${slot}`, Buffer.concat([rootOf(release)], this.slotBytes));
  }

  /** As the service downloads it. */
  putBundle({ manifest, signature, boot, root }: ReturnType<typeof made>, folder = SERVICES): void {
    this.write(`${folder}/manifest.json`, manifest);
    this.write(`${folder}/manifest.json.minisig`, signature);
    this.write(`${folder}/boot.tar.zst`, boot);
    this.write(`${folder}/root.img`, root);
  }
}
