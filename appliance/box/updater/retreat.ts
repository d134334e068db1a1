import { rmSync } from "node:fs";
import { join } from "node:path";
import { type Guarded, hasFields, type Is, isText, objectIn } from "../../base/input/json.ts";
import { otherSlot, type Release } from "../../base/release/release.ts";
import { isThere, replaceFile, textOf } from "../../base/system/files.ts";
import { DATA_FORMAT } from "../../store/format.ts";
import { hasKernel } from "./arm.ts";
import { makeRule } from "./boot-partition.ts";
import { type Box, keepLog, patienceOf, runningRelease, runningSlot, STARTS } from "./box.ts";
import { type HealthWatch, whyNotStanding } from "./health.ts";
import { type Journal, type Retreat, readJournal, writeJournal } from "./journal.ts";
import { modeOf, otherIn } from "./state.ts";

/** The most starts in a row of a kept release of which none was well. */
const MOST_STARTS = 3;

const isSafe = Number.isSafeInteger as Is<number>;

/** The starts of a kept release since it was last well. */
const isStarts = hasFields({
  release: isSafe,
  count: isSafe,
  /** The last one of them, so that a program that runs again counts none twice. */
  boot: isText,
});

/**
 * Counts a start of the release that is the rule, and leaves a release whose last starts all failed, if there is another.
 * The count goes once the box is well, or is shut down as it should be.
 * @returns whether the box goes on; else it restarts into the other release
 */
export async function countStart(box: Box): Promise<boolean> {
  const journal = noteArrival(box);
  const { release, version } = runningRelease(box);
  if (isBegun(box, journal.retreat)) {
    await leave(box);
    return false;
  }
  // A release without another to go to is not counted, which spares the card.
  if (!mayLeave(box, journal)) return true;
  const before = startsOf(box);
  const count = before?.release === release ? before.count : 0;
  if (count > 0 && before?.boot === box.boot) return true;
  if (count < MOST_STARTS) {
    const starts: Guarded<typeof isStarts> = { release, count: count + 1, boot: box.boot };
    replaceFile(join(box.root, STARTS), JSON.stringify(starts), 0o600);
    return true;
  }
  await begin(box, `${version} ${NEVER_WELL}`);
  return false;
}

const NEVER_WELL = `was started ${MOST_STARTS} times in a row and was never well: it hung, or the power went.`;

/**
 * Looks whether a counted start went well. One that is not well when a trial would be given up is the last of its
 * release, if there is another.
 */
export async function checkStart(box: Box, { look, uptime }: HealthWatch): Promise<void> {
  const journal = readJournal(box);
  if (modeOf(box, journal) !== "normal" || !isThere(join(box.root, STARTS))) return;
  const { version } = runningRelease(box);
  const problems = whyNotStanding(await look());
  if (problems.length === 0) {
    rmSync(join(box.root, STARTS), { force: true });
    return;
  }
  keepLog(box);
  if (uptime() >= patienceOf(box).within && mayLeave(box, journal))
    await begin(box, `${version} had been kept, and was not well any more. ${problems.join(" ")}`);
}

/** Whether there is another release that was kept and can use the data. A box leaves its release once, and then stays. */
function mayLeave(box: Box, journal: Journal): boolean {
  const slot = otherSlot(runningSlot(box));
  const format = journal.formats?.[slot];
  return (
    journal.retreat === undefined &&
    otherIn(box, journal) !== undefined &&
    hasKernel(box, slot) &&
    (format === undefined || DATA_FORMAT.readableBy <= format)
  );
}

/** Notes the decision first: after a power cut, the next start goes on with it. */
async function begin(box: Box, reason: string): Promise<void> {
  const journal = readJournal(box);
  const from: Release = runningRelease(box);
  const failed = [...journal.failed.filter((each) => each !== from.release), from.release];
  const retreat: Retreat = { slot: runningSlot(box), release: from.release, isOver: false };
  const last = { kind: "failed", ...from, at: box.now(), reason } as const;
  writeJournal(box, { ...journal, failed, retreat, last });
  await leave(box);
}

/** Makes the other slot the rule by one rename, as a kept trial does, and restarts into it. */
async function leave(box: Box): Promise<void> {
  rmSync(join(box.root, STARTS), { force: true });
  await makeRule(box, otherSlot(runningSlot(box)));
  box.run("systemctl", ["reboot"]);
}

/** Whether this system was to be left, and is not yet. */
function isBegun(box: Box, retreat: Retreat | undefined): boolean {
  return (
    retreat !== undefined &&
    !retreat.isOver &&
    retreat.slot === runningSlot(box) &&
    retreat.release === runningRelease(box).release
  );
}

/** An owner who comes back to the release that was left stays there. */
function noteArrival(box: Box): Journal {
  const journal = readJournal(box);
  const { retreat } = journal;
  if (retreat === undefined || retreat.isOver || retreat.slot === runningSlot(box)) return journal;
  const arrived = { ...journal, retreat: { ...retreat, isOver: true } };
  writeJournal(box, arrived);
  return arrived;
}

function startsOf({ root }: Box) {
  return objectIn(textOf(join(root, STARTS)), isStarts);
}
