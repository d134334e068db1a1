import type { Release } from "../release/release.ts";
import type { Outcome, Told } from "../release/told.ts";
import type { ThisBoard } from "./boards.ts";
import type { UpdateSettings } from "./settings.ts";
import type { ReadyView, UpdateView } from "./shown.ts";

/** A release that the service knows of, or the updater. */
export interface Candidate extends Release {
  readonly bytes: number;
  readonly notes: string;
  readonly source: ReadyView["source"];
  /** All of it is on this box. */
  readonly isWhole: boolean;
}

/** The service's knowledge besides what it is told. */
interface Known {
  readonly settings: UpdateSettings;
  readonly board: ThisBoard;
  /** Of the service's own: from the network, or uploaded. */
  readonly candidates: readonly Candidate[];
  /** The download that runs right now, in bytes. */
  readonly download: {
    readonly release: number;
    readonly done: number;
    readonly of: number;
  } | null;
  /** The release that is to be installed. */
  readonly wished: number | null;
  /** The last request to the updater, which may not have begun with it. */
  readonly asked: "prepare" | "start" | "back" | null;
  /** Epoch milliseconds. */
  readonly checkedAt: number | null;
  readonly restartsAt: number | null;
  readonly skipped: number | null;
  /** The outcome that the owner has seen, by its `outcomeKey`. */
  readonly seen: string | null;
  /** The problem of the updater that the owner has seen, by its `problemKey`. */
  readonly seenProblem: string | null;
  /** The service's own. */
  readonly problem: string | null;
}

/** Tells one outcome from another. */
export function outcomeKey({ kind, to, at }: Outcome): string {
  return `${kind} ${to.release} ${at}`;
}

/** Tells what the updater finds wrong from what it found before; null where it finds nothing. */
export function problemKey({ problem, problemAt = 0 }: Told): string | null {
  return problem === undefined ? null : `${problemAt} ${problem}`;
}

/** True for an attempt that came to nothing, as long as its owner does not know. */
export function isUnseenFailure({ last }: Told, seen: string | null): boolean {
  if (last === undefined || last.kind === "updated" || last.kind === "back") return false;
  return outcomeKey(last) !== seen;
}

/** True where it is not known whether a trial works on this board. */
export function isUntried({ canTry }: Told, { isTried }: ThisBoard): boolean {
  return canTry !== true && !isTried;
}

/** The releases that the updater found itself. */
export function offersOf({ offers }: Told): Candidate[] {
  return offers.flatMap(({ source, ...offer }) =>
    source === "service" ? [] : [{ ...offer, source, isWhole: true }],
  );
}

function knownOf(told: Told, candidates: readonly Candidate[]): Candidate[] {
  const { prepared } = told;
  const known = [...candidates, ...offersOf(told)];
  // Written already: where its files came from may be forgotten.
  if (prepared !== undefined && !known.some(({ release }) => release === prepared.release))
    known.push({ ...prepared, bytes: 0, notes: "", source: "network", isWhole: true });
  return known;
}

/** The newest release that is newer than the running one, with what is known of it. */
export function readyOf(told: Told, candidates: readonly Candidate[]): Candidate | undefined {
  const { running, other, prepared, failed } = told;
  return (
    knownOf(told, candidates)
      .filter(({ release }) => release > running.release)
      // The release in the other slot is started by going back.
      .filter(
        ({ release }) =>
          release !== other?.release || release === prepared?.release || failed.includes(release),
      )
      // One that is whole is not fetched again.
      .sort((a, b) => b.release - a.release || Number(b.isWhole) - Number(a.isWhole))[0]
  );
}

/** All of it as it is shown. */
export function viewOf(told: Told, known: Known): UpdateView {
  const { settings, board, checkedAt } = known;
  const ready = readyOf(told, known.candidates);
  return {
    running: told.running,
    other: told.other ?? null,
    mode: told.mode,
    updates: settings.mode,
    source: settings.mode === "off" || settings.url === "" ? null : new URL(settings.url).host,
    checkedAt: checkedAt === null ? null : Math.floor(checkedAt / 1_000),
    ready: ready === undefined ? null : readyView(ready, told, known),
    progress: progressOf(told, known),
    next: nextOf(told, known),
    isCalledOff: isCalledOff(told, known),
    restartsAt: known.restartsAt,
    isUntriedBoard: isUntried(told, board),
    couldNotTry: told.canTry === false,
    board: board.model,
    last: lastOf(told, known.seen),
    problem: problemOf(told, known),
  };
}

function readyView(
  { isWhole, ...shown }: Candidate,
  { prepared, work, failed }: Told,
  { download, wished, asked, skipped }: Known,
): ReadyView {
  const { release } = shown;
  const isWriting = work?.to.release === release || (asked === "prepare" && wished === release);
  const state =
    prepared?.release === release
      ? "prepared"
      : isWriting
        ? "writing"
        : isWhole
          ? "downloaded"
          : download?.release === release
            ? "downloading"
            : "offered";
  return {
    ...shown,
    state,
    failedBefore: failed.includes(release),
    isSkipped: release === skipped,
  };
}

function progressOf({ work }: Told, { asked, download }: Known): UpdateView["progress"] {
  if (work !== undefined) return { step: work.step, done: work.done, of: work.of };
  // It takes root a moment to begin.
  if (asked === "start" || asked === "back") return { step: "arm", done: 0, of: 0 };
  return download && { step: "download", done: download.done, of: download.of };
}

function nextOf(told: Told, { wished, asked, candidates }: Known): UpdateView["next"] {
  const next =
    told.work?.to ??
    (asked === "back"
      ? told.other
      : knownOf(told, candidates).find(({ release }) => release === wished));
  return next === undefined ? null : { release: next.release, version: next.version };
}

function isCalledOff({ work }: Told, { wished }: Known): boolean {
  return work !== undefined && !isRestart(work) && work.to.release !== wished;
}

/** Whether the box is about to be away. */
export function isRestart({ step }: NonNullable<UpdateView["progress"]>): boolean {
  return step === "arm" || step === "restart";
}

function problemOf(told: Told, { problem, seenProblem }: Known): UpdateView["problem"] {
  const found = told.problem ?? null;
  // It is about the visit, and holds as long as that does.
  if (told.mode === "visit") return found;
  return problem ?? (problemKey(told) === seenProblem ? null : found);
}

function lastOf({ last }: Told, seen: string | null): UpdateView["last"] {
  if (last === undefined) return null;
  const { kind, to, at, reason = null } = last;
  return { ...to, kind, at, reason, isSeen: outcomeKey(last) === seen };
}
