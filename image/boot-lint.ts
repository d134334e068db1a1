/**
 * Reads a boot partition as each Raspberry Pi's firmware does and tells what it would not find. Run:
 * node image/boot-lint.ts FOLDER
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

interface Board {
  readonly name: string;
  /** Filters of config.txt that hold on it, beside `all`. */
  readonly filters: readonly string[];
  /** Device trees its firmware looks for, best first, with `upstream_kernel=1`. */
  readonly deviceTrees: readonly string[];
  /** Firmware it loads from the card; a Pi 5 has its own in a flash chip. */
  readonly firmware: readonly string[];
}

const VIDEOCORE_4 = ["bootcode.bin", "start.elf", "fixup.dat"];
const VIDEOCORE_6 = ["start4.elf", "fixup4.dat"];

/** MB. With less, the firmware's cut-down files are loaded (config.txt documentation, gpu_mem). */
const LEAST_GPU_MEM = 32;
const CUT_DOWN: ReadonlyMap<string, string> = new Map([
  ["start.elf", "start_cd.elf"],
  ["fixup.dat", "fixup_cd.dat"],
  ["start4.elf", "start4cd.elf"],
  ["fixup4.dat", "fixup4cd.dat"],
]);

export const BOARDS: readonly Board[] = [
  board("Zero 2 W", ["pi0", "pi02"], ["bcm2837-rpi-zero-2-w.dtb"], VIDEOCORE_4),
  board("3 B", ["pi3"], ["bcm2837-rpi-3-b.dtb"], VIDEOCORE_4),
  board("3 B+", ["pi3", "pi3+"], ["bcm2837-rpi-3-b-plus.dtb"], VIDEOCORE_4),
  board("3 A+", ["pi3", "pi3+"], ["bcm2837-rpi-3-a-plus.dtb"], VIDEOCORE_4),
  board("4 B", ["pi4"], ["bcm2711-rpi-4-b.dtb"], VIDEOCORE_6),
  board("400", ["pi4", "pi400"], ["bcm2711-rpi-400.dtb"], VIDEOCORE_6),
  board("5", ["pi5"], ["bcm2712-rpi-5-b.dtb"], []),
  board("5 (D0)", ["pi5"], ["bcm2712d0-rpi-5-b.dtb", "bcm2712-rpi-5-b.dtb"], []),
];

function board(
  name: string,
  filters: readonly string[],
  deviceTrees: readonly string[],
  firmware: readonly string[],
): Board {
  return { name, filters, deviceTrees, firmware };
}

/** What config.txt says to one board. */
type BootSettings = ReadonlyMap<string, string>;

/**
 * config.txt as the firmware reads it: `[piN]` filters replace each other, `[all]` lifts them, other
 * kinds of filter (`[HDMI:0]`, `[gpio4=1]`, a serial number) are taken not to hold; the last of a
 * repeated key wins; `initramfs NAME ADDRESS` has no `=`.
 */
export function bootSettings(config: string, { filters }: Pick<Board, "filters">): BootSettings {
  const settings = new Map<string, string>();
  let holds = true;
  for (const raw of config.split(/\r?\n/)) {
    const line = raw.replace(/#.*/, "").trim();
    const filter = /^\[(.*)\]$/.exec(line)?.[1]?.toLowerCase();
    if (filter !== undefined) holds = filter === "all" || filters.includes(filter);
    else if (holds && line !== "") {
      const [, key = "", value = ""] = /^([^=\s]+)[=\s]\s*(.*)$/.exec(line) ?? [];
      if (key !== "") settings.set(key, value);
    }
  }
  return settings;
}

interface BootFiles {
  readonly kernel: string;
  readonly initrd: string;
  readonly deviceTree: string;
  readonly commandLine: string;
  readonly firmware: readonly string[];
}

/** The files a board boots with; names the first device tree that is there. */
export function bootFiles(
  config: string,
  board: Board,
  isThere: (file: string) => boolean,
): BootFiles {
  const settings = bootSettings(config, board);
  const isCutDown = Number(settings.get("gpu_mem") ?? LEAST_GPU_MEM) < LEAST_GPU_MEM;
  return {
    kernel: settings.get("kernel") ?? "kernel8.img",
    initrd: settings.get("initramfs")?.split(/\s+/)[0] ?? "",
    deviceTree:
      settings.get("device_tree") ?? board.deviceTrees.find(isThere) ?? board.deviceTrees[0] ?? "",
    commandLine: settings.get("cmdline") ?? "cmdline.txt",
    firmware: board.firmware.map((file) => (isCutDown && CUT_DOWN.get(file)) || file),
  };
}

/** @returns a sentence for each thing that would keep a board from starting */
export function lintBoot(
  config: string,
  commandLine: string,
  sizeOf: (file: string) => number | undefined,
): string[] {
  const problems = BOARDS.flatMap((board) => {
    const files = bootFiles(config, board, (file) => sizeOf(file) !== undefined);
    const settings = bootSettings(config, board);
    const needed = [files.kernel, files.initrd, files.deviceTree, files.commandLine];
    const missing = [...needed, ...files.firmware].filter((file) => !sizeOf(file));
    return [
      ...missing.map((file) => `Pi ${board.name}: ${file || "an initramfs line"} is not there.`),
      ...(settings.get("arm_64bit") === "1" || board.filters.includes("pi5")
        ? []
        : [`Pi ${board.name}: arm_64bit=1 is missing, and the kernel has 64 bits.`]),
    ];
  });
  if (commandLine.trimEnd().includes("\n"))
    problems.push("cmdline.txt has more than one line: the firmware takes the first only.");
  if (!/(?:^| )root=\S+/.test(commandLine)) problems.push("cmdline.txt names no root.");
  return problems;
}

function main(folder: string | undefined): number {
  if (folder === undefined) {
    console.error("Usage: node image/boot-lint.ts FOLDER");
    return 2;
  }
  const read = (file: string) => readFileSync(join(folder, file), "utf8");
  const sizeOf = (file: string) =>
    file === "" ? undefined : statSync(join(folder, file), { throwIfNoEntry: false })?.size;
  const problems = lintBoot(read("config.txt"), read("cmdline.txt"), sizeOf);
  for (const board of BOARDS) {
    const files = bootFiles(read("config.txt"), board, (file) => existsSync(join(folder, file)));
    console.log(
      `Pi ${board.name.padEnd(8)}  ${files.kernel}  ${files.initrd}  ${files.deviceTree}  ${files.firmware.join(" ")}`,
    );
  }
  for (const problem of problems) console.error(problem);
  return problems.length === 0 ? 0 : 1;
}

if (import.meta.main) process.exitCode = main(process.argv[2]);
