import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { textOf } from "../base/files.ts";
import { type Run, runProgram } from "../base/program.ts";
import { parseRelease, type Release, type Slot } from "../release/release.ts";

/** The box as root's programs see it; tests hand in a folder, and stand-ins for what is no file. */
export interface Box {
  /** Where its files are: `/`, or a folder. */
  readonly root: string;
  /** The kernel's. */
  readonly commandLine: string;
  /** Names this start of the machine. */
  readonly boot: string;
  readonly run: Run;
  /** Epoch seconds. */
  readonly now: () => number;
  /** For an attempt, unlike any before. */
  readonly newId: () => string;
  /** The partition of a slot. @throws {Error} when it is not on the disk that the box runs from */
  readonly deviceOf: (slot: Slot) => string;
  /** What the card itself holds of a file or a partition, not what the memory knows of it. */
  readonly fromCard: (path: string, bytes: number) => AsyncIterable<Uint8Array>;
}

/** Below the root. */
export const BOOT = "boot/firmware";
export const CONFIG = "boot/firmware/config.txt";
/** What the firmware reads once in its place, after an armed restart. */
export const TRYBOOT = "boot/firmware/tryboot.txt";
export const JOURNAL = "data/system/update.json";
export const TOLD = "run/tallydeck-update";
/** Where the service asks; nobody but it and root may write there. */
export const ASKED = "run/tallydeck-update/asked";
const RELEASE = "etc/tallydeck-release";

/** By the signature of the image's partition table. */
const PARTITIONS: Readonly<Record<Slot, string>> = { a: "7a11dec4-02", b: "7a11dec4-03" };

export function thisBox(): Box {
  // The sandbox hides it; systemd hands it over.
  const commandLine = join(process.env.CREDENTIALS_DIRECTORY ?? "/proc", "cmdline");
  return {
    root: "/",
    commandLine: readFileSync(commandLine, "utf8"),
    boot: process.env.BOOT_ID ?? "",
    run: runProgram,
    now: () => Math.floor(Date.now() / 1000),
    newId: randomUUID,
    deviceOf,
    fromCard,
  };
}

/** @throws {Error} when the root is none of the slots */
export function runningSlot({ commandLine }: Pick<Box, "commandLine">): Slot {
  const [, id] = /(?:^|\s)root=PARTUUID=([0-9a-f-]+)(?:\s|$)/.exec(commandLine) ?? [];
  if (id === PARTITIONS.a) return "a";
  if (id === PARTITIONS.b) return "b";
  throw new Error("This system does not run from a slot of a card with Tallydeck.");
}

/** @throws {Error} when the system does not say what it is */
export function runningRelease({ root }: Pick<Box, "root">): Release {
  const release = parseRelease(textOf(join(root, RELEASE)) ?? "");
  if (release === undefined) throw new Error(`This system names no release in /${RELEASE}.`);
  return release;
}

/** The release whose files are whole in a slot; undefined where there are none. */
export function releaseIn({ root }: Pick<Box, "root">, slot: Slot): Release | undefined {
  return parseRelease(textOf(join(root, BOOT, slot, "release")) ?? "");
}

/** A card with the same image may be plugged in beside the one that the box runs from. */
function deviceOf(slot: Slot): string {
  const device = realpathSync(`/dev/disk/by-partuuid/${PARTITIONS[slot]}`);
  const boot = basename(realpathSync("/dev/disk/by-partuuid/7a11dec4-01"));
  const diskOf = (name: string) => dirname(realpathSync(`/sys/class/block/${name}`));
  const isOwn = existsSync(join(diskOf(boot), basename(device)));
  if (!isOwn) throw new Error("Two cards with Tallydeck are plugged in: take the other one out.");
  return device;
}

/** Past the memory: what lies there was written a moment ago. */
async function* fromCard(path: string, bytes: number): AsyncGenerator<Uint8Array> {
  const count = `count=${bytes}`;
  const args = [`if=${path}`, "bs=1M", "iflag=direct,count_bytes", count, "status=none"];
  const reader = spawn("dd", args, { stdio: ["ignore", "pipe", "ignore"] });
  const ended = new Promise<number | null>((resolve) => {
    reader.on("error", () => resolve(null));
    reader.on("close", resolve);
  });
  yield* reader.stdout;
  if ((await ended) !== 0) throw new Error("The card cannot be read.");
}
