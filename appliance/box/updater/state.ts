import { join } from "node:path";
import { objectIn } from "../../base/input/json.ts";
import { otherSlot, type Release, type Slot } from "../../base/release/release.ts";
import {
  type BundleOffer,
  STATE_FILE,
  type UpdaterState,
  type UpdaterWork,
} from "../../base/release/updater-state.ts";
import { replaceFile, textOf } from "../../base/system/files.ts";
import { configOf, slotOfConfig } from "./boot-partition.ts";
import { type Box, releaseIn, runningRelease, runningSlot, STATE_FOLDER } from "./box.ts";
import { type Attempt, type Journal, readJournal } from "./journal.ts";

/** The reason that this system runs: config.txt says so, it is tried, or neither. */
export function modeOf(box: Box, { attempt }: Journal): UpdaterState["mode"] {
  if (isRule(box)) return "normal";
  const isTried =
    attempt !== undefined &&
    isRunning(box, attempt) &&
    (attempt.state === "armed" || (attempt.state === "started" && attempt.boot === box.boot));
  return isTried ? "trial" : "visit";
}

/** Whether config.txt starts the running slot. */
export function isRule(box: Box): boolean {
  return slotOfConfig(configOf(box)) === runningSlot(box);
}

/** Whether the running release is that of the attempt. */
export function isRunning(box: Box, { slot, to }: Pick<Attempt, "slot" | "to">): boolean {
  return slot === runningSlot(box) && to.release === runningRelease(box).release;
}

/** Whether an attempt was armed: it started, or the power failed before. */
export function wasArmed({ state }: Attempt): boolean {
  return state === "armed" || state === "started";
}

/** Changes to the state; the rest stays as it was since the start of the machine. */
interface News {
  readonly offers?: readonly BundleOffer[];
  readonly work?: UpdaterWork;
  /** A sentence; an empty one when nothing is wrong any more. */
  readonly problem?: string;
}

const VISITED =
  "The other system runs now, because of the jumper on pins 5 and 6 or because something else asked for it. Nothing is kept of it: take the jumper off and restart, or make it this box's own.";
const ROTTEN =
  "The card does not give back what was written to it. Make a backup, and write the image to another card.";

/** Says to the service how things are. */
export function writeState(box: Box, { offers, work, problem }: News = {}): void {
  const before = readState(box);
  const journal = readJournal(box);
  const { attempt, last, failed, canTry } = journal;
  const running = { ...runningRelease(box), slot: runningSlot(box) };
  const mode = modeOf(box, journal);
  const other = otherIn(box, journal);
  const wrong = (problem ?? momentary(before)) || standing(running.slot, mode, journal);
  const state: UpdaterState = {
    running,
    ...(other && { other }),
    mode,
    offers: (offers ?? before?.offers ?? []).filter(({ release }) => release > running.release),
    ...(attempt !== undefined && attempt.state === "prepared" && { prepared: attempt.to }),
    ...workOf(work, mode, attempt),
    ...(last && { last }),
    failed,
    ...(canTry !== undefined && { canTry }),
    ...(wrong && { problem: wrong, problemAt: foundAt(box, wrong, wrong === problem, before) }),
  };
  replaceFile(join(box.root, STATE_FOLDER, STATE_FILE), JSON.stringify(state), 0o644);
}

/** The release of the other slot, if it was kept once. One that is being written, or has failed its trial, does not count. */
export function otherIn(box: Box, { highest, attempt }: Journal): Release | undefined {
  const slot = otherSlot(runningSlot(box));
  if (attempt?.slot === slot && attempt.kind === "update") return;
  const release = releaseIn(box, slot);
  return release !== undefined && release.release <= highest ? release : undefined;
}

/** The present work. After arming it is the restart in any case. */
function workOf(
  work: UpdaterWork | undefined,
  mode: UpdaterState["mode"],
  attempt: Attempt | undefined,
) {
  if (work !== undefined) return { work };
  if (mode !== "normal" || attempt?.state !== "armed") return {};
  return { work: { step: "restart", to: attempt.to, done: 0, of: 0 } as const };
}

/** The problem of a request, and not one that is found again each time. */
function momentary(before: UpdaterState | undefined): string | undefined {
  const { problem } = before ?? {};
  return problem === VISITED || problem === ROTTEN ? undefined : problem;
}

function standing(slot: Slot, mode: UpdaterState["mode"], { rotten }: Journal): string | undefined {
  if (rotten === slot) return ROTTEN;
  return mode === "visit" ? VISITED : undefined;
}

/** The time of a problem. A new report is a new problem, even in the same words. */
function foundAt(
  { now }: Box,
  wrong: string,
  isNew: boolean,
  before: UpdaterState | undefined,
): number {
  return isNew || before?.problem !== wrong ? now() : (before.problemAt ?? now());
}

/** The last report; undefined before there is one. */
export function readState(box: Box): UpdaterState | undefined {
  return objectIn(textOf(join(box.root, STATE_FOLDER, STATE_FILE)));
}
