import { boot } from "./boot.ts";
import { type Box, keepLog, patienceOf, runningRelease } from "./box.ts";
import {
  AWAY,
  factsFrom,
  type HealthFacts,
  type HealthWatch,
  isRefused,
  whyNotWell,
} from "./health.ts";
import { readJournal, writeJournal } from "./journal.ts";
import { keep } from "./keep.ts";
import { modeOf } from "./state.ts";

interface TrialWatch extends HealthWatch {
  readonly sleep: (ms: number) => Promise<void>;
}

const LOOK_EVERY_MS = 5_000;
/**
 * Judges a release on trial: keeps it once the box was healthy for long enough, or restarts into the release before,
 * with a sentence about the reason. After a restart of this program, the healthy time starts again.
 */
export async function runTrial(box: Box, watch: TrialWatch): Promise<void> {
  const journal = readJournal(box);
  const mode = modeOf(box, journal);
  // An earlier run may have ended between the commit and its note.
  if (mode === "normal") await alone(box, async () => void (await boot(box)));
  if (mode !== "trial") return;
  const why = await whyNotKept(box, watch, factsFrom(journal.attempt?.before));
  await alone(box, () => endTrial(box, why));
}

async function endTrial(box: Box, why: string | undefined): Promise<void> {
  if (why !== undefined) {
    failTrial(box, why, { isOutside: why === AWAY });
    return;
  }
  try {
    await keep(box);
  } catch (error) {
    failTrial(box, (error as Error).message);
  }
}

/**
 * Ends a failed trial: the box restarts into the release before, which reports the reason.
 * @param isOutside whether the cause may be outside of the release, which may then be tried again
 */
export function failTrial(box: Box, reason: string, { isOutside = false } = {}): void {
  try {
    const journal = readJournal(box);
    const { attempt } = journal;
    const ended = { reason: reason.slice(0, MOST_REASON), ...(isOutside && { isOutside }) };
    keepLog(box);
    if (attempt !== undefined) writeJournal(box, { ...journal, attempt: { ...attempt, ...ended } });
  } finally {
    box.run("systemctl", ["reboot"]);
  }
}

/** The most characters of a reason, which may quote the service, and is shown on keys and a screen. */
const MOST_REASON = 500;

/** Seconds of waiting for the lock. A trial has to end, even while another program reads the whole card. */
const PATIENCE_S = 20;

/** Runs work, under the lock of the journal if that can be taken in time. */
async function alone(box: Box, work: () => Promise<void>): Promise<void> {
  const letGo = await box.lock(PATIENCE_S);
  try {
    await work();
  } finally {
    letGo?.();
  }
}

/** @returns undefined once the box was healthy for long enough */
async function whyNotKept(
  box: Box,
  { look, uptime, sleep }: TrialWatch,
  before: HealthFacts | undefined,
): Promise<string | undefined> {
  const { version } = runningRelease(box);
  const { steady, within } = patienceOf(box);
  let last: readonly string[] = [];
  let well: { readonly since: number; readonly restarts: number } | undefined;
  let refused: { readonly since: number; readonly problems: readonly string[] } | undefined;
  for (;;) {
    const startedAt = uptime();
    const now = await seen(look);
    const problems = typeof now === "string" ? [now] : whyNotWell(now, { before, version });
    const { restarts = 0 } = typeof now === "string" ? {} : now.service;
    if (well !== undefined && restarts > well.restarts)
      problems.unshift("The service stops by itself.");
    if (problems.length > 0) [last, well] = [problems, undefined];
    else well ??= { since: uptime(), restarts };
    if (well !== undefined && uptime() - well.since >= steady) return;
    // The owner does not repair settings meanwhile, and visitors wait. A new try may be seen before it is
    // refused too.
    if (typeof now !== "string" && now.service.state === "active") refused = undefined;
    if (typeof now !== "string" && isRefused(now.service))
      refused ??= { since: uptime(), problems };
    if (refused !== undefined && uptime() - refused.since >= steady)
      return reasonOf(refused.problems, steady);
    if (uptime() >= within) return reasonOf(last, steady);
    await sleep(Math.max(0, LOOK_EVERY_MS - (uptime() - startedAt)));
  }
}

async function seen(look: TrialWatch["look"]): Promise<HealthFacts | string> {
  try {
    return await look();
  } catch (error) {
    return `How the box is cannot be told: ${(error as Error).message}`;
  }
}

/** A screen and a key have no room for all of it. */
const MOST_SENTENCES = 3;

function reasonOf(problems: readonly string[], steady: number): string {
  return (
    problems.slice(0, MOST_SENTENCES).join(" ") ||
    `It started too late to be well for ${steady / 1_000} seconds.`
  );
}
