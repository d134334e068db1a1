import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync, statfsSync } from "node:fs";
import { dirname, join } from "node:path";
import { orWarn } from "../../base/message-of.ts";
import { parseRelease, type Release, type Slot, slotOfRoot } from "../../base/release/release.ts";
import { blockDeviceOf } from "../../base/system/block-device.ts";
import { sizeOf, textOf } from "../../base/system/files.ts";
import { type Run, runProgram, startProgram } from "../../base/system/program.ts";

/** The box for root's programs. Tests pass a folder, and stand-ins for everything beside files. */
export interface Box {
  /** The root of its files: `/`, or a folder. */
  readonly root: string;
  /** The kernel's. */
  readonly commandLine: string;
  /** Names this start of the machine. */
  readonly boot: string;
  readonly run: Run;
  /** Logs a problem to systemd's journal. */
  readonly warn: (line: string) => void;
  /** Epoch seconds. */
  readonly now: () => number;
  readonly newId: () => string;
  /** The partition of a slot. @throws {Error} when the card has none */
  readonly slotAt: (slot: Slot) => { readonly path: string; readonly bytes: number };
  /** Bytes that may still be written below a folder. */
  readonly freeBytes: (folder: string) => number;
  /**
   * Locks the updater's files against other programs of root's.
   * @returns a function that unlocks them; undefined when another program still has them after so many seconds
   */
  readonly lock: (seconds: number) => Promise<(() => void) | undefined>;
  /**
   * Reads a file or a partition from the card itself, and not from the page cache.
   */
  readonly fromCard: (path: string, bytes: number) => AsyncIterable<Uint8Array>;
}

/** The folder below the root. */
export const BOOT_FOLDER = "boot/firmware";
export const CONFIG = "boot/firmware/config.txt";
/** The file that the firmware reads instead of config.txt, once, after an armed restart. */
export const TRYBOOT = "boot/firmware/tryboot.txt";
export const JOURNAL = "data/system/update.json";
/** The starts of the release that is the rule, since it was last well. A clean shutdown removes it. */
export const STARTS = "data/system/starts";
export const STATE_FOLDER = "run/tallydeck-update";
/** The folder for requests of the service. Only it and root may write there. */
export const REQUESTS = "run/tallydeck-update/asked";
/** The service's release, which it may change at any time. */
export const SERVICE_BUNDLE = "data/tallydeck-updates/bundle";
/** Root's own, from a card or a stick. */
export const TAKEN_BUNDLE = "data/system/update";
/** The bundle while it is being copied. */
export const INCOMING_BUNDLE = "data/system/update.new";
/** Root's own copy of a release's boot files, while they are written. */
export const OWN_BOOT_PART = "data/system/update.boot";
/** The lock, by the name in the units. */
const LOCK = "run/tallydeck-update/lock";
/** The mark of a release on the boot partition of the card, since this start. */
export const CARD_WAITS = "run/tallydeck-update/card";
const RELEASE = "etc/tallydeck-release";

/** The partition number of each slot. */
const NUMBERS: Readonly<Record<Slot, string>> = { a: "2", b: "3" };

export function thisBox(): Box {
  // The sandbox hides it; systemd hands it over.
  const commandLine = join(process.env.CREDENTIALS_DIRECTORY ?? "/proc", "cmdline");
  return {
    root: "/",
    commandLine: readFileSync(commandLine, "utf8"),
    boot: process.env.BOOT_ID ?? "",
    run: runProgram,
    warn: console.error,
    now: () => Math.floor(Date.now() / 1000),
    newId: randomUUID,
    slotAt,
    freeBytes,
    lock: (seconds) => lockOf(`/${LOCK}`, seconds),
    fromCard,
  };
}

/** @throws {Error} when the root is none of the slots */
export function runningSlot({ commandLine }: Pick<Box, "commandLine">): Slot {
  const slot = slotOfRoot(commandLine);
  if (slot === undefined)
    throw new Error("This system does not run from a slot of a card with Tallydeck.");
  return slot;
}

/** @throws {Error} when the system does not say what it is */
export function runningRelease({ root }: Pick<Box, "root">): Release {
  const release = parseRelease(textOf(join(root, RELEASE)) ?? "");
  if (release === undefined) throw new Error(`This system names no release in /${RELEASE}.`);
  return release;
}

