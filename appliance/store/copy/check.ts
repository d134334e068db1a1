import { type Day, formatDay } from "../../base/calendar.ts";
import { monthOf } from "../blocks/month.ts";
import type { CopyEnd } from "./end.ts";
import type { Sums } from "./engine.ts";
import type { Pair } from "./sites.ts";

/** What a comparison of both sides found. */
export interface Compared {
  readonly sites: number;
  /** Days of sites that were compared. */
  readonly days: number;
  /** What is missing in the target, named. */
  readonly less: readonly string[];
  /** Days of sites on which the target has more, which it counted itself or took elsewhere. */
  readonly more: readonly string[];
  /** Days of sites that the target has dropped, for they are past its retention. */
  readonly dropped: readonly string[];
}

interface Comparison {
  readonly from: CopyEnd;
  readonly to: CopyEnd;
  /** Brings what came since, where the target has less; undefined where nothing is to be changed. */
  readonly catchUp: ((pair: Pair) => Promise<unknown>) | undefined;
  /** @param share of the site's days, 0 to 1 */
  readonly show: (pair: Pair, share: number) => void;
}

/** The same looks at each pair of sites. The source is looked at first: it may go on counting. */
export async function compare(
  comparison: Comparison,
  pairs: readonly Pair[],
  missing: readonly string[] = [],
): Promise<Compared> {
  const found: { -readonly [K in keyof Compared]: K extends "sites" | "days" ? number : string[] } =
    {
      sites: pairs.length,
      days: 0,
      less: missing.map((id) => `${id}: the site`),
      more: [],
      dropped: [],
    };
  for (const pair of pairs) {
    const { days } = await comparison.from.outline(pair.site);
    const kept = await comparison.to.keptDays();
    let done = 0;
    for (const ofMonth of Map.groupBy(days, ({ day }) => monthOf(day)).values()) {
      const some = ofMonth.map(({ day }) => day);
      comparison.show(pair, done / days.length);
      done += some.length;
      const sums = await daySums(comparison, pair, some);
      found.days += sums.length;
      for (const { day, source, target } of sums) {
        const name = `${pair.id} ${formatDay(day)}`;
        const less = lessOf(source, target);
        if (less.length === 0) {
          if (isMore(source, target)) found.more.push(name);
        } else if (target.size === 0 && !kept.has(day)) found.dropped.push(name);
        else found.less.push(...less.map((each) => `${name}: ${each.name} ${each.says}`));
      }
    }
    found.less.push(...(await othersWithLess(comparison, pair)));
  }
  return found;
}

interface DaySums {
  readonly day: Day;
  readonly source: Sums;
  readonly target: Sums;
}

async function daySums(
  { from, to, catchUp }: Comparison,
  pair: Pair,
  days: readonly Day[],
): Promise<DaySums[]> {
  const source = await from.sums(pair.site, days);
  const lookAt = async () => {
    const target = await to.sums(pair.there.key, days);
    return [...source].map(([day, sums]) => ({
      day,
      source: sums,
      target: target.get(day) ?? new Map(),
    }));
  };
  const found = await lookAt();
  const isBehind = found.some((each) => lessOf(each.source, each.target).length > 0);
  if (!isBehind || catchUp === undefined) return found;
  await catchUp(pair);
  return lookAt();
}

/** The same of the counters of all time, and of responses. */
async function othersWithLess({ from, to, catchUp }: Comparison, pair: Pair): Promise<string[]> {
  const totals = await from.totals(pair.site);
  const surveys = await from.surveySums(pair.site);
  const lookAt = async () => [
    ...lessOf(totals, await to.totals(pair.there.key)).map(
      ({ name, says }) => `${pair.id}: ${name} of all time ${says}`,
    ),
    ...lessOf(surveys, await to.surveySums(pair.there.key)).map(({ name, says }) => {
      const [version = "", day] = name.split(" ");
      return `${pair.id} ${formatDay(Number(day))}: responses to survey ${version} ${says}`;
    }),
  ];
  const found = await lookAt();
  if (found.length === 0 || catchUp === undefined) return found;
  await catchUp(pair);
  return lookAt();
}

/** What the target has less of, and how much: `3 of 5`. */
function lessOf(source: Sums, target: Sums): { name: string; says: string }[] {
  return [...source].flatMap(([name, n]) => {
    const there = target.get(name) ?? 0;
    return there < n ? [{ name, says: `${there} of ${n}` }] : [];
  });
}

function isMore(source: Sums, target: Sums): boolean {
  return [...target].some(([name, n]) => n > (source.get(name) ?? 0));
}
