import { bringDays } from "./days.ts";
import type { CopyEnd } from "./end.ts";
import { CopyRefused } from "./engine.ts";
import type { CopyOptions } from "./options.ts";
import { bringPast } from "./past.ts";
import { Patience } from "./patience.ts";
import { Progress } from "./progress.ts";
import type { Outline } from "./reading.ts";
import { bringSites, type Pair } from "./sites.ts";
import { bringSurveys } from "./surveys.ts";

/** What one run has brought. */
export interface Brought {
  readonly pairs: readonly Pair[];
  /** Days of sites on which there was anything to bring. */
  readonly days: number;
  readonly surveys: number;
  /** What waits for the clock in the source: a later run brings it. */
  readonly waiting: number;
}

/**
 * Adds to the target what the source has and no run before has brought. An end at any moment leaves
 * both as they can be gone on from.
 * @throws {CopyRefused | Interrupted}
 */
export async function copy(options: CopyOptions): Promise<Brought> {
  const { from, to, say } = options;
  refuseSame(options);
  const patience = new Patience(options);
  const pairs = await patience.with(() => bringSites(from, to, say));
  const outlines = new Map<Pair, Outline>();
  for (const pair of pairs) outlines.set(pair, await patience.with(() => from.outline(pair.site)));
  const all = [...outlines.values()].reduce((sum, { days }) => sum + days.length, 0);
  const progress = new Progress(options, all);
  let days = 0;
  for (const [pair, outline] of outlines) days += await bringSite(options, pair, outline, progress);
  const surveys = await bringSurveys(options, patience, pairs, progress);
  return { pairs, days, surveys, waiting: await patience.with(() => from.waiting()) };
}

/**
 * Brings what is counted of one site.
 * @param outline what there is of it; looked up where it is not given
 * @returns how many days there was anything to bring of
 */
export async function bringSite(
  options: CopyOptions,
  pair: Pair,
  outline?: Outline,
  progress?: Progress,
): Promise<number> {
  const patience = new Patience(options);
  const there = outline ?? (await patience.with(() => options.from.outline(pair.site)));
  await patience.with(() => bringPast(options, pair, there));
  return bringDays(options, patience, pair, there, progress);
}

export function refuseSame({ from, to }: { from: CopyEnd; to: CopyEnd }): void {
  if (from.id === to.id)
    throw new CopyRefused(
      "--from and --to hold the same data: they are one database, or one was made from a backup of the other. Name another --to.",
    );
}
