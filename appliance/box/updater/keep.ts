import type { UpdateOutcome } from "../../base/text/update-outcome.ts";
import { keepTryboot, makeRule, slotOfConfig, trybootOf, whileWritable } from "./boot-partition.ts";
import { type Box, runningRelease, runningSlot } from "./box.ts";
import { reportOnCard } from "./card-report.ts";
import { type Attempt, readJournal, writeJournal } from "./journal.ts";
import { isRule, modeOf, writeState } from "./state.ts";

/**
 * Keeps the release on trial: the box starts it from now on. Once the boot partition is written, a power cut does no
 * harm; the next start completes the rest.
 * @throws {Error} with a sentence when there is no trial, or tryboot.txt has changed since it began
 */
export async function keep(box: Box): Promise<void> {
  const { attempt } = readJournal(box);
  if (attempt === undefined || modeOf(box, readJournal(box)) !== "trial")
    throw new Error("There is no trial that could be kept.");
  const tried = trybootOf(box);
  if (tried === undefined || slotOfConfig(tried) !== attempt.slot)
    throw new Error("tryboot.txt, which started this trial, is gone from the card or was changed.");
  await whileWritable(box, () => keepTryboot(box));
  if (!isRule(box)) throw new Error("The card did not take the new config.txt.");
  noteKept(box, attempt);
  writeState(box);
  await reportOnCard(box);
}

export function noteKept(box: Box, { kind, to }: Pick<Attempt, "kind" | "to">): void {
  // A box may leave what is kept now, too.
  const { attempt, retreat, ...journal } = readJournal(box);
  const ended = kind === "back" ? "back" : "updated";
  const last: UpdateOutcome = { kind: ended, ...to, at: box.now(), reason: null };
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
 * Keeps the visited slot, on the owner's wish.
 * @throws {Error} with a sentence when this is no visit
 */
export async function keepVisited(box: Box): Promise<void> {
  if (modeOf(box, readJournal(box)) !== "visit")
    throw new Error("This system is the box's own already, or is being tried.");
  const [slot, to] = [runningSlot(box), runningRelease(box)];
  await makeRule(box, slot);
  if (!isRule(box)) throw new Error("The card did not take the new config.txt.");
  const kind = to.release > readJournal(box).highest ? "update" : "back";
  noteKept(box, { kind, to });
  writeState(box);
  await reportOnCard(box);
}
