import { lstatSync } from "node:fs";
import { join } from "node:path";
import type { BundleOffer } from "../../base/release/updater-state.ts";
import { replaceFile } from "../../base/system/files.ts";
import type { UpdateOutcome } from "../../base/text/update-outcome.ts";
import { DATA_FORMAT } from "../../store/format.ts";
import { hasLeftovers, removeTryboot, whileWritable } from "./boot-partition.ts";
import {
  BOOT_FOLDER,
  type Box,
  bundlesAt,
  CARD_WAITS,
  INCOMING_BUNDLE,
  runningRelease,
  runningSlot,
  SERVICE_BUNDLE,
  TAKEN_BUNDLE,
} from "./box.ts";
import { type Attempt, readJournal, writeJournal } from "./journal.ts";
import { noteKept } from "./keep.ts";
import { countStart } from "./retreat.ts";
import { isRunning, modeOf, wasArmed, writeState } from "./state.ts";

/**
 * Runs at each start of the machine, and may run again: finds out why this system runs, notes the start of a trial or
 * the end of the last one, and removes leftovers of a power cut.
 * @returns whether the box goes on; it restarts where it leaves a release that never gets well
 */
export async function boot(box: Box): Promise<boolean> {
  const mode = modeOf(box, readJournal(box));
  if (mode === "trial") noteStarted(box);
  if (mode === "normal") {
    await settle(box);
    noteRunning(box);
    if (!(await countStart(box))) return false;
    askForCard(box);
  }
  writeState(box, { offers: await offers(box) });
  return true;
}

/** Requests copying a bundle from the card, which takes a while, and so happens later. */
function askForCard(box: Box): void {
  if (bundlesAt(join(box.root, BOOT_FOLDER)).length === 0) return;
  replaceFile(join(box.root, CARD_WAITS), "", 0o600);
  box.run("systemctl", ["start", "--no-block", "tallydeck-update.service"]);
}

/** Verifying takes a small board a while: only where there is something. */
async function offers(box: Box): Promise<BundleOffer[]> {
  // Not where it leads to: one of them is the service's, and may lead in a circle.
  const isAny = (folder: string) =>
    lstatSync(join(box.root, folder), { throwIfNoEntry: false }) !== undefined;
  if (![SERVICE_BUNDLE, TAKEN_BUNDLE, INCOMING_BUNDLE].some(isAny)) return [];
  const [{ bundleOffers }, { clearTaken }] = await Promise.all([
    import("./bundles.ts"),
    import("./take.ts"),
  ]);
  clearTaken(box, readJournal(box).highest);
  return bundleOffers(box);
}

function noteStarted(box: Box): void {
  const journal = readJournal(box);
  const { attempt } = journal;
  if (attempt?.state !== "armed") return;
  const started: Attempt = { ...attempt, state: "started", boot: box.boot };
  writeJournal(box, { ...journal, attempt: started, canTry: true });
}

/**
 * Settles an attempt. The journal is written last, since all steps before it can be repeated.
 */
async function settle(box: Box): Promise<void> {
  const { attempt } = readJournal(box);
  await clear(box);
  if (attempt === undefined || attempt.state === "prepared") return;
  if (wasArmed(attempt) && isRunning(box, attempt)) noteKept(box, attempt);
  else if (attempt.state === "started" && attempt.isOutside !== true)
    noteFailed(box, attempt, reasonOf(attempt));
  else noteInterrupted(box, attempt);
}

/** Removes leftovers. A failure is harmless: the next attempt removes them first. */
async function clear(box: Box): Promise<void> {
  try {
    if (hasLeftovers(box)) await whileWritable(box, () => removeTryboot(box));
  } catch (error) {
    box.warn(`What an update left on the card stays there: ${(error as Error).message}`);
  }
}

function reasonOf({ reason, to }: Attempt): string {
  return reason ?? `${to.version} started, and then stopped: it hung, or the power went.`;
}

/** The release is not tried again by itself. */
function noteFailed(box: Box, { to, kind }: Attempt, reason: string): void {
  const { attempt, ...journal } = readJournal(box);
  const others = journal.failed.filter((release) => release !== to.release);
  writeJournal(box, {
    ...journal,
    failed: kind === "update" ? [...others, to.release] : others,
    last: { kind: "failed", ...to, at: box.now(), reason },
  });
}

/** The most interrupted starts of a trial. One may be a power cut; two are the release's fault. */
const MOST_INTERRUPTIONS = 2;

function noteInterrupted(box: Box, attempt: Attempt): void {
  const { reason: said, isOutside: _, ...rest } = attempt;
  const { to } = rest;
  const interruptions = (attempt.interruptions ?? 0) + (wasArmed(attempt) ? 1 : 0);
  if (interruptions >= MOST_INTERRUPTIONS) {
    noteFailed(box, attempt, said ?? `${to.version} was to start twice, and did not.`);
    return;
  }
  const { attempt: _attempt, ...journal } = readJournal(box);
  const isWhole = wasArmed(attempt) && attempt.kind === "update";
  const unsaid = wasArmed(attempt)
    ? `${to.version} did not start: the power went before, or it cannot. Try again.`
    : `The power went while ${to.version} was written. Try again.`;
  const reason = said === undefined ? unsaid : `${said} Try again once that is mended.`;
  const last: UpdateOutcome = { kind: "interrupted", ...to, at: box.now(), reason };
  const again: Attempt = { ...rest, state: "prepared", interruptions };
  writeJournal(box, { ...journal, ...(isWhole && { attempt: again }), last });
}

/** The system that config.txt starts was kept, or flashed. */
function noteRunning(box: Box): void {
  const journal = readJournal(box);
  const { release } = runningRelease(box);
  const [slot, { format }] = [runningSlot(box), DATA_FORMAT];
  if (journal.highest >= release && journal.formats?.[slot] === format) return;
  const formats = { ...journal.formats, [slot]: format };
  writeJournal(box, { ...journal, highest: Math.max(journal.highest, release), formats });
}
