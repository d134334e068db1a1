import { PASS_GENERATION } from "../settling/statements.ts";
import type { CopyEnd } from "./end.ts";
import { CopyRefused, type Source } from "./engine.ts";
import { bringMonth } from "./months.ts";
import { foldOthers } from "./others-log.ts";
import { bringPast } from "./past.ts";
import { type CopyOptions, Progress, Retries } from "./run.ts";
import { bringSites, type Pair } from "./sites.ts";
import { takeSource } from "./sources.ts";
import { bringSurveys } from "./surveys.ts";

/** The days and responses that one run has brought. */
export interface CopiedCounts {
  readonly pairs: readonly Pair[];
  /** Days of sites and sources of which the target had nothing, or an older state. */
  readonly days: number;
  readonly surveys: number;
  /** Hits and responses that wait for the clock in the source: a later run brings them. */
  readonly waiting: number;
}

/**
 * Copies newer counts of every origin from the source to the target, but for the origin that the target counts
 * itself. An interrupted copy can go on later.
 * @throws {CopyRefused | Interrupted}
 */
export async function copy(options: CopyOptions): Promise<CopiedCounts> {
  const { from, to, say } = options;
  refuseSame(options);
  const patience = new Retries(options);
  const sources = await patience.with(() => othersOf(options));
  await foldOthers(to, patience);
  const pairs = await patience.with(() => bringSites(from, to, say));
  // Settings of sites are copied once: from here on they are left to the target.
  await patience.with(() => takeAll(to, sources));
  const progress = new Progress(options, pairs.length);
  let days = 0;
  for (const pair of pairs) {
    days += await bringSite(options, pair, progress);
    progress.done();
  }
  const surveys = await bringSurveys(options, patience, { pairs, sources }, progress);
  await patience.with(() => noteRun(to, sources, options.clock.now()));
  return { pairs, days, surveys, waiting: await patience.with(() => from.waiting()) };
}

/** Copies the counts of one site. @returns the number of days that were copied */
export async function bringSite(
  options: CopyOptions,
  pair: Pair,
  progress?: Progress,
): Promise<number> {
  const { from, to } = options;
  const patience = new Retries(options);
  const all = await patience.with(() => from.sourcesOf(pair.site));
  const sources = all.filter(({ origin }) => origin !== to.origin);
  const months = await patience.with(() => from.months(pair.site, sources));
  const count = [...months.values()].reduce((sum, ofSource) => sum + ofSource.length, 0);
  let [days, done] = [0, 0];
  for (const source of sources) {
    for (const month of months.get(source.number) ?? []) {
      progress?.at(pair.id, month, done / count);
      days += await bringMonth(options, patience, { pair, source, month });
      done += 1;
    }
    await bringPast(options, patience, { pair, source });
  }
  return days;
}

/** The sources of `from`, without the one that `to` counts itself. */
export async function othersOf({
  from,
  to,
}: Pick<CopyOptions, "from" | "to">): Promise<readonly Source[]> {
  const sources = await from.sources();
  return sources.filter(({ origin }) => origin !== to.origin);
}

async function takeAll(to: CopyEnd, sources: readonly Source[]): Promise<void> {
  const known = (await to.sources()).map(({ origin }) => origin);
  if (sources.every(({ origin }) => known.includes(origin))) return;
  await to.transaction(async (access) => {
    await access.rows(PASS_GENERATION);
    for (const source of sources) await takeSource(access, source);
  });
}

async function noteRun(to: CopyEnd, sources: readonly Source[], now: number): Promise<void> {
  await to.transaction(async (access) => {
    await access.all(
      sources.map(({ origin }) => ({
        text: "UPDATE source SET run_at = $2 WHERE origin = $1",
        values: [origin, Math.floor(now)],
      })),
    );
  });
}

export function refuseSame({ from, to }: { from: CopyEnd; to: CopyEnd }): void {
  if (from.origin === to.origin)
    throw new CopyRefused(
      "--from and --to hold the same data: they are one database, or one is made of the other's files. Name another --to, or restore a backup there instead.",
    );
}
