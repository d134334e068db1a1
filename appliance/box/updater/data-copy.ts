import {
  closeSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { hasFields, type Is, isText, objectIn } from "../../base/input/json.ts";
import { mb } from "../../base/release/manifest.ts";
import { otherSlot } from "../../base/release/release.ts";
import { copyNew, isThere, replaceFile, sizeOf, syncNow, textOf } from "../../base/system/files.ts";
import { type Box, runningRelease } from "./box.ts";
import { openRegular } from "./bundles.ts";
import { type Attempt, isAttempt, type Journal, readJournal } from "./journal.ts";
import { isRunning, modeOf, wasArmed } from "./state.ts";

/**
 * Copies the data before the trial of a release whose data this one could not read, and puts it back after a failed
 * trial. Only the database has a format. All releases can read certificates and keys, and newer ones are better.
 */

const DATA = "data/tallydeck";
/** The database with its log. SQLite creates its other files again. */
const FILES = ["tallydeck.db", "tallydeck.db-wal"] as const;
const KEPT = "data/system/data-before";
/** The attempt that the copy is for, should the journal be lost; the last file of it that is written. */
const FOR = "attempt.json";
/** The mark that a copy must be put back, until that is done. */
const IS_WANTED = "is-wanted";
/** The data of the failed release stands aside. */
const IS_ASIDE = "is-aside";
const ASIDE = ".after-update";
/** The number of the release that ran when it was put aside. */
const ASIDE_FOR = "data/system/data-aside";
/** Bytes that stay free, for the service and the journal. */
const SPARE_BYTES = 64 * 1_048_576;
/** Units to stop. The sockets are first, since a request would start the service again. */
const SERVICE = [
  "tallydeck-collector.socket",
  "tallydeck-collector-tls.socket",
  "tallydeck-control.socket",
  "tallydeck.service",
] as const;

/** An attempt, under the id by which it is armed. */
interface CopiedFor extends Attempt {
  /** The id until then. */
  readonly was: string;
}

/**
 * Stops the service for good, and copies its database. It is on the card when this returns.
 * @param id by which the attempt is armed
 * @throws {Error} with a sentence when there is no room, or it fails; then the service runs again
 */
export function copyData(box: Box, attempt: Attempt, id: string): void {
  const { root, run } = box;
  if (isThere(join(root, KEPT, IS_WANTED)))
    throw new Error(
      "What was counted before the last update waits to be put back: make room on the card, and restart the box.",
    );
  checkSpace(box);
  try {
    run("systemctl", ["stop", ...SERVICE]);
    copyAll(root, { ...attempt, id, was: attempt.id });
  } catch (error) {
    dropCopy(box, attempt);
    throw new Error(`The data could not be copied before the update: ${(error as Error).message}`);
  }
}

/** Removes the copy after a cancelled restart. The service goes on with its data, which has not changed. */
export function dropCopy({ root, run }: Box, { id }: Attempt): void {
  // The copy may be another attempt's, which is still needed.
  if (!isThere(join(root, KEPT, FOR)) || copiedFor(root)?.was === id) drop(root);
  run("systemctl", ["start", "--no-block", ...SERVICE]);
}

/**
 * Runs at the start of the machine, before the service: puts the data back after a failed trial, and removes copies
 * that are no longer needed. After a power cut, the next start completes it.
 */
export function settleCopy(box: Box): void {
  const { root } = box;
  const journal = readJournal(box);
  if (modeOf(box, journal) !== "normal") return;
  dropAside(box);
  if (!isThere(join(root, KEPT))) return;
  const todo = toDo(box, journal);
  // The next reader of the journal may end the attempt, though this cannot be done now.
  if (todo === "put back") replaceFile(join(root, KEPT, IS_WANTED), "", 0o600);
  if (isThere(join(root, KEPT, IS_WANTED))) putBack(box);
  else if (todo === "leave") return;
  drop(root);
}

/**
 * Decides about the copy, which may be the only data that this release can read: it is removed only where it is
 * certainly of no use.
 */
function toDo(box: Box, { attempt, highest }: Journal): "drop" | "put back" | "leave" {
  // Cut while it was made, or removed.
  if (!isThere(join(box.root, KEPT, FOR))) return "drop";
  const copied = copiedFor(box.root);
  if (copied === undefined) return "leave";
  const { id, was, slot, from, to } = copied;
  if (isRunning(box, copied)) return "drop";
  if (attempt?.id === id && wasArmed(attempt)) return "put back";
  if (attempt?.id === was && !wasArmed(attempt)) return "drop";
  const runsBefore = isRunning(box, { slot: otherSlot(slot), to: from });
  const wasKept = highest >= to.release;
  if (runsBefore === wasKept) return "leave";
  return wasKept ? "drop" : "put back";
}

/** The release that the copy is for; undefined when another release wrote it in another form. */
function copiedFor(root: string): CopiedFor | undefined {
  const isCopied: Is<CopiedFor> = (read): read is CopiedFor =>
    isAttempt(read) && hasFields({ was: isText })(read);
  return objectIn(textOf(join(root, KEPT, FOR)), isCopied);
}

/** Removes the data of a failed release, once a release is kept that is newer than the one of then. */
function dropAside(box: Box): void {
  const { root } = box;
  const noted = textOf(join(root, ASIDE_FOR));
  if (noted === undefined || runningRelease(box).release <= Number(noted)) return;
  const data = join(root, DATA);
  removeAside(data);
  syncNow(data);
  rmSync(join(root, ASIDE_FOR));
}

function checkSpace({ root, freeBytes }: Box): void {
  const bytes = FILES.reduce((sum, name) => sum + (sizeOf(join(root, DATA, name)) ?? 0), 0);
  // Putting it back needs its bytes twice, since the replaced data stays beside it.
  const lacks = 2 * bytes + SPARE_BYTES - freeBytes(join(root, dirname(KEPT)));
  if (lacks > 0)
    throw new Error(
      `This release changes how data is kept, and there is no room to copy it first: make ${mb(lacks)} free.`,
    );
}

function copyAll(root: string, attempt: CopiedFor): void {
  drop(root);
  const kept = join(root, KEPT);
  mkdirSync(kept, { mode: 0o700 });
  for (const name of FILES) {
    const from = join(root, DATA, name);
    if (lstatSync(from, { throwIfNoEntry: false }) === undefined) continue;
    copy(from, join(kept, name));
  }
  syncNow(kept);
  syncNow(dirname(kept));
  // A copy without this file was cut off, and belongs to no attempt.
  replaceFile(join(kept, FOR), JSON.stringify(attempt), 0o600);
}

/** Puts the copy back. Each step can be repeated, and the one that needs space is first. */
function putBack(box: Box): void {
  const { root } = box;
  const [data, kept] = [join(root, DATA), join(root, KEPT)];
  const { uid, gid } = statSync(data);
  const names = FILES.filter((name) => isThere(join(kept, name)));
  for (const name of names) {
    const part = join(data, `${name}.back`);
    // A start that was cut left it, or the service, to lead root elsewhere.
    remove(part);
    try {
      copy(join(kept, name), part, { uid, gid });
    } catch (error) {
      remove(part);
      throw error;
    }
  }
  replaceFile(join(root, ASIDE_FOR), `${runningRelease(box).release}`, 0o600);
  if (!isThere(join(kept, IS_ASIDE))) moveAside(data);
  replaceFile(join(kept, IS_ASIDE), "", 0o600);
  for (const name of names) renameSync(join(data, `${name}.back`), join(data, name));
  syncNow(data);
}

/** The log after its database, so that it never stands beside another. */
function moveAside(data: string): void {
  const [file, log] = FILES.map((name) => join(data, name)) as [string, string];
  const aside = `${file}${ASIDE}`;
  if (isThere(file)) {
    removeAside(data);
    renameSync(file, aside);
  }
  if (isThere(log)) renameSync(log, `${aside}-wal`);
  remove(`${file}-shm`);
  syncNow(data);
}

function removeAside(data: string): void {
  for (const name of FILES) remove(join(data, name.replace(".db", `.db${ASIDE}`)));
}

/** The marks of the copy go first: a copy that is cut is of no attempt. */
function drop(root: string): void {
  const kept = join(root, KEPT);
  if (!isThere(kept)) return;
  for (const name of [IS_WANTED, FOR]) rmSync(join(kept, name), { force: true });
  syncNow(kept);
  for (const name of readdirSync(kept)) rmSync(join(kept, name), { recursive: true });
  rmSync(kept, { recursive: true });
  syncNow(dirname(kept));
}

/** A link could make root read files that the service must not read itself. */
function copy(from: string, to: string, owner?: { uid: number; gid: number }): void {
  const opened = openRegular(from);
  if (opened === undefined) throw new Error(`${basename(from)} is no file.`);
  try {
    copyNew(opened.file, to, owner);
  } finally {
    closeSync(opened.file);
  }
}

/** Removes a file or folder that the service may have put there. */
function remove(path: string): void {
  rmSync(path, { recursive: true, force: true });
}
