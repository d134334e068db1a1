import { execFileSync } from "node:child_process";
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

/** Above what makes the store short of space. */
const EXT4_BYTES = 256 * 1024 * 1024;

/** The reason that own disks are impossible here; undefined when they are possible. */
export function whyNoDisks(): string | undefined {
  if (process.getuid?.() !== 0) return "mounting a disk needs root";
  try {
    Disk.inMemory(1).remove();
    run("losetup", "--find");
    return undefined;
  } catch {
    return "this machine has no loop device, or lets nobody mount";
  }
}

/** Skips the suite around it where own disks are impossible, and says why. */
export function needDisks(): void {
  before(function () {
    const reason = whyNoDisks();
    if (reason === undefined) return;
    console.log(`    skipped: ${reason}`);
    this.skip();
  });
}

/** A disk of the test's own, which fails as real ones do. */
export class Disk {
  /** The folder where it is mounted. */
  readonly folder: string;
  readonly #home: string;
  #devices: string[] = [];

  private constructor() {
    this.#home = mkdtempSync(join(tmpdir(), "tallydeck-disk-"));
    this.folder = join(this.#home, "mounted");
    mkdirSync(this.folder);
  }

  static inMemory(megabytes: number): Disk {
    const disk = new Disk();
    run("mount", "-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", disk.folder);
    return disk;
  }

  /** An ext4 disk, which writes by itself only every ten minutes what nobody synced. */
  static ext4(): Disk {
    const disk = new Disk();
    writeFileSync(disk.#image, "");
    truncateSync(disk.#image, EXT4_BYTES);
    run("mkfs.ext4", "-q", "-F", disk.#image);
    disk.#mount();
    return disk;
  }

  get #image(): string {
    return join(this.#home, "image");
  }

  #mount(): void {
    const device = run("losetup", "--find", "--show", this.#image);
    this.#devices.push(device);
    run("mount", "-o", "commit=600,errors=remount-ro", device, this.folder);
  }

  /** Takes all space that is left. */
  fill(): void {
    const filler = openSync(join(this.folder, "filler"), "w");
    try {
      for (;;) writeSync(filler, Buffer.alloc(4_096));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
    } finally {
      closeSync(filler);
    }
  }

  /** Gives back what `fill` took. */
  empty(): void {
    rmSync(join(this.folder, "filler"));
  }

  /** An error after which the kernel lets nobody write any more, as a worn card has. */
  wearOut(): void {
    const device = basename(this.#devices.at(-1) ?? "");
    writeFileSync(`/sys/fs/ext4/${device}/trigger_fs_error`, "1");
  }

  /** Lets nobody write, as the switch of a stick; false ends it. */
  lock(on = true): void {
    run("mount", "-o", `remount,${on ? "ro" : "rw"}`, this.folder);
  }

  /** Lets nobody write to one file, also those who have it open; false ends it. */
  protect(file: string, on = true): void {
    run("chattr", on ? "+i" : "-i", file);
  }

  /**
   * Power goes and comes back: what was not synced by now is gone. Who has files open must be
   * suspended before, and ended by `then`.
   */
  async cutPower(then: () => Promise<unknown>): Promise<void> {
    run("cp", "--sparse=always", this.#image, `${this.#image}-as-it-was`);
    await then();
    run("umount", this.folder);
    run("mv", `${this.#image}-as-it-was`, this.#image);
    this.#mount();
  }

  remove(): void {
    run("umount", "--lazy", this.folder);
    for (const device of this.#devices) run("losetup", "--detach", device);
    rmSync(this.#home, { recursive: true });
  }
}

function run(command: string, ...args: string[]): string {
  return execFileSync(command, args, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  }).trim();
}
