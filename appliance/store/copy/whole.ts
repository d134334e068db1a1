import { type Day, formatDay } from "../../base/calendar.ts";
import type { Clock } from "../../base/clock.ts";
import { firstDayOf, type Month } from "../blocks/month.ts";
import type { SiteKey } from "../counting.ts";
import { timeRun } from "../settling/day-marks.ts";
import { bringSite, type CopiedCounts, copy, othersOf, refuseSame } from "./bring.ts";
import { type CopyEnd, openEnd } from "./end.ts";
import type { Source, Sums } from "./engine.ts";
import { addTo, counterDays, monthsOf, pastOf, sumsOf } from "./reading.ts";
import { type CopyOptions, Interrupted, Retries } from "./run.ts";
import { type Pair, pairsOf } from "./sites.ts";
import { numberOf } from "./sources.ts";
import { bringSurveys } from "./surveys.ts";

/** A copy from one place to another. */
export interface CopyTask extends Pick<CopyOptions, "signal" | "say" | "show"> {
  /** A data folder, or `postgres://…`. */
  readonly source: string;
  readonly target: string;
  readonly clock: Clock;
  /** 0–1. */
  readonly random: () => number;
}

/** The target as people know it, and what it has. */
export type CheckedCopy = Compared & { readonly target: string };

/**
 * Copies, and compares at the end.
 * @param told is called before comparing, with the copied data and the source as people know it
 * @throws {CopyRefused | Interrupted | Refusal} with a sentence for the owner
 */
export function copyAndCheck(
  task: CopyTask,
  told: (brought: CopiedCounts, source: string) => void,
): Promise<CheckedCopy> {
  return onBoth(task, true, async ({ from, to }) => {
    const options = { ...task, from, to };
    const brought = await copy(options);
    told(brought, from.name);
    const patience = new Retries(options);
    const catchUp = async (pair: Pair) => {
      const sources = await patience.with(() => othersOf(options));
      await bringSite(options, pair);
      await bringSurveys(options, patience, { pairs: [pair], sources });
    };
    return patience.with(() =>
      compare({ from, to, catchUp, show: progressOf(task) }, brought.pairs),
    );
  });
}

/** Compares only, and changes nothing. @throws {CopyRefused | Interrupted | Refusal} as `copyAndCheck` */
export function checkCopy(task: CopyTask): Promise<CheckedCopy> {
  return onBoth(task, false, async ({ from, to }) => {
    refuseSame({ from, to });
    return new Retries({ ...task, from, to }).with(async () => {
      const { pairs, missing } = await pairsOf(from, to);
      const show = progressOf(task);
      return compare({ from, to, catchUp: undefined, show }, pairs, missing);
    });
  });
}

async function onBoth(
  { source, target, clock, random }: CopyTask,
  isTarget: boolean,
  work: (ends: { from: CopyEnd; to: CopyEnd }) => Promise<Compared>,
): Promise<CheckedCopy> {
  const from = await openEnd(source, { clock, random, flag: "--from", isTarget: false });
  try {
    const to = await openEnd(target, { clock, random, flag: "--to", isTarget });
    try {
      return { ...(await work({ from, to })), target: to.name };
    } finally {
      await to.close();
    }
  } finally {
    await from.close();
  }
}

function progressOf({ signal, show }: CopyTask) {
  return ({ id }: Pair, share: number) => {
    if (signal.aborted) throw new Interrupted();
    show({ text: `checking ${id} · ${Math.floor(100 * share)} %`, share });
  };
}

/** The outcome of a comparison of both sides. */
interface Compared {
  readonly sites: number;
  /** Days of sites that were compared. */
  readonly days: number;
  /** Names of what the target lacks. */
  readonly less: readonly string[];
  /** Days of sites on which the target has more, which it counted itself or took elsewhere. */
  readonly more: readonly string[];
  /** Days of sites that the target has dropped, for they are past its retention. */
  readonly dropped: readonly string[];
}

interface Comparison {
  readonly from: CopyEnd;
  readonly to: CopyEnd;
  /** Copies counts that came since, where the target has less; undefined for comparing only. */
  readonly catchUp: ((pair: Pair) => Promise<unknown>) | undefined;
  /** @param share of the site's months, 0 to 1 */
  readonly show: (pair: Pair, share: number) => void;
}

/** Counts by origin and day, summed over all values. */
type DaySums = ReadonlyMap<string, ReadonlyMap<Day, Sums>>;

const NONE: Sums = new Map();

/**
 * Compares the counts of each origin in both, but for the origin that the target counts itself. The source is read
 * first, since it may go on counting.
 */
