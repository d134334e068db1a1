import { execFileSync } from "node:child_process";
import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const SECTOR = 512;

/** The boot partition of a disk image, read and written from outside with mtools. */
export class BootPartition {
  readonly #at: string;

  constructor(image: string) {
    const table = firstSector(image);
    this.#at = `${image}@@${table.readUInt32LE(446 + 8) * SECTOR}`;
  }

  /** Undefined when there is no such file. */
  read(file: string): Buffer | undefined {
    const folder = mkdtempSync(join(tmpdir(), "tallydeck-fat-"));
    try {
      this.#mtools("mcopy", "-n", `::${file}`, join(folder, "file"));
      return readFileSync(join(folder, "file"));
    } catch {
      return undefined;
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  write(file: string, content: string | Uint8Array): void {
    const folder = mkdtempSync(join(tmpdir(), "tallydeck-fat-"));
    writeFileSync(join(folder, "file"), content);
    this.#mtools("mcopy", "-o", join(folder, "file"), `::${file}`);
    rmSync(folder, { recursive: true });
  }

  #mtools(program: string, ...args: readonly string[]): void {
    const env = { ...process.env, MTOOLS_SKIP_CHECK: "1" };
    execFileSync(program, ["-i", this.#at, ...args], { env, stdio: "pipe" });
  }
}

function firstSector(image: string): Buffer {
  const file = openSync(image, "r");
  const sector = Buffer.alloc(SECTOR);
  readSync(file, sector, 0, SECTOR, 0);
  closeSync(file);
  return sector;
}
