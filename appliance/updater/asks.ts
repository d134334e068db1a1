import { lstatSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isThere } from "../base/files.ts";
import { Refusal } from "../base/refusal.ts";
import { ASKS, type Ask } from "../release/told.ts";
import { back, start } from "./begin.ts";
import { ASKED, type Box, CARD_WAITS } from "./box.ts";
import { offersOf } from "./bundles.ts";
import { letGo } from "./data-copy.ts";
import { readJournal, writeJournal } from "./journal.ts";
import { modeOf, wasArmed } from "./mode.ts";
import { keepVisited } from "./outcome.ts";
import { headOf } from "./parts.ts";
import { prepare } from "./prepare.ts";
import { discardTaken, takeFromCard, takeFromStick } from "./take.ts";
import { tell, toldOf } from "./tell.ts";

/** A release number with its line end. */
const MOST_BYTES = 16;

/** Does what the service asked for, and what the card brought; what cannot be done, it says. */
export async function answer(box: Box): Promise<void> {
  if (isToRestart(box)) {
    box.run("systemctl", "reboot");
    return;
  }
  endBrokenOff(box);
  const card = join(box.root, CARD_WAITS);
  if (isThere(card)) {
    rmSync(card);
    await say(box, () => takeFromCard(box));
  }
  for (const [ask, release] of takeAsks(box)) {
    // An earlier problem is no answer to this.
    tell(box, { problem: "" });
    await say(box, () => ANSWERS[ask](box, release));
  }
}

/**
 * Armed in this start of the machine, and it goes on: nothing may be written any more, for a board that
 * is armed and does not find tryboot.txt may hang.
 */
function isToRestart(box: Box): boolean {
  const { attempt } = readJournal(box);
  return attempt?.state === "armed" && attempt.boot === box.boot;
}

/**
 * A program that was killed in the middle of it could not say so; the one that runs now runs alone.
 */
function endBrokenOff(box: Box): void {
  const { attempt, ...journal } = readJournal(box);
  if (toldOf(box)?.work === undefined || (attempt && wasArmed(attempt))) return;
  if (attempt?.state === "verified") writeJournal(box, journal);
  // Its data was to be copied, for which the service was stopped.
  if (attempt?.breaksData) letGo(box, attempt);
  tell(box, { problem: "What was asked for broke off in the middle. Try again." });
}

/** A stick was put in. @param device below /dev */
export async function answerStick(box: Box, device: string): Promise<void> {
  await say(box, () => {
    if (modeOf(box, readJournal(box)) === "trial")
      throw new Error("A release is being tried: put the stick in again in ten minutes.");
    return takeFromStick(box, device);
  });
}

const ANSWERS: Readonly<Record<Ask, (box: Box, release: number) => Promise<void> | void>> = {
  prepare,
  start,
  back,
  keep: keepVisited,
  discard,
};

async function say(box: Box, work: () => Promise<void> | void): Promise<void> {
  try {
    await work();
    tell(box, { offers: offersOf(box), problem: "" });
  } catch (error) {
    box.warn(String(error));
    tell(box, { offers: offersOf(box), problem: sentenceOf(error) });
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

/** Taken away first, or whatever goes wrong would go wrong again at once. */
function takeAsks(box: Box): [Ask, number][] {
  return ASKS.flatMap((ask) => {
    const path = join(box.root, ASKED, ask);
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return [];
    const text = headOf(path, MOST_BYTES)?.toString("latin1") ?? "";
    takeAway(box, path);
    return [[ask, Number(text.trim())] as [Ask, number]];
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
