import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { isThere, replaceFile, sizeOf, textOf } from "../base/files.ts";
import type { Box } from "./box.ts";
import { readJournal } from "./journal.ts";
import { isRunning, modeOf, wasArmed } from "./mode.ts";

/**
 * The data as it is before a release that may write what this one cannot read: kept before the trial,
 * and put back where that failed. Only the database has a format; certificates and keys beside it are
 * files that every release reads, and newer ones are better.
 */

const DATA = "data/tallydeck";
/** A log belongs to the database it stands beside; what else SQLite puts there is made anew. */
const FILES = ["tallydeck.db", "tallydeck.db-wal"] as const;
const KEPT = "data/system/data-before";
/** Names the attempt that the copy is for; the last file of it that is written. */
const FOR = "attempt";
/** It is to be put back, until that is done. */
const IS_WANTED = "is-wanted";
/** What the failed release had written stands aside. */
const IS_ASIDE = "is-aside";
const ASIDE = ".after-update";
/** The service goes on as soon as it is started again, and the journal has to find room. */
const SPARE_BYTES = 64 * 1_048_576;
/** Sockets first: whoever asks them would start it again. */
const SERVICE = [
  "tallydeck-collector.socket",
  "tallydeck-collector-tls.socket",
  "tallydeck-control.socket",
  "tallydeck.service",
];

/**
 * Stops the service for good, and copies its database. It is on the card when this returns.
 * @throws {Error} with a sentence when there is no room, or it fails; then the service runs again
 */
export function keepData(box: Box, attempt: string): void {
  const { root, run } = box;
  checkRoom(root);
  try {
    run("systemctl", "stop", ...SERVICE);
    copyAll(root, attempt);
  } catch (error) {
    letGo(box);
    throw new Error(`The data could not be copied before the update: ${(error as Error).message}`);
  }
}

/** The restart is called off: the service goes on with its data, which nobody has changed. */
export function letGo({ root, run }: Box): void {
  drop(root);
  run("systemctl", "start", "--no-block", ...SERVICE);
}

/**
 * At a start of the machine, before the service: puts back what a failed trial has changed, and removes
 * what nobody needs any more. A power cut at any moment of it is made good by the next start.
 */
export function settleData(box: Box): void {
  const { root } = box;
  const journal = readJournal(box);
  if (!isThere(join(root, KEPT)) || modeOf(box, journal) !== "normal") return;
  const { attempt } = journal;
  const isFor = textOf(join(root, KEPT, FOR));
  const hasFailed =
    attempt !== undefined && attempt.id === isFor && wasArmed(attempt) && !isRunning(box, attempt);
  // Whoever reads the journal next may end the attempt, though this cannot be done now.
  if (hasFailed) replaceFile(join(root, KEPT, IS_WANTED), "", 0o600);
  if (isThere(join(root, KEPT, IS_WANTED))) putBack(root);
  drop(root);
}

function checkRoom(root: string): void {
  const bytes = FILES.reduce((sum, name) => sum + (sizeOf(join(root, DATA, name)) ?? 0), 0);
  const { bavail, bsize } = statfsSync(join(root, dirname(KEPT)));
  // On the way back it is there a second time: beside what takes its place.
  const lacks = 2 * bytes + SPARE_BYTES - bavail * bsize;
  if (lacks > 0)
    throw new Error(
      `This release changes how data is kept, and there is no room to copy it first: make ${Math.ceil(lacks / 1e6)} MB free.`,
    );
}

function copyAll(root: string, attempt: string): void {
  drop(root);
  const kept = join(root, KEPT);
  mkdirSync(kept, { mode: 0o700 });
  for (const name of FILES) {
    const from = join(root, DATA, name);
    const found = lstatSync(from, { throwIfNoEntry: false });
    if (found === undefined) continue;
    // The service, whose folder it is, could lead root to what it must not read itself.
    if (!found.isFile()) throw new Error(`${name} is no file.`);
    copy(from, join(kept, name));
  }
  sync(kept);
  sync(dirname(kept));
  // Without this it is a copy that was cut, for nobody.
  replaceFile(join(kept, FOR), attempt, 0o600);
}

/** Each step can be done again; what takes room comes first. */
function putBack(root: string): void {
  const [data, kept] = [join(root, DATA), join(root, KEPT)];
  const { uid, gid } = statSync(data);
  const names = FILES.filter((name) => isThere(join(kept, name)));
  for (const name of names) {
    const part = join(data, `${name}.back`);
    // A start that was cut left it, or the service, to lead root elsewhere.
    remove(part);
    try {
      copy(join(kept, name), part);
    } catch (error) {
      remove(part);
      throw error;
    }
    chmodSync(part, 0o600);
    chownSync(part, uid, gid);
  }
  if (!isThere(join(kept, IS_ASIDE))) moveAside(data);
  replaceFile(join(kept, IS_ASIDE), "", 0o600);
  for (const name of names) renameSync(join(data, `${name}.back`), join(data, name));
  sync(data);
}

/** The log after its database, so that it never stands beside another. */
function moveAside(data: string): void {
  const [file, log] = FILES.map((name) => join(data, name)) as [string, string];
  const aside = `${file}${ASIDE}`;
  if (isThere(file)) {
    remove(`${aside}-wal`);
    remove(aside);
    renameSync(file, aside);
  }
  if (isThere(log)) renameSync(log, `${aside}-wal`);
  remove(`${file}-shm`);
  sync(data);
}

/** What says what it is goes first: what is cut is for nobody. */
function drop(root: string): void {
  const kept = join(root, KEPT);
  if (!isThere(kept)) return;
  for (const name of [IS_WANTED, FOR]) rmSync(join(kept, name), { force: true });
  sync(kept);
  for (const name of readdirSync(kept)) rmSync(join(kept, name), { recursive: true });
  rmSync(kept, { recursive: true });
  sync(dirname(kept));
}

function copy(from: string, to: string): void {
  copyFileSync(from, to, constants.COPYFILE_EXCL);
  sync(to);
}

/** Whatever the service has put there. */
function remove(path: string): void {
  rmSync(path, { recursive: true, force: true });
}

function sync(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
