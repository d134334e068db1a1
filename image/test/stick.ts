import { execFileSync } from "node:child_process";
import { rmSync, truncateSync, writeFileSync } from "node:fs";

const SECTOR = 512;
const FIRST_SECTOR = 2_048;
const MIB = 1024 ** 2;

interface StickOptions {
  /** `fat`: FAT32 in a partition, as most sticks are sold; the others without a table. */
  readonly kind?: "fat" | "exfat" | "ext2" | "ext4";
  readonly mebibytes?: number;
  /** Files that are on it from the beginning; FAT only. */
  readonly files?: readonly string[];
  /** The room that another file leaves; FAT only. */
  readonly leftBytes?: number;
}

/** Makes a stick as a computer formats it. @returns its file */
export function makeStick(
  file: string,
  { kind = "fat", mebibytes = 2_048, files = [], leftBytes }: StickOptions,
): string {
  const sectors = (mebibytes * MIB) / SECTOR - FIRST_SECTOR;
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, { stdio: "pipe", encoding: "utf8" });
  writeFileSync(file, kind === "fat" ? tableOf(sectors) : "");
  truncateSync(file, mebibytes * MIB);
  if (kind === "exfat") run("mkfs.exfat", file);
  else if (kind !== "fat") run("mke2fs", "-q", "-t", kind, file);
  if (kind !== "fat") return file;
  const at = partitionOf(file);
  run("mformat", ...at, "-F", "-h", "255", "-s", "63", "-T", String(sectors), "::");
  for (const copied of files) run("mcopy", ...at, copied, "::");
  if (leftBytes !== undefined) {
    const free = /([\d ]+) bytes free/.exec(run("mdir", ...at, "::"))?.[1]?.replaceAll(" ", "");
    writeFileSync(`${file}.filler`, "");
    truncateSync(`${file}.filler`, Number(free) - leftBytes);
    run("mcopy", ...at, `${file}.filler`, "::filler");
    rmSync(`${file}.filler`);
  }
  return file;
}

/** The names of the files on a stick with FAT, with their folders, sorted. */
export function filesOn(stick: string): string[] {
  const listed = execFileSync("mdir", [...partitionOf(stick), "-/", "-b", "::"], {
    encoding: "utf8",
  });
  return listed
    .split("\n")
    .flatMap((line) => /^::\/(.*[^/])$/.exec(line)?.[1] ?? [])
    .sort();
}

function partitionOf(file: string): [string, string] {
  return ["-i", `${file}@@${FIRST_SECTOR * SECTOR}`];
}

function tableOf(sectors: number): Buffer {
  const table = Buffer.alloc(SECTOR);
  // One partition, FAT32 by its type.
  table.writeUInt8(0x0c, 446 + 4);
  table.writeUInt32LE(FIRST_SECTOR, 446 + 8);
  table.writeUInt32LE(sectors, 446 + 12);
  table.writeUInt16LE(0xaa55, 510);
  return table;
}
