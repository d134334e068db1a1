import { boot } from "./boot.ts";
import { type Box, runningRelease } from "./box.ts";
import { AWAY, factsFrom, type HealthFacts, isRefused, whyNotWell } from "./health.ts";
import { readJournal, writeJournal } from "./journal.ts";
import { keep } from "./keep.ts";
import { modeOf } from "./state.ts";

/** Milliseconds. */
interface Patience {
  /** For so long it has to be well, on end; what cannot become well is given up after as long. */
  readonly steady: number;
  /** Counted from the start of the machine: until then it has to have been. */
  readonly within: number;
}

interface TrialWatch {
  /** How the box is now. */
  readonly look: () => Promise<HealthFacts>;
  /** Milliseconds since the machine started; never steps. */
  readonly uptime: () => number;
  readonly sleep: (ms: number) => Promise<void>;
}

const LOOK_EVERY_MS = 5_000;
const DEFAULT: Patience = { steady: 120_000, within: 600_000 };

/** `tallydeck.trial=STEADY_S,WITHIN_S` on the kernel's command line, for tests. */
export function patienceOf({ commandLine }: Pick<Box, "commandLine">): Patience {
  const [, steady, within] = /(?:^|\s)tallydeck\.trial=(\d+),(\d+)(?:\s|$)/.exec(commandLine) ?? [];
  if (steady === undefined || within === undefined) return DEFAULT;
  return { steady: Number(steady) * 1_000, within: Number(within) * 1_000 };
}

/**
 * Where a release is being tried: keeps it once the box was well for long enough, or restarts into
 * what ran before with a sentence why. A new start of this loses what was steady, and no more.
 */
export async function runTrial(box: Box, watch: TrialWatch): Promise<void> {
  const journal = readJournal(box);
  const mode = modeOf(box, journal);
  // One before this was ended after the commit, and before it could note that.
  if (mode === "normal") await alone(box, () => boot(box));
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
 * Ends a trial that is not well: the box restarts into what it ran before, which says why.
 * @param isOutside what is wrong may be no fault of the release, which may then be tried once more
 */
export function failTrial(box: Box, reason: string, { isOutside = false } = {}): void {
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

/** A trial has to end: who reads the whole card meanwhile is not waited for. */
const PATIENCE_S = 20;

/** While no other program writes the journal, if that can be had. */
async function alone(box: Box, work: () => Promise<void>): Promise<void> {
  const letGo = await box.lock(PATIENCE_S);
  try {
    await work();
  } finally {
    letGo?.();
  }
}

/** @returns undefined once the box was well for long enough */
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
    // No owner mends settings meanwhile, and visitors wait. A new try may be seen before it is
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
