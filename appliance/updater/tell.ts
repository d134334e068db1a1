import { join } from "node:path";
import { replaceFile, textOf } from "../base/files.ts";
import { otherSlot, type Release, type Slot } from "../release/release.ts";
import { type Offer, TOLD_FILE, type Told, type Work } from "../release/told.ts";
import { type Box, releaseIn, runningRelease, runningSlot, TOLD } from "./box.ts";
import { type Attempt, type Journal, readJournal } from "./journal.ts";
import { modeOf } from "./mode.ts";

/** The news; the rest is as it was told since the start of the machine. */
interface News {
  readonly offers?: readonly Offer[];
  readonly work?: Work;
  /** A sentence; an empty one when nothing is wrong any more. */
  readonly problem?: string;
}

const VISITED =
  "The other system runs now, because of the jumper on pins 5 and 6 or because something else asked for it. Nothing is kept of it: take the jumper off and restart, or make it this box's own.";
const ROTTEN =
  "The card does not give back what was written to it. Make a backup, and write the image to another card.";

/** Says to the service how things are. */
export function tell(box: Box, { offers, work, problem }: News = {}): void {
  const before = toldOf(box);
  const journal = readJournal(box);
  const { attempt, last, failed, canTry } = journal;
  const running = { ...runningRelease(box), slot: runningSlot(box) };
  const mode = modeOf(box, journal);
  const other = otherIn(box, journal);
  const wrong = (problem ?? momentary(before)) || standing(running.slot, mode, journal);
  const told: Told = {
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
  replaceFile(join(box.root, TOLD, TOLD_FILE), JSON.stringify(told), 0o644);
}

/** Only what was kept once: what is being written is nothing yet, and what was only tried was not well. */
export function otherIn(box: Box, { highest, attempt }: Journal): Release | undefined {
  const slot = otherSlot(runningSlot(box));
  if (attempt?.slot === slot && attempt.kind === "update") return;
  const release = releaseIn(box, slot);
  return release !== undefined && release.release <= highest ? release : undefined;
}

/** Once it is armed, the box restarts, whatever else was to be told. */
function workOf(work: Work | undefined, mode: Told["mode"], attempt: Attempt | undefined) {
  if (work !== undefined) return { work };
  if (mode !== "normal" || attempt?.state !== "armed") return {};
  return { work: { step: "restart", to: attempt.to, done: 0, of: 0 } as const };
}

/** The problem of a request, not one that shows anew each time. */
function momentary(before: Told | undefined): string | undefined {
  const { problem } = before ?? {};
  return problem === VISITED || problem === ROTTEN ? undefined : problem;
}

function standing(slot: Slot, mode: Told["mode"], { rotten }: Journal): string | undefined {
  if (rotten === slot) return ROTTEN;
  return mode === "visit" ? VISITED : undefined;
}

/** A problem that is told anew happened anew, be it in the same words. */
function foundAt({ now }: Box, wrong: string, isNew: boolean, before: Told | undefined): number {
  return isNew || before?.problem !== wrong ? now() : (before.problemAt ?? now());
}

/** The last report; undefined before there is one. */
export function toldOf(box: Box): Told | undefined {
  try {
    return JSON.parse(textOf(join(box.root, TOLD, TOLD_FILE)) ?? "") as Told;
  } catch {
    return undefined;
  }
}
