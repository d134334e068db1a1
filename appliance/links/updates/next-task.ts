import { DAY_MS } from "../../base/calendar.ts";
import type { UpdaterRequest, UpdaterState } from "../../base/release/updater-state.ts";
import type { ThisBoard } from "./boards.ts";
import type { UpdateRecord, Wish } from "./record.ts";
import { asksHost, type UpdateSettings } from "./settings.ts";
import type { Candidate } from "./view.ts";
import { isUnseenFailure, isUntried, lastKey, offeredByUpdater, readyOf } from "./view-of.ts";

export interface UpdateFacts {
  readonly state: UpdaterState;
  readonly record: UpdateRecord;
  readonly settings: UpdateSettings;
  readonly board: ThisBoard;
  readonly candidates: readonly Candidate[];
  /** Epoch milliseconds, and whether that is the time. */
  readonly now: number;
  readonly isSure: boolean;
  /** Names this boot of the machine. */
  readonly boot: string;
  /** Milliseconds since a request for which the updater has done nothing. */
  readonly silentMs: number;
  /** The rest of the countdown, milliseconds; null before it began. */
  readonly countdown: number | null;
}

/** One thing to do; those of a wish are about its release. */
export type UpdateTask =
  | { readonly kind: "fetch" | "count-down" | "tonight" | "clean" }
  /** Plans a check for some time after `from`, epoch milliseconds. */
  | { readonly kind: "plan-check"; readonly from: number }
  /** `isAsked`: requested by the owner, who gets the outcome in any case. */
  | { readonly kind: "check"; readonly isAsked: boolean }
  | {
      readonly kind: "request";
      readonly request: Extract<UpdaterRequest, "prepare" | "arm">;
      readonly release: number;
    }
  /** A wish of the box itself; `before` as in a wish. */
  | { readonly kind: "wish"; readonly release: number; readonly before: string | null }
  /** The wish is fulfilled, or impossible; then with a sentence where there is no other reason. */
  | {
      readonly kind: "end";
      readonly wish: Wish;
      readonly problem: string | null;
      readonly isRefused: boolean;
    };

/** The longest times ahead: later plans come from a wrong clock. */
const LONGEST = { check: 10 * DAY_MS, night: 1.1 * DAY_MS, retry: DAY_MS / 12, rest: DAY_MS };
const SILENT_MS = 120_000;
const ANSWERED_MS = 10_000;
/** A box that was off at four, or still wrote, waits for the next night. */
const LATE_MS = 30 * 60_000;

/** The next task; undefined where it is to wait. */
export function nextUpdateTask(facts: UpdateFacts): UpdateTask | undefined {
  const { wish } = facts.record;
  return wish === null ? atRest(facts) : towards(wish, facts);
}

function towards(wish: Wish, facts: UpdateFacts): UpdateTask | undefined {
  const { state, settings, candidates, boot, now, silentMs } = facts;
  const { release } = wish;
  const ended = (problem: string | null = null, isRefused = false): UpdateTask => ({
    kind: "end",
    wish,
    problem,
    isRefused,
  });
  if (state.running.release >= release) return ended();
  if (wish.isByItself && settings.mode !== "auto") return ended();
  if (state.last?.release === release && isUnseenFailure(state, wish.before)) return ended();
  if (state.mode === "visit")
    return ended("The other system was started, so nothing is installed into it. Ask again later.");
  if (state.mode === "trial") return undefined;
  // The trial is over, though by a clock that stood still it ended at the same time as the one before.
  const wasStarted = wish.requested?.request === "arm" && wish.requested.boot !== boot;
  if (wasStarted && state.prepared?.release !== release) return ended();
  const requested = wish.requested?.boot === boot ? wish.requested.request : undefined;
  // The updater has taken the request, does nothing, and has a reason.
  const isRefused = state.problem !== undefined && silentMs >= ANSWERED_MS;
  const isSilent = silentMs >= SILENT_MS;
  const why = isRefused ? state.problem : isSilent ? SILENCE : undefined;
  if (requested === "arm") return why === undefined ? undefined : ended(why);
  if (state.prepared?.release === release) return restart(wish, facts);
  // The files that were to be written may not be as they were.
  if (requested === "prepare") return why === undefined ? undefined : ended(why, true);
  if (state.work !== undefined) return undefined;
  const known = [...candidates, ...offeredByUpdater(state)].filter(
    (each) => each.release === release,
  );
  if (known.some(({ isWhole }) => isWhole)) return { kind: "request", request: "prepare", release };
  if (known.length === 0)
    return ended(
      `Release ${release} is not here any more. Look for it again, or insert the stick.`,
    );
  return isAhead(wish.retryAt, now, LONGEST.retry) ? undefined : { kind: "fetch" };
}

const SILENCE = "The updater did not do what it was asked for. Restart the box and try again.";

/** The restart into a prepared release, or its time. */
function restart(
  { when, restartsAt, release }: Wish,
  { now, isSure, countdown }: UpdateFacts,
): UpdateTask | undefined {
  const arm = { kind: "request", request: "arm", release } as const;
  if (when === "now") {
    if (countdown === null) return { kind: "count-down" };
    return countdown <= 0 ? arm : undefined;
  }
  // Without a sure clock the night is unknown.
  if (!isSure || isAhead(restartsAt, now, LONGEST.night)) return undefined;
  const isDue = restartsAt !== null && now >= restartsAt && now - restartsAt <= LATE_MS;
  return isDue ? arm : { kind: "tonight" };
}

function atRest(facts: UpdateFacts): UpdateTask | undefined {
  const { state, record, settings, candidates, now, isSure } = facts;
  if (state.mode !== "normal") return undefined;
  if (candidates.some(({ release }) => release <= state.running.release)) return { kind: "clean" };
  if (!isSure) return undefined;
  const release = settings.mode === "auto" ? byItself(facts) : undefined;
  if (release !== undefined) return { kind: "wish", release, before: lastKey(state) };
  if (!asksHost(settings)) return undefined;
  const { nextCheckAt } = record;
  if (isAhead(nextCheckAt, now, LONGEST.check)) return undefined;
  const isDue = nextCheckAt !== null && now >= nextCheckAt;
  return isDue ? { kind: "check", isAsked: false } : { kind: "plan-check", from: now };
}

function byItself({ state, record, board, candidates, now }: UpdateFacts): number | undefined {
  const { release } = readyOf(state, candidates) ?? {};
  const isUnwanted =
    release === undefined || release === record.skipped || state.failed.includes(release);
  // After a failed flag for a trial, only the owner tries again, since there is no sign of a change.
  const isInVain = state.canTry === false || isUntried(state, board);
  if (isUnwanted || isInVain) return undefined;
  return isAhead(record.autoAfter, now, LONGEST.rest) ? undefined : release;
}

/** Whether a time is ahead; false for one too far ahead, which a wrong clock has planned. */
function isAhead(at: number | null, now: number, most: number): boolean {
  return at !== null && at > now && at - now <= most;
}
