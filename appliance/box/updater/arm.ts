import { existsSync } from "node:fs";
import { join } from "node:path";
import { otherSlot } from "../../base/release/release.ts";
import { wholeOf } from "../../base/release/tar.ts";
import type { UpdateOutcome } from "../../base/text/update-outcome.ts";
import { DATA_FORMAT } from "../../store/format.ts";
import { configOf, configWithSlot, whileWritable, writeTryboot } from "./boot-partition.ts";
import { BOOT_FOLDER, type Box, releaseIn, runningRelease, runningSlot, TRYBOOT } from "./box.ts";
import { copyData, dropCopy } from "./data-copy.ts";
import { factsNow } from "./facts.ts";
import { type HealthFacts, hasLostNetwork } from "./health.ts";
import { type Attempt, readJournal, writeJournal } from "./journal.ts";
import { modeOf, otherIn, writeState } from "./state.ts";

const UNSEEN = "The box could not be looked at before the update: try again.";
const NO_ADDRESS =
  "The network gives this box no address, so nobody could tell whether the update keeps it: try again once it does, or pull out the network cable.";
const CANNOT = "This board cannot try an update.";

/**
 * Restarts into the release that is prepared, for a trial.
 * @throws {Error} with a sentence when there is none, or the board cannot do it; the box goes on as it is
 */
export async function armUpdate(box: Box, release: number): Promise<void> {
  const { attempt } = readJournal(box);
  if (attempt?.state !== "prepared" || attempt.to.release !== release)
    throw new Error(`Release ${release} is not written to the other slot: install it again.`);
  await arm(box, attempt);
}

/**
 * Restarts into the release of before, for a trial.
 * @throws {Error} as `armUpdate` does
 */
export async function armRollback(box: Box): Promise<void> {
  const journal = readJournal(box);
  const to = otherIn(box, journal);
  if (to === undefined) throw new Error("There is no other release to go back to.");
  const slot = otherSlot(runningSlot(box));
  const format = journal.formats?.[slot];
  if (format !== undefined && DATA_FORMAT.readableBy > format)
    throw new Error(`${to.version} cannot read what this release counted: install a newer one.`);
  const from = runningRelease(box);
  const more = { id: box.newId(), state: "prepared", breaksData: false } as const;
  await arm(box, { kind: "back", slot, to, from, ...more });
}

/** Arms the board. The files for the firmware have to be on the card first, for the box could restart by itself. */
async function arm(box: Box, attempt: Attempt): Promise<void> {
  if (modeOf(box, readJournal(box)) !== "normal")
    throw new Error("This system is being tried, or only visited. Restart the box first.");
  const { slot, to } = attempt;
  if (releaseIn(box, slot)?.release !== to.release || !hasKernel(box, slot))
    throw new Error(`${to.version} is not whole in ${slot}/ on the card: install it again.`);
  writeState(box, { work: { step: "arm", to, done: 0, of: 0 }, problem: "" });
  // While the service still runs.
  const before = factsNow(box) ?? factsNow(box);
  if (attempt.kind === "update") checkBefore(before);
  const armed: Attempt = { ...attempt, id: box.newId(), state: "armed", boot: box.boot, before };
  if (attempt.breaksData) copyData(box, attempt, armed.id);
  try {
    await writeArmed(box, armed, attempt);
  } catch (error) {
    if (attempt.breaksData) dropCopy(box, attempt);
    throw error;
  }
  writeState(box);
  box.run("systemctl", ["reboot"]);
}

/**
 * Refuses an update of a box without facts or a network, where a worse release could pass its trial. A rollback is
 * allowed, since this very fault may be its reason.
 */
function checkBefore(before: HealthFacts | undefined): void {
  if (before === undefined) throw new Error(UNSEEN);
  if (hasLostNetwork(before)) throw new Error(NO_ADDRESS);
}

async function writeArmed(box: Box, armed: Attempt, attempt: Attempt): Promise<void> {
  const config = configWithSlot(configOf(box), armed.slot);
  await whileWritable(box, () => writeTryboot(box, config));
  await checkTryboot(box, config);
  writeJournal(box, { ...readJournal(box), attempt: armed });
  if (boardIsArmed(box)) return;
  await noteRefused(box, attempt);
  throw new Error(CANNOT);
}

/** Whether a slot has what the firmware starts. */
export function hasKernel({ root }: Box, slot: Attempt["slot"]): boolean {
  return ["vmlinuz", "initrd.img", "cmdline.txt"].every((name) =>
    existsSync(join(root, BOOT_FOLDER, slot, name)),
  );
}

/** Checks tryboot.txt on the card: a board that cannot read it may not start at all. */
async function checkTryboot(box: Box, config: string): Promise<void> {
  const found = await wholeOf(box.fromCard(join(box.root, TRYBOOT), config.length));
  if (found.toString("latin1") !== config)
    throw new Error("The card did not give back tryboot.txt: write the image to another card.");
}

/** Only the board's own word counts. */
function boardIsArmed(box: Box): boolean {
  try {
    box.run("systemctl", ["start", "tallydeck-arm.service"]);
    return true;
  } catch {
    return false;
  }
}

/** It is not config.txt under another name, which would need care to remove. */
const NOTHING = "\n# Nothing is to be tried.\n";

/**
 * The written slot stays; an owner may try again after the board's firmware was renewed. The board
 * may be armed all the same, and armed without a tryboot.txt a Pi 5 hangs (HAOS 3842): until the
 * next start there is one that leads here.
 */
async function noteRefused(box: Box, attempt: Attempt): Promise<void> {
  await whileWritable(box, () => writeTryboot(box, configOf(box) + NOTHING));
  const { attempt: _, ...journal } = readJournal(box);
  const last: UpdateOutcome = { kind: "refused", ...attempt.to, at: box.now(), reason: CANNOT };
  const left = attempt.kind === "update" && { attempt };
  writeJournal(box, { ...journal, ...left, last, canTry: false });
}
