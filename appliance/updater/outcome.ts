import type { Outcome } from "../release/told.ts";
import { slotOf, withSlot } from "./boot-config.ts";
import { type Box, runningRelease, runningSlot } from "./box.ts";
import { reportOnCard } from "./card-report.ts";
import { configOf, keepTryboot, trybootOf, whileWritable, writeTryboot } from "./fat.ts";
import { type Attempt, readJournal, writeJournal } from "./journal.ts";
import { isRule, modeOf } from "./mode.ts";
import { tell } from "./tell.ts";

/**
 * Keeps what is being tried: the box starts it from now on. Once the boot partition has it, nothing of
 * this is lost by a power cut; the next start says the rest.
 * @throws {Error} with a sentence when there is no trial, or tryboot.txt is not what was tried
 */
export async function commit(box: Box): Promise<void> {
  const { attempt } = readJournal(box);
  if (attempt === undefined || modeOf(box, readJournal(box)) !== "trial")
    throw new Error("There is no trial that could be kept.");
  const tried = trybootOf(box);
  if (tried === undefined || slotOf(tried) !== attempt.slot)
    throw new Error("tryboot.txt, which started this trial, is gone from the card or was changed.");
  await whileWritable(box, () => keepTryboot(box));
  if (!isRule(box)) throw new Error("The card did not take the new config.txt.");
  noteKept(box, attempt);
  tell(box);
  await reportOnCard(box);
}

/**
 * Ends a trial that is not well: the box restarts into what it ran before, which says why.
 * @param isOutside what is wrong may be no fault of the release, which may then be tried once more
 */
export function giveUp(box: Box, reason: string, { isOutside = false } = {}): void {
  try {
    const journal = readJournal(box);
    const { attempt } = journal;
    const ended = { reason: reason.slice(0, MOST_REASON), ...(isOutside && { isOutside }) };
    if (attempt !== undefined) writeJournal(box, { ...journal, attempt: { ...attempt, ...ended } });
  } finally {
    box.run("systemctl", "reboot");
  }
}

/** The service's own words stand in it; it goes to the card, to keys and to a screen. */
const MOST_REASON = 500;

/** The attempt became the rule. */
export function noteKept(box: Box, { kind, to }: Pick<Attempt, "kind" | "to">): void {
  const { attempt, ...journal } = readJournal(box);
  const last: Outcome = { kind: kind === "back" ? "back" : "updated", to, at: box.now() };
  writeJournal(box, {
    ...journal,
    highest: Math.max(journal.highest, to.release),
    // Older releases are not offered any more.
    failed: journal.failed.filter((release) => release > to.release),
    canTry: true,
    last,
  });
}

/**
 * Makes the slot that is visited the box's own, as its owner asked.
 * @throws {Error} with a sentence when none is visited
 */
export async function keepVisited(box: Box): Promise<void> {
  if (modeOf(box, readJournal(box)) !== "visit")
    throw new Error("This system is the box's own already, or is being tried.");
  const [slot, to] = [runningSlot(box), runningRelease(box)];
  await whileWritable(box, () => {
    writeTryboot(box, withSlot(configOf(box), slot));
    keepTryboot(box);
  });
  if (!isRule(box)) throw new Error("The card did not take the new config.txt.");
  const kind = to.release > readJournal(box).highest ? "update" : "back";
  noteKept(box, { kind, to });
  tell(box);
  await reportOnCard(box);
}