/** The release that is complete in a slot; undefined where there is none. */
export function releaseIn({ root }: Pick<Box, "root">, slot: Slot): Release | undefined {
  return parseRelease(textOf(join(root, BOOT_FOLDER, slot, "release")) ?? "");
}

export function keepLog({ run, warn }: Pick<Box, "run" | "warn">): void {
  orWarn(warn, "The log could not be kept", () =>
    run("systemctl", ["start", "tallydeck-keep-log.service"]),
  );
}

/** The patience with a release on trial, in milliseconds. */
interface Patience {
  /** Time for which the box has to be healthy without a break, and after which an unhealthy one is given up. */
  readonly steady: number;
  /** Counted from the start of the machine: until then it has to have been. */
  readonly within: number;
}

const DEFAULT: Patience = { steady: 120_000, within: 600_000 };

/** `tallydeck.trial=STEADY_S,WITHIN_S` on the kernel's command line, for tests. */
export function patienceOf({ commandLine }: Pick<Box, "commandLine">): Patience {
  const [, steady, within] = /(?:^|\s)tallydeck\.trial=(\d+),(\d+)(?:\s|$)/.exec(commandLine) ?? [];
  if (steady === undefined || within === undefined) return DEFAULT;
  return { steady: Number(steady) * 1_000, within: Number(within) * 1_000 };
}

/** Finds a slot on the boot partition's disk: another disk with the same image may be plugged in. */
function slotAt(slot: Slot): { path: string; bytes: number } {
  const boot = blockDeviceOf(`/${BOOT_FOLDER}`);
  if (boot === undefined) throw new Error("The boot partition is on no disk.");
  const disk = dirname(boot);
  const about = (name: string, what: string) => textOf(join(disk, name, what))?.trim();
  const name = readdirSync(disk).find((each) => about(each, "partition") === NUMBERS[slot]);
  if (name === undefined) throw new Error("This card has no place for a second system.");
  return { path: `/dev/${name}`, bytes: Number(about(name, "size")) * SECTOR };
}

/** The unit in which the kernel counts a partition. */
const SECTOR = 512;

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

const BLOCK = 4_096;

/** Reads with O_DIRECT, since the page cache has the bytes of a moment ago. It may return up to a block more. */
async function* fromCard(path: string, bytes: number): AsyncGenerator<Uint8Array> {
  // Past the memory, whole blocks only can be read.
  const count = Math.ceil(bytes / BLOCK) * BLOCK;
  const reader = startProgram("dd", [
    `if=${path}`,
    "bs=1M",
    "iflag=direct,count_bytes",
    "status=none",
    `count=${count}`,
  ]);
  const ended = new Promise<number | null>((resolve) => {
    reader.on("error", () => resolve(null));
    reader.on("close", resolve);
  });
  yield* reader.stdout;
  if ((await ended) !== 0) throw new Error("The card cannot be read.");
}

const MOST_FILES = 16;

/** The releases at the top of a folder, by their names. */
export function bundlesAt(folder: string): string[] {
  return (
    readdirSync(folder)
      // The files that a Mac puts beside each file begin with a dot.
      .filter((name) => /^[^.].*\.tallydeck$/i.test(name))
      .map((name) => join(folder, name))
      .filter((path) => sizeOf(path) !== undefined)
      .sort()
      .slice(0, MOST_FILES)
  );
}

/** The status of `flock` when another still has it. */
const IS_HELD = 1;

/**
 * Takes the lock of the updater's files. Units of programs that only work on these have it from start to end. It is
 * released with the program that took it.
 * @param file the file of the lock, as in the units
 * @returns a function that releases it; undefined when another program still has it after so many seconds. Where the
 *   file cannot be created, there is no other program
 */
export function lockOf(file: string, seconds: number): Promise<(() => void) | undefined> {
  // cat runs until its input ends, and echoes a line as soon as the lock is taken.
  const holder = startProgram("flock", [`--timeout=${seconds}`], [file, "cat"]);
  const letGo = () => void holder.stdin.end();
  return new Promise((resolve) => {
    holder.stdout.once("data", () => resolve(letGo));
    holder.on("close", (status) => resolve(status === IS_HELD ? undefined : letGo));
    holder.on("error", () => resolve(letGo));
    holder.stdin.on("error", () => {});
    holder.stdin.write("\n");
  });
}
