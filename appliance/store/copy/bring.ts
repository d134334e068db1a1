import type { Day } from "../../base/calendar.ts";
import { PASS_GENERATION } from "../settling/statements.ts";
import type { Transaction } from "../sql.ts";
import { foldRowsOf, nextRows } from "./adding.ts";
import type { CopyEnd } from "./end.ts";
import { CopyRefused, type Source, type Sums } from "./engine.ts";
import { bringMonth } from "./months.ts";
import { counterDays, pastOf, type Which } from "./reading.ts";
import { type CopyOptions, Progress, Retries } from "./run.ts";
import { bringSites, type Pair } from "./sites.ts";
import { numberOf, takeSource } from "./sources.ts";
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

/** A number that no source has. */
const NOWHERE = 2 ** 31 - 1;

/** Counters of days past retention, and of those that are kept. */
interface Totals {
  readonly past: Sums;
  readonly days: ReadonlyMap<Day, Sums>;
}

/**
 * Copies the counts of an origin past retention, which are counters without days. Either side may still have days
 * that the other has dropped. Without those, the past of each side is about days that neither has; the side with
 * the higher sums has all of them.
 */
async function bringPast(
  { from, to }: Pick<CopyOptions, "from" | "to">,
  patience: Retries,
  { pair, source }: { readonly pair: Pair; readonly source: Source },
): Promise<void> {
  const there = async (access: Transaction) => ({
    site: pair.there.key,
    source: (await numberOf(access, source.origin)) ?? NOWHERE,
  });
  const itsOwn = { site: pair.site, source: source.number };
  const pasts = [
    await patience.with(() => from.givenPast(itsOwn)),
    await patience.with(() => to.read(async (access) => pastOf(access.rows, await there(access)))),
  ];
  if (pasts.every(({ size }) => size === 0)) return;
  const here = await patience.with(() => from.read((access) => totalsOf(access, itsOwn)));
  const missing = async (access: Transaction) =>
    changed(here, await totalsOf(access, await there(access)));
  if ((await patience.with(() => to.read(missing))).length === 0) return;
  await patience.with(() =>
    to.transaction(async (access) => {
      await access.rows(PASS_GENERATION);
      const number = await takeSource(access, source);
      await access.all(
        (await missing(access)).map(([counter, n]) => ({
          text: `INSERT INTO past (site, source, counter, n) VALUES ($1, $2, $3, $4)
                 ON CONFLICT (site, source, counter) DO UPDATE SET n = excluded.n`,
          values: [pair.there.key, number, counter, n],
        })),
      );
    }),
  );
}

async function totalsOf({ rows, snapshot }: Transaction, which: Which): Promise<Totals> {
  return { past: await pastOf(rows, which), days: await counterDays(snapshot, which) };
}

/** Counters of the target's past that are to be others. */
function changed(source: Totals, target: Totals): (readonly [string, number])[] {
  const [ofSource, ofTarget] = [rest(source, target.days), rest(target, source.days)];
  return [...new Set([...source.past.keys(), ...target.past.keys()])].flatMap((counter) => {
    const n = Math.max(0, ofSource(counter), ofTarget(counter));
    return n === (target.past.get(counter) ?? 0) ? [] : [[counter, n] as const];
  });
}

/** The counts that a past has of days that neither side keeps, by counter. */
function rest({ past, days }: Totals, others: Totals["days"]): (counter: string) => number {
  const gone = [...others].flatMap(([day, sums]) => (days.has(day) ? [] : [sums]));
  return (counter) =>
    gone.reduce((n, sums) => n - (sums.get(counter) ?? 0), past.get(counter) ?? 0);
}

/**
 * Folds the batches of other sources in the log of a target, which are there after a restore: they
 * would be added to a newer state of theirs. Hits that wait for the clock go on waiting.
 */
async function foldOthers(to: CopyEnd, patience: Retries): Promise<void> {
  const next = async (access: Transaction) => {
    const { number } = await access.own();
    return nextRows(access, (source) => source !== number);
  };
  for (;;) {
    if ((await patience.with(() => to.read(next))).length === 0) return;
    await patience.with(() =>
      to.transaction(async (access) => foldRowsOf(access, await next(access))),
    );
  }
}
