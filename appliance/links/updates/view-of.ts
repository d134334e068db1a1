import type { UpdaterState } from "../../base/release/updater-state.ts";
import type { UpdateOutcome } from "../../base/text/update-outcome.ts";
import type { ThisBoard } from "./boards.ts";
import type { UpdateRecord } from "./record.ts";
import { asksHost, type UpdateSettings } from "./settings.ts";
import type { Candidate, ReadyRelease, UpdateView } from "./view.ts";

interface ServiceKnowledge {
  readonly record: UpdateRecord;
  readonly settings: UpdateSettings;
  readonly board: ThisBoard;
  /** The service's own candidates: from the network, or uploaded. */
  readonly candidates: readonly Candidate[];
  /** The download that runs right now, in bytes. */
  readonly download: {
    readonly release: number;
    readonly done: number;
    readonly of: number;
  } | null;
  /** The last request to the updater, which may not have begun with it. */
  readonly requested: "prepare" | "arm" | "rollback" | null;
  /** Epoch milliseconds. */
  readonly restartsAt: number | null;
}

function outcomeKey({ kind, release, at }: UpdateOutcome): string {
  return `${kind} ${release} ${at}`;
}

export function lastKey({ last }: UpdaterState): string | null {
  return last === undefined ? null : outcomeKey(last);
}

export function problemKey({ problem, problemAt = 0 }: UpdaterState): string | null {
  return problem === undefined ? null : `${problemAt} ${problem}`;
}

/** Whether the last attempt has failed, and the owner has not seen it. */
export function isUnseenFailure({ last }: UpdaterState, seen: string | null): boolean {
  if (last === undefined || last.kind === "updated" || last.kind === "back") return false;
  return outcomeKey(last) !== seen;
}

/** Whether trials are untested on this board. */
export function isUntried({ canTry }: UpdaterState, { isTried }: ThisBoard): boolean {
  return canTry !== true && !isTried;
}

export function offeredByUpdater({ offers }: UpdaterState): Candidate[] {
  return offers.flatMap(({ source, ...offer }) =>
    source === "service" ? [] : [{ ...offer, source, isWhole: true }],
  );
}

function knownOf(state: UpdaterState, candidates: readonly Candidate[]): Candidate[] {
  const { prepared } = state;
  const known = [...candidates, ...offeredByUpdater(state)];
  // A prepared release may have no known files any more.
  if (prepared !== undefined && !known.some(({ release }) => release === prepared.release))
    known.push({ ...prepared, bytes: 0, notes: "", source: "network", isWhole: true });
  return known;
}

/** The newest release above the running one, with its state. */
export function readyOf(
  state: UpdaterState,
  candidates: readonly Candidate[],
): Candidate | undefined {
  const { running, other, prepared, failed } = state;
  return (
    knownOf(state, candidates)
      .filter(({ release }) => release > running.release)
      // The release in the other slot is started by going back.
      .filter(
        ({ release }) =>
          release !== other?.release || release === prepared?.release || failed.includes(release),
      )
      // A complete release is not fetched again.
      .sort((a, b) => b.release - a.release || Number(b.isWhole) - Number(a.isWhole))[0]
  );
}

export function updateViewOf(state: UpdaterState, known: ServiceKnowledge): UpdateView {
  const { settings, board } = known;
  const { checkedAt, seen } = known.record;
  const ready = readyOf(state, known.candidates);
  return {
    running: state.running,
    other: state.other ?? null,
    mode: state.mode,
    updates: settings.mode,
    source: asksHost(settings) ? new URL(settings.url).host : null,
    checkedAt: checkedAt === null ? null : Math.floor(checkedAt / 1_000),
    ready: ready === undefined ? null : readyView(ready, state, known),
    progress: progressOf(state, known),
    next: nextOf(state, known),
    isCalledOff: isCalledOff(state, known),
    restartsAt: known.restartsAt,
    isUntriedBoard: isUntried(state, board),
    couldNotTry: state.canTry === false,
    board: board.model,
    last: lastOf(state, seen),
    problem: problemOf(state, known),
  };
}

function readyView(
  { isWhole, ...shown }: Candidate,
  { prepared, work, failed }: UpdaterState,
  { record: { wish, skipped }, download, requested }: ServiceKnowledge,
): ReadyRelease {
  const { release } = shown;
  const isAsked = requested === "prepare" && wish?.release === release;
  const isWriting = work?.to.release === release || isAsked;
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

function progressOf(
  { work }: UpdaterState,
  { requested, download }: ServiceKnowledge,
): UpdateView["progress"] {
  if (work !== undefined) return { step: work.step, done: work.done, of: work.of };
  // Root takes a moment to begin.
  if (requested === "arm" || requested === "rollback") return { step: "arm", done: 0, of: 0 };
  return download && { step: "download", done: download.done, of: download.of };
}

function nextOf(
  state: UpdaterState,
  { record: { wish }, requested, candidates }: ServiceKnowledge,
): UpdateView["next"] {
  const next =
    state.work?.to ??
    (requested === "rollback"
      ? state.other
      : knownOf(state, candidates).find(({ release }) => release === wish?.release));
  return next === undefined ? null : { release: next.release, version: next.version };
}

function isCalledOff({ work }: UpdaterState, { record: { wish } }: ServiceKnowledge): boolean {
  return work !== undefined && !isRestart(work) && work.to.release !== wish?.release;
}

/** Whether the box is about to be away. */
export function isRestart({ step }: NonNullable<UpdateView["progress"]>): boolean {
  return step === "arm" || step === "restart";
}

function problemOf(
  state: UpdaterState,
  { record: { problem, seenProblem } }: ServiceKnowledge,
): UpdateView["problem"] {
  const found = state.problem ?? null;
  // The reason is about the visit, and holds as long as the visit.
  if (state.mode === "visit") return found;
  return problem ?? (problemKey(state) === seenProblem ? null : found);
}

function lastOf({ last }: UpdaterState, seen: string | null): UpdateView["last"] {
  return last === undefined ? null : { ...last, isSeen: outcomeKey(last) === seen };
}
