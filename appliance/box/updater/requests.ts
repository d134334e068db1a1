import { lstatSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Refusal } from "../../base/refusal.ts";
import { UPDATER_REQUESTS, type UpdaterRequest } from "../../base/release/updater-state.ts";
import { isThere } from "../../base/system/files.ts";
import { armRollback, armUpdate } from "./arm.ts";
import { type Box, CARD_WAITS, REQUESTS } from "./box.ts";
import { bundleOffers, headOf } from "./bundles.ts";
import { dropCopy } from "./data-copy.ts";
import { readJournal, writeJournal } from "./journal.ts";
import { keepVisited } from "./keep.ts";
import { prepare } from "./prepare.ts";
import { modeOf, readState, wasArmed, writeState } from "./state.ts";
import { discardTaken, takeFromCard, takeFromStick } from "./take.ts";

/** A release number with its line end. */
const MOST_BYTES = 16;

/** Carries out requests of the service, and takes bundles from the card. Failures are reported. */
export async function answerRequests(box: Box): Promise<void> {
  if (isToRestart(box)) {
    box.run("systemctl", ["reboot"]);
    return;
  }
  settleInterrupted(box);
  const card = join(box.root, CARD_WAITS);
  if (isThere(card)) {
    rmSync(card);
    await report(box, () => takeFromCard(box));
  }
  for (const [request, release] of takeRequests(box)) {
    // An earlier problem is no answer to this.
    writeState(box, { problem: "" });
    await report(box, () => ANSWERS[request](box, release));
  }
}

/**
 * Whether the board is armed and about to restart. Nothing may be written then: an armed board that does not find
 * tryboot.txt may hang.
 */
function isToRestart(box: Box): boolean {
  const { attempt } = readJournal(box);
  return attempt?.state === "armed" && attempt.boot === box.boot;
}

/**
 * Reports work as failed whose program was killed. There is no other such program now.
 */
function settleInterrupted(box: Box): void {
  const { attempt, ...journal } = readJournal(box);
  if (readState(box)?.work === undefined || (attempt && wasArmed(attempt))) return;
  if (attempt?.state === "verified") writeJournal(box, journal);
  // The service was stopped to copy its data for the attempt.
  if (attempt?.breaksData) dropCopy(box, attempt);
  writeState(box, { problem: "What was asked for broke off in the middle. Try again." });
}

/** A stick was put in. @param device below /dev */
export async function answerStick(box: Box, device: string): Promise<void> {
  await report(box, () => {
    if (modeOf(box, readJournal(box)) === "trial")
      throw new Error("A release is being tried: put the stick in again in ten minutes.");
    return takeFromStick(box, device);
  });
}

const ANSWERS: Readonly<
  Record<UpdaterRequest, (box: Box, release: number) => Promise<void> | void>
> = {
  prepare,
  arm: armUpdate,
  rollback: armRollback,
  keep: keepVisited,
  discard,
};

async function report(box: Box, work: () => Promise<void> | void): Promise<void> {
  try {
    await work();
    writeState(box, { offers: bundleOffers(box), problem: "" });
  } catch (error) {
    box.warn(String(error));
    writeState(box, { offers: bundleOffers(box), problem: sentenceOf(error) });
  }
}

/** The meaning of the system's own errors here. */
function sentenceOf(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  const isOfProgram = error instanceof Error && "status" in error;
  if (error instanceof Refusal || (code === undefined && !isOfProgram)) return message;
  if (code === "ENOSPC") return "There is no room left on the card. Make some, and try again.";
  return "The card could not be read or written. Try again; if this stays so, write the image to another card.";
}

/** The release is no offer any more, nor to be started. */
function discard(box: Box, release: number): void {
  discardTaken(box, release);
  const { attempt, ...journal } = readJournal(box);
  if (attempt?.state === "prepared" && attempt.to.release === release) writeJournal(box, journal);
}

/** Reads and removes the requests: one that fails must not be tried again at once. */
function takeRequests(box: Box): [UpdaterRequest, number][] {
  return UPDATER_REQUESTS.flatMap((request) => {
    const path = join(box.root, REQUESTS, request);
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return [];
    const text = headOf(path, MOST_BYTES)?.toString("latin1") ?? "";
    takeAway(box, path);
    return [[request, Number(text.trim())] as [UpdaterRequest, number]];
  });
}

/** A folder with something in it is the service's alone to empty, but its name is root's to change. */
function takeAway({ newId }: Box, path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    renameSync(path, `${path}.${newId()}`);
  }
}
