import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fieldsIn, isObject } from "../../base/input/json.ts";
import {
  overwriteFile,
  removeFiles,
  rewriteFile,
  whileFolderWritable,
} from "../../base/system/fat-files.ts";
import { bytesOf, isThere, replaceFile, syncNow, textOf } from "../../base/system/files.ts";
import type { Run } from "../../base/system/program.ts";
import { sha256 } from "../../base/system/secrets.ts";
import { ASKED_RESET, type Erased, RESET_STATE } from "../../base/text/reset.ts";
import { endRemoval, mendFile, removeSecretFile, replaceSecretFile, sparesOf } from "./files.ts";
import { type KeptSettings, parseKept } from "./kept.ts";
import { DIALECTS, MOST_BYTES } from "./provision.ts";

/** The box for a reset. Tests pass a folder, and stand-ins for everything beside files. */
export interface ResetBox {
  /** The root of its files: `/`, or a folder. */
  readonly root: string;
  readonly run: Run;
  readonly isMounted: (path: string) => boolean;
  /** Shows a line to people before the box. */
  readonly say: (line: string) => void;
}

const BOOT = "boot/firmware";
const DATA = "data";
const FOLDER = "run/tallydeck-reset";
const FOUND = "lost+found";
/** Files by which an owner asks for a reset. */
const WISHES = ["RESET", "RESET.txt"];
/** The mark on the card that the reset was not called off. It is there until nothing is left of the data. */
const DECIDED = "RESET-NOW";
/** The memory of the updater. */
const UPDATES = "update.json";
/** The settings file as it comes with the image. */
const TEMPLATE = "usr/share/tallydeck/tallydeck.env";
/** The system's own memory, which tells nothing of an owner: its releases, the time, and the jumpers of its last start. */
const STAYS = new Set([UPDATES, "clock", "jumpers"]);

/** Tells the service of a wish on the card or by a jumper; without a data partition there is nothing to erase. */
export function noteWish(root: string, isByJumper: boolean): void {
  if (isByJumper || WISHES.some((name) => isThere(join(root, BOOT, name))))
    replaceFile(join(root, FOLDER, RESET_STATE.wanted), "", 0o644);
}

/** Tells the service that the jumper is on, which people are to take off. */
export function noteJumper(root: string): void {
  replaceFile(join(root, FOLDER, RESET_STATE.jumper), "", 0o644);
}

/** The end of the data that this start has erased; undefined at most starts. */
export function erasedAt(root: string): Erased | undefined {
  const text = textOf(join(root, FOLDER, RESET_STATE.done));
  return text === "discarded" || text === "deleted" ? text : undefined;
}

/**
 * Serves a request of the service: puts the mark on the card and restarts, or takes the owner's file off the card. A
 * reset that was called off meanwhile does not begin.
 * @throws {Error} when the card cannot be written; the box goes on as it is
 */
export function answerReset({ root, run }: ResetBox): void {
  const asked = (name: string) => join(root, FOLDER, "asked", name);
  const [begins, isCalledOff] = [ASKED_RESET.begin, ASKED_RESET.callOff].map((name) =>
    isThere(asked(name)),
  );
  // Requests are removed first, so that one that fails is not tried again at once.
  for (const name of Object.values(ASKED_RESET)) rmSync(asked(name), { force: true });
  const boot = join(root, BOOT);
  if (isCalledOff) {
    rmSync(join(root, FOLDER, RESET_STATE.wanted), { force: true });
    const wishes = WISHES.map((name) => join(boot, name)).filter(isThere);
    if (wishes.length > 0) whileFolderWritable(boot, run, () => removeFiles(wishes));
  } else if (begins) {
    whileFolderWritable(boot, run, () => overwriteFile(join(boot, DECIDED), ""));
    run("systemctl", ["reboot"]);
  }
}

/**
 * Erases the owner's data at the start after the decision, before any other program uses it. Every step can be repeated:
 * after a power cut, the next start erases the rest.
 * @throws {Error} when a partition is not there or cannot be written; then nothing begins anew
 */
export function eraseData({ root, run, isMounted, say }: ResetBox): void {
  const [boot, data] = [join(root, BOOT), join(root, DATA)];
  const mark = join(boot, DECIDED);
  if (!isThere(mark)) return;
  if (!isMounted(boot) || !isMounted(data)) throw new Error("A partition of the card is missing.");
  say("Tallydeck erases all data on this card. Leave it powered: this takes a minute at most.");
  const kept = parseKept(textOf(join(data, "system/settings.json")) ?? "");
  const template = textOf(join(root, TEMPLATE));
  whileFolderWritable(boot, run, () => {
    for (const file of DIALECTS.keys())
      forgetFile(join(boot, file), kept[file], file === "tallydeck.env" ? template : undefined);
    removeFiles(WISHES.map((name) => join(boot, name)).filter(isThere));
  });
  emptyData(data);
  const erased = discard(data, run);
  replaceFile(join(root, FOLDER, RESET_STATE.done), erased, 0o644);
  whileFolderWritable(boot, run, () => removeFiles([mark]));
}

/** Removes what the box has applied of a file. One that its owner has put there or changed since is for the set-up that begins. */
function forgetFile(
  path: string,
  kept: KeptSettings[string] | undefined,
  template: string | undefined,
): void {
  endRemoval(path);
  mendFile(path, true);
  const bytes = bytesOf(path, MOST_BYTES + 1);
  if (bytes === undefined) {
    // The power went after the old one was removed.
    if (template !== undefined) rewriteFile(path, template, sparesOf(path));
    return;
  }
  const isApplied = kept?.seen === sha256(bytes).toString("hex");
  if (!isApplied) return;
  if (template === undefined) removeSecretFile(path);
  else replaceSecretFile(path, template);
}

function emptyData(data: string): void {
  const system = join(data, "system");
  for (const name of namesIn(data))
    if (name !== "system" && name !== FOUND) remove(join(data, name));
  // A check of the partition puts pieces of files there.
  for (const name of namesIn(join(data, FOUND))) remove(join(data, FOUND, name));
  // The settings go last: they say which files of the card were applied.
  const others = namesIn(system).filter((name) => !STAYS.has(name) && name !== "settings.json");
  forgetReports(join(system, UPDATES));
  for (const name of [...others, "settings.json"]) remove(join(system, name));
  if (isThere(system)) syncNow(system);
  syncNow(data);
}

/** Takes the reports out of the updater's memory: they name decks of the owner. */
function forgetReports(path: string): void {
  const text = textOf(path);
  if (text === undefined) return;
  const { last: _, attempt, ...releases } = fieldsIn(text);
  const { before: _before, reason: _reason, ...plan } = isObject(attempt) ? attempt : {};
  const left = { ...releases, ...(isObject(attempt) && { attempt: plan }) };
  replaceFile(path, JSON.stringify(left), 0o600);
}

const remove = (path: string) => rmSync(path, { recursive: true, force: true });

function namesIn(folder: string): string[] {
  return isThere(folder) ? readdirSync(folder) : [];
}

/** Many cards take no such word. */
function discard(data: string, run: Run): Erased {
  try {
    run("fstrim", [], [data]);
    return "discarded";
  } catch {
    return "deleted";
  }
}
