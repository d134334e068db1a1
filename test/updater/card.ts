import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Release, Slot } from "../../appliance/release/release.ts";
import type { Told } from "../../appliance/release/told.ts";
import { withSlot } from "../../appliance/updater/boot-config.ts";
import type { Box } from "../../appliance/updater/box.ts";
import { type Journal, readJournal } from "../../appliance/updater/journal.ts";
import { startUp } from "../../appliance/updater/starting.ts";

export const OLD: Release = { release: 11, version: "0.2.0" };
export const NEXT: Release = { release: 12, version: "0.3.0" };
const CONFIG = "# Anna's\r\narm_64bit=1\r\n[pi4]\r\narm_boost=1\r\n";
const PARTITION = { a: "02", b: "03" };

/** A card with a release in slot a, and the board that it is in; a folder has what is on it. */
export class Card {
  readonly root = mkdtempSync(join(tmpdir(), "tallydeck-card-"));
  /** What ran, in order. */
  readonly ran: string[] = [];
  boot = "boot-1";
  #running: Slot = "a";
  #now = 1_795_000_000;

  constructor() {
    this.write("boot/firmware/config.txt", withSlot(CONFIG, "a"));
    this.putSlot("a", OLD);
    mkdirSync(join(this.root, "data/system"), { recursive: true });
    this.start("a");
  }

  remove(): void {
    rmSync(this.root, { recursive: true });
  }

  /** Power on: the system of a slot starts with nothing in memory. */
  start(slot: Slot): void {
    this.#running = slot;
    this.boot = `boot-${Math.random()}`;
    rmSync(join(this.root, "run"), { recursive: true, force: true });
    mkdirSync(join(this.root, "run/tallydeck-update/asked"), { recursive: true });
    this.write("etc/tallydeck-release", this.read(`boot/firmware/${slot}/release`));
  }

  /** The same, and what every start does. */
  async startUp(slot: Slot): Promise<Told> {
    this.start(slot);
    await startUp(this.box());
    return this.told();
  }

  box(): Box {
    return {
      root: this.root,
      commandLine: `quiet root=PARTUUID=7a11dec4-${PARTITION[this.#running]} ro\n`,
      boot: this.boot,
      run: (program, ...args) => void this.ran.push([program, ...args].join(" ")),
      now: () => this.#now++,
      newId: () => "attempt",
      deviceOf: (slot) => join(this.root, `dev/slot-${slot}`),
      fromCard: async function* (path) {
        yield readFileSync(path);
      },
    };
  }

  told(): Told {
    return JSON.parse(this.read("run/tallydeck-update/state.json")) as Told;
  }

  journal(): Journal {
    return readJournal(this.box());
  }

  config(): string {
    return this.read("boot/firmware/config.txt");
  }

  write(path: string, content: string | Uint8Array): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), content);
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), "latin1");
  }

  putSlot(slot: Slot, { release, version }: Release): void {
    this.write(
      `boot/firmware/${slot}/release`,
      `RELEASE=${release}\nVERSION=${version}\nCOMMIT=c0ffee\n`,
    );
  }
}