export async function compare(
  comparison: Comparison,
  pairs: readonly Pair[],
  missing: readonly string[] = [],
): Promise<Compared> {
  const { from, to, show } = comparison;
  const found: { -readonly [K in keyof Compared]: K extends "sites" | "days" ? number : string[] } =
    {
      sites: pairs.length,
      days: 0,
      less: missing.map((id) => `${id}: the site`),
      more: [],
      dropped: [],
    };
  for (const pair of pairs) {
    const sources = await from.sourcesOf(pair.site);
    const bySource = await from.months(pair.site, sources);
    const months = [...new Set([...bySource.values()].flat())].sort((a, b) => a - b);
    // Retention has not dropped these.
    const { marks: kept } = await to.read(({ rows }) => timeRun(rows));
    for (const [n, month] of months.entries()) {
      show(pair, n / months.length);
      const source = await sumsIn(from, pair.site, month);
      const target = await caughtUp(comparison, pair, {
        look: () => sumsIn(to, pair.there.key, month),
        isBehind: (sums) => lacking(source, sums, to.origin).length > 0,
      });
      const lacks = Map.groupBy(lacking(source, target, to.origin), ({ day }) => day);
      const days = new Set([...source.values()].flatMap((ofOrigin) => [...ofOrigin.keys()]));
      found.days += days.size;
      for (const day of [...days].sort((a, b) => a - b)) {
        const name = `${pair.id} ${formatDay(day)}`;
        const less = lacks.get(day) ?? [];
        if (less.length === 0) {
          if (isMore(together(source, day), together(target, day))) found.more.push(name);
        } else if (less.every(({ isGone }) => isGone) && !kept.has(day)) found.dropped.push(name);
        else found.less.push(...less.map((each) => `${name}: ${each.name} ${each.says}`));
      }
    }
    found.less.push(...(await othersWithLess(comparison, pair, sources)));
  }
  return found;
}

async function caughtUp<T>(
  { catchUp }: Comparison,
  pair: Pair,
  { look, isBehind }: { look: () => Promise<T>; isBehind: (found: T) => boolean },
): Promise<T> {
  const found = await look();
  if (catchUp === undefined || !isBehind(found)) return found;
  await catchUp(pair);
  return look();
}

/** The sums of a month, by origin and day. */
async function sumsIn(end: CopyEnd, site: SiteKey, month: Month): Promise<DaySums> {
  const sums = new Map<string, Map<Day, Sums>>();
  for (const { number: source, origin } of await end.sourcesOf(site))
    await end.compared(async ({ snapshot }, { tailOf }) => {
      const range = { from: month, to: month };
      const which = { site, source };
      for (const { block, days } of await monthsOf(snapshot, which, range, "counts", tailOf))
        sums.set(
          origin,
          new Map(days.map((day) => [day, sumsOf(block, day - firstDayOf(month))] as const)),
        );
    });
  return sums;
}

interface Less {
  readonly name: string;
  readonly says: string;
}

/** The sums, by day and origin, of which the target has less. */
function lacking(
  source: DaySums,
  target: DaySums,
  own: string,
): (Less & { readonly day: Day; readonly isGone: boolean })[] {
  return [...source].flatMap(([origin, days]) =>
    origin === own
      ? []
      : [...days].flatMap(([day, sums]) => {
          const there: Sums = target.get(origin)?.get(day) ?? NONE;
          return lessOf(sums, there).map((less) => ({ ...less, day, isGone: there.size === 0 }));
        }),
  );
}

function together(sums: DaySums, day: Day): Sums {
  const all = new Map<string, number>();
  for (const days of sums.values()) addTo(all, days.get(day) ?? NONE);
  return all;
}

/** The same of the counters of all time, and of responses. */
async function othersWithLess(
  comparison: Comparison,
  pair: Pair,
  sources: readonly Source[],
): Promise<string[]> {
  const { from, to } = comparison;
  const less: string[] = [];
  for (const { origin } of sources.filter((source) => source.origin !== to.origin)) {
    const totals = await totalsOf(from, pair.site, origin);
    const there = await caughtUp(comparison, pair, {
      look: () => totalsOf(to, pair.there.key, origin),
      isBehind: (sums) => lessOf(totals, sums).length > 0,
    });
    less.push(
      ...lessOf(totals, there).map(({ name, says }) => `${pair.id}: ${name} of all time ${says}`),
    );
    const surveys = await surveySums(from, pair.site, origin);
    const responses = await caughtUp(comparison, pair, {
      look: () => surveySums(to, pair.there.key, origin),
      isBehind: (sums) => lessOf(surveys, sums).length > 0,
    });
    less.push(
      ...lessOf(surveys, responses).map(({ name, says }) => {
        const [version = "", day] = name.split(" ");
        return `${pair.id} ${formatDay(Number(day))}: responses to survey ${version} ${says}`;
      }),
    );
  }
  return less;
}

/** Counters of all time, days past retention included. */
function totalsOf(end: CopyEnd, site: SiteKey, origin: string): Promise<Sums> {
  return end.compared(async (access, { tailOf }) => {
    const source = await numberOf(access, origin);
    if (source === undefined) return NONE;
    const sums = new Map(await pastOf(access.rows, { site, source }));
    for (const day of (await counterDays(access.snapshot, { site, source }, tailOf)).values())
      addTo(sums, day);
    return sums;
  });
}

/** The number of responses by `version day`. */
async function surveySums(end: CopyEnd, site: SiteKey, origin: string): Promise<Sums> {
  const rows = await end.read(async (access) =>
    access.rows<{ name: string; n: number }>(
      `SELECT version || ' ' || day AS name, count(*) AS n FROM survey
       WHERE site = $1 AND source = $2 GROUP BY version, day`,
      [site, (await numberOf(access, origin)) ?? -1],
    ),
  );
  return new Map(rows.map(({ name, n }) => [name, n]));
}

/** The sums of which the target has less, and how much: `3 of 5`. */
function lessOf(source: Sums, target: Sums): Less[] {
  return [...source].flatMap(([name, n]) => {
    const there = target.get(name) ?? 0;
    return there < n ? [{ name, says: `${there} of ${n}` }] : [];
  });
}

function isMore(source: Sums, target: Sums): boolean {
  return [...target].some(([name, n]) => n > (source.get(name) ?? 0));
}
