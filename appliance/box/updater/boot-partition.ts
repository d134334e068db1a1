import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { otherSlot, type Slot } from "../../base/release/release.ts";
import { moveFile, remount, removeBeside, removeFiles } from "../../base/system/fat-files.ts";
import { isThere, syncNow } from "../../base/system/files.ts";
import { BOOT_FOLDER, type Box, CONFIG, TRYBOOT } from "./box.ts";

const PREFIX = /^\s*os_prefix=(\S*)\s*$/i;
const SECTION = /^\s*\[([^\]]*)\]\s*$/;
/** Pins 5 and 6 of the header, joined by a jumper. */
const JUMPER = "gpio3=0";

interface ConfigLine {
  /** The text of the line, with its end. */
  readonly text: string;
  /** The folder it names. */
  readonly prefix?: string;
  readonly isForJumper: boolean;
}

/** The one moment in which the boot partition can be written to. */
export async function whileWritable<T>(
  { root, run }: Box,
  write: () => T | Promise<T>,
): Promise<T> {
  const boot = join(root, BOOT_FOLDER);
  remount(boot, run, "rw");
  try {
    return await write();
  } finally {
    remount(boot, run, "ro");
  }
}

/** The text of config.txt as Latin-1, which keeps every byte. @throws {Error} when it cannot be read */
export function configOf({ root }: Pick<Box, "root">): string {
  return readFileSync(join(root, CONFIG), "latin1");
}

/** Undefined when there is none. */
export function trybootOf({ root }: Pick<Box, "root">): string | undefined {
  const path = join(root, TRYBOOT);
  return isThere(path) ? readFileSync(path, "latin1") : undefined;
}

/** Writes tryboot.txt. A cut is harmless, since nothing is armed yet. */
export function writeTryboot(box: Pick<Box, "root">, config: string): void {
  removeTryboot(box);
  const path = join(box.root, TRYBOOT);
  writeFileSync(path, config, { encoding: "latin1", mode: 0o600, flush: true });
  syncNow(join(box.root, BOOT_FOLDER));
}

/** Makes tryboot.txt the config.txt, by a rename, so that exactly the tried file is kept. */
export function keepTryboot({ root }: Pick<Box, "root">): void {
  moveFile(join(root, TRYBOOT), join(root, CONFIG));
}

/** Makes a slot the one that config.txt starts, by one rename. */
export async function makeRule(box: Box, slot: Slot): Promise<void> {
  const config = configWithSlot(configOf(box), slot);
  await whileWritable(box, () => {
    writeTryboot(box, config);
    keepTryboot(box);
  });
}

/**
 * Removes the file of an attempt. A power cut in `keepTryboot` may have made it config.txt, too.
 */
export function removeTryboot({ root }: Pick<Box, "root">): void {
  const boot = join(root, BOOT_FOLDER);
  removeBeside(join(root, CONFIG), leftovers(boot), sparesIn(boot));
}

export function hasLeftovers({ root }: Pick<Box, "root">): boolean {
  return leftovers(join(root, BOOT_FOLDER)).length > 0;
}

function leftovers(boot: string): string[] {
  return [join(boot, "tryboot.txt"), ...sparesIn(boot)].filter(isThere);
}

/** Names for a new config.txt. */
function sparesIn(boot: string): string[] {
  return [1, 2, 3, 4, 5, 6, 7, 8, 9].map((number) => join(boot, `config.${number}`));
}

/**
 * Empties the folder of a slot, first of all the mark that it is complete.
 * @throws {Error} when config.txt starts this slot
 */
export function emptySlot(box: Pick<Box, "root">, slot: Slot): void {
  const named = slotOfConfig(configOf(box));
  if (named === undefined || named === slot)
    throw new Error(`config.txt on the card does not say that ${slot}/ is not in use.`);
  const folder = join(box.root, BOOT_FOLDER, slot);
  if (isThere(folder)) {
    removeFiles([join(folder, "release")].filter(isThere));
    removeFiles(readdirSync(folder).map((name) => join(folder, name)));
  } else mkdirSync(folder);
  syncNow(join(box.root, BOOT_FOLDER));
}

/**
 * The slot that a config.txt starts without a jumper.
 * @param config bytes as Latin-1, which keeps all changes of the owner
 * @returns undefined when it names none
 */
export function slotOfConfig(config: string): Slot | undefined {
  const last = linesOf(config).findLast((line) => line.prefix !== undefined && !line.isForJumper);
  if (last?.prefix === "a/") return "a";
  return last?.prefix === "b/" ? "b" : undefined;
}

/**
 * The same config.txt for another slot, which the jumper leads out of. The owner's own lines stay.
 */
export function configWithSlot(config: string, slot: Slot): string {
  const lines = linesOf(config);
  const folder = (isForJumper: boolean) => `${isForJumper ? otherSlot(slot) : slot}/`;
  const text = lines
    .map((line) =>
      line.prefix === undefined
        ? line.text
        : line.text.replace(/=\S*/, `=${folder(line.isForJumper)}`),
    )
    .join("");
  const has = (isForJumper: boolean) =>
    lines.some((line) => line.prefix !== undefined && line.isForJumper === isForJumper);
  return has(false) && has(true) ? text : `${ended(text)}${block(slot, endOf(config))}`;
}

function linesOf(config: string): ConfigLine[] {
  let section = "all";
  return (config.match(/[^\n]*\n|[^\n]+$/g) ?? []).map((text) => {
    section = SECTION.exec(text)?.[1]?.toLowerCase() ?? section;
    const prefix = PREFIX.exec(text)?.[1]?.toLowerCase();
    return { text, ...(prefix !== undefined && { prefix }), isForJumper: section === JUMPER };
  });
}

function endOf(config: string): string {
  return config.includes("\r\n") ? "\r\n" : "\n";
}

function ended(config: string): string {
  return config === "" || config.endsWith("\n") ? config : config + endOf(config);
}

function block(slot: Slot, end: string): string {
  return [
    "",
    "[all]",
    "# The system in use is in a/ or b/. The box writes these lines when it updates.",
    `os_prefix=${slot}/`,
    "# A jumper on pins 5 and 6 starts the other one.",
    `[${JUMPER}]`,
    `os_prefix=${otherSlot(slot)}/`,
    "[all]",
    "",
  ].join(end);
}
