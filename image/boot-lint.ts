/**
 * Reads a boot partition as each Raspberry Pi's firmware does, and prints the files it would not find. Run:
 * node image/boot-lint.ts FOLDER
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { otherSlot, parseRelease, ROOTS, type Slot } from "../appliance/base/release/release.ts";

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

/** The settings of config.txt that hold for one board. */
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

export interface BootFiles {
  readonly kernel: string;
  readonly initrd: string;
  readonly deviceTree: string;
  readonly commandLine: string;
  readonly firmware: readonly string[];
}

/** The filter that a jumper on pins 5 and 6 makes hold. */
const JUMPER = "gpio3=0";

export function withJumper(board: Board): Board {
  return { ...board, filters: [...board.filters, JUMPER] };
}

/**
 * The files that a board boots with; of the device trees, the first one that exists. `os_prefix` is put before all files
 * but the firmware's own. It is ignored where kernel and tree are missing with it, and exist without it.
 */
export function bootFiles(
  config: string,
  board: Board,
  isThere: (file: string) => boolean,
): BootFiles {
  const settings = bootSettings(config, board);
  const isCutDown = Number(settings.get("gpu_mem") ?? LEAST_GPU_MEM) < LEAST_GPU_MEM;
  const kernel = settings.get("kernel") ?? "kernel8.img";
  const named = settings.get("device_tree");
  const treeWith = (prefix: string) => {
    const trees = (named === undefined ? board.deviceTrees : [named]).map((file) => prefix + file);
    return trees.find(isThere) ?? trees[0] ?? "";
  };
  const isWhole = (prefix: string) => isThere(prefix + kernel) && isThere(treeWith(prefix));
  const asked = settings.get("os_prefix") ?? "";
  const prefix = !isWhole(asked) && isWhole("") ? "" : asked;
  const initrd = settings.get("initramfs")?.split(/\s+/)[0];
  return {
    kernel: prefix + kernel,
    initrd: initrd === undefined ? "" : prefix + initrd,
    deviceTree: treeWith(prefix),
    commandLine: prefix + (settings.get("cmdline") ?? "cmdline.txt"),
    firmware: board.firmware.map((file) => (isCutDown && CUT_DOWN.get(file)) || file),
  };
}

const SLOTS: readonly Slot[] = ["a", "b"];
/** The most bytes of a line of config.txt. The firmware cuts longer ones. */
const LONGEST_LINE = 98;

/** A boot partition. Both functions return undefined, or 0, for a missing file or an empty folder. */
interface BootFolder {
  readonly read: (file: string) => string | undefined;
  readonly sizeOf: (file: string) => number | undefined;
}

/** Several folders as one: the first that has a file wins. */
export function bootFolder(...folders: readonly string[]): BootFolder {
  const find = (file: string) =>
    folders.map((folder) => join(folder, file)).find((path) => existsSync(path));
  return {
    read: (file) => {
      const path = find(file);
      return path === undefined ? undefined : readFileSync(path, "utf8");
    },
    sizeOf: (file) => {
      const path = find(file);
      if (path === undefined) return undefined;
      return file.endsWith("/") ? readdirSync(path).length : statSync(path).size;
    },
  };
}

/** @returns a sentence for each thing that would keep a board from starting */
export function lintBoot(folder: BootFolder): string[] {
  const slots = SLOTS.filter((slot) => folder.sizeOf(`${slot}/`));
  const config = folder.read("config.txt");
  const trial = folder.read("tryboot.txt");
  return [
    ...(config === undefined ? ["config.txt is not there."] : lintConfig(config, slots, folder)),
    ...(trial === undefined ? [] : lintConfig(trial, slots, folder)).map(
      (problem) => `tryboot.txt: ${problem}`,
    ),
    ...slots.flatMap((slot) => lintSlot(slot, folder)),
  ];
}

function lintConfig(config: string, slots: readonly Slot[], folder: BootFolder): string[] {
  const long = config
    .split(/\r?\n/)
    .filter((line) => !line.startsWith("#") && Buffer.byteLength(line) > LONGEST_LINE);
  return [
    ...long.map((line) => `More than ${LONGEST_LINE} bytes are in the line ${line}`),
    ...BOARDS.flatMap((board) => {
      const jumped = withJumper(board);
      const [slot, other] = [slotOf(config, board), slotOf(config, jumped)];
      if (slot === undefined || other !== otherSlot(slot))
        return [`Pi ${board.name}: os_prefix= is not a/ and with the jumper b/, nor the reverse.`];
      return [
        ...lintBoard(config, board, folder),
        // On a fresh card there is no other system yet.
        ...(slots.includes(other) ? lintBoard(config, jumped, folder) : []),
      ];
    }),
  ];
}

function slotOf(config: string, board: Board): Slot | undefined {
  const prefix = bootSettings(config, board).get("os_prefix");
  return SLOTS.find((slot) => prefix === `${slot}/`);
}

function lintBoard(config: string, board: Board, { sizeOf }: BootFolder): string[] {
  const files = bootFiles(config, board, (file) => sizeOf(file) !== undefined);
  const settings = bootSettings(config, board);
  const needed = [files.kernel, files.initrd, files.deviceTree, files.commandLine];
  const missing = [...needed, ...files.firmware].filter((file) => file === "" || !sizeOf(file));
  return [
    ...missing.map((file) => `Pi ${board.name}: ${file || "an initramfs line"} is not there.`),
    ...(settings.get("arm_64bit") === "1" || board.filters.includes("pi5")
      ? []
      : [`Pi ${board.name}: arm_64bit=1 is missing, and the kernel has 64 bits.`]),
  ];
}

function lintSlot(slot: Slot, { read }: BootFolder): string[] {
  const line = read(`${slot}/cmdline.txt`) ?? "";
  const root = /(?:^| )(root=\S+)/.exec(line)?.[1];
  return [
    ...(line.trimEnd().includes("\n")
      ? [`${slot}/cmdline.txt has more than one line: the firmware takes the first only.`]
      : []),
    ...(root === ROOTS[slot] ? [] : [`${slot}/cmdline.txt does not name ${ROOTS[slot]}.`]),
    ...(parseRelease(read(`${slot}/release`) ?? "") === undefined
      ? [`${slot}/release names no release.`]
      : []),
  ];
}

function main(folder: string | undefined): number {
  if (folder === undefined) {
    console.error("Usage: node image/boot-lint.ts FOLDER");
    return 2;
  }
  const card = bootFolder(folder);
  for (const board of BOARDS) {
    const isThere = (file: string) => card.sizeOf(file) !== undefined;
    const files = bootFiles(card.read("config.txt") ?? "", board, isThere);
    console.log(
      `Pi ${board.name.padEnd(8)}  ${files.kernel}  ${files.initrd}  ${files.deviceTree}  ${files.firmware.join(" ")}`,
    );
  }
  const problems = lintBoot(card);
  for (const problem of problems) console.error(problem);
  return problems.length === 0 ? 0 : 1;
}

if (import.meta.main) process.exitCode = main(process.argv[2]);
