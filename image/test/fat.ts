import { execFileSync } from "node:child_process";
import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const SECTOR = 512;

/** The place of a partition in a disk image, in sectors; `number` as Linux counts them. */
export function partition(image: string, number: number): { from: number; to: number } {
  const entry = entryOf(number);
  const table = firstSector(image);
  const from = table.readUInt32LE(entry + 8);
  return { from, to: from + table.readUInt32LE(entry + 12) };
}

/** Makes a partition smaller; where the others are stays. */
export function shrink(image: string, number: number, bytes: number): void {
  const table = firstSector(image);
  table.writeUInt32LE(bytes / SECTOR, entryOf(number) + 12);
  writeFirstSector(image, table);
}

/** Copies sectors from one file to another. @param where the words of dd for that, like `count=4` */
export function copySectors(from: string, to: string, ...where: readonly string[]): void {
  execFileSync("dd", [`if=${from}`, `of=${to}`, `bs=${SECTOR}`, "status=none", ...where]);
}

/** The place of a partition's entry in the table of a disk, which has four. */
export function entryOf(number: number): number {
  return 446 + (number - 1) * 16;
}

/** The boot partition of a disk image, read and written from outside with mtools. */
export class BootPartition {
  readonly #at: string;

  constructor(image: string) {
    this.#at = `${image}@@${partition(image, 1).from * SECTOR}`;
  }

  /** Undefined when there is no such file. */
  readonly read = (file: string): Buffer | undefined => {
    const folder = mkdtempSync(join(tmpdir(), "tallydeck-fat-"));
    try {
      this.#mtools("mcopy", "-n", `::${file}`, join(folder, "file"));
      return readFileSync(join(folder, "file"));
    } catch {
      return undefined;
    } finally {
      rmSync(folder, { recursive: true });
    }
  };

  /** Whether there is such a file. */
  readonly has = (file: string): boolean => {
    try {
      this.#mtools("mattrib", `::${file}`);
      return true;
    } catch {
      return false;
    }
  };

  write(file: string, content: string | Uint8Array): void {
    const folder = mkdtempSync(join(tmpdir(), "tallydeck-fat-"));
    writeFileSync(join(folder, "file"), content);
    this.#mtools("mcopy", "-o", join(folder, "file"), `::${file}`);
    rmSync(folder, { recursive: true });
  }

  /** The names in a folder, sorted. */
  list(folder: string): string[] {
    const out = this.#mtools("mdir", "-b", `::${folder}`);
    const names = out.split("\n").flatMap((line) => /([^/\s]+)\/?\s*$/.exec(line)?.[1] ?? []);
    return names.sort();
  }

  /** Copies a folder's files, and those in its folders, into one of this machine. */
  copyOut(folder: string, to: string): void {
    this.#mtools("mcopy", "-s", "-n", "-m", `::${folder}/*`, to);
  }

  /** Copies a file of this machine into the root, under its name. */
  copyIn(file: string): void {
    this.#mtools("mcopy", "-o", file, "::");
  }

  remove(file: string): void {
    this.#mtools("mdel", `::${file}`);
  }

  #mtools(program: string, ...args: readonly string[]): string {
    const env = { ...process.env, MTOOLS_SKIP_CHECK: "1" };
    return execFileSync(program, ["-i", this.#at, ...args], {
      env,
      stdio: "pipe",
      encoding: "utf8",
    });
  }
}

/** The sector with the table. */
export function firstSector(image: string): Buffer {
  const file = openSync(image, "r");
  const sector = Buffer.alloc(SECTOR);
  readSync(file, sector, 0, SECTOR, 0);
  closeSync(file);
  return sector;
}

export function writeFirstSector(image: string, sector: Buffer): void {
  const file = openSync(image, "r+");
  writeSync(file, sector, 0, SECTOR, 0);
  closeSync(file);
}
