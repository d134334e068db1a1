import type { Day } from "../../base/calendar.ts";
import type { SourceDays } from "../../store/desk.ts";

interface ImportWish {
  /** The days that are named; without them, those before the first day that was counted here. */
  readonly named?: { readonly from: Day; readonly to: Day } | undefined;
  /** Whether days of other imports are replaced. */
  readonly replaces: boolean;
}

export type LeftOut = "counted" | "after" | "unnamed" | "today" | "retention";

/** An import whose days are about to be replaced. */
interface Replaced {
  readonly source: SourceDays;
  /** Ascending. */
  readonly days: readonly Day[];
}

export interface ImportPlan {
  /** The days to write, ascending; those that the import has already among them. */
  readonly days: readonly Day[];
  /** The number of those that it does not have yet. */
  readonly fresh: number;
  readonly left: ReadonlyMap<LeftOut, number>;
  /** The days that are left out by their age alone: of an export of ours, their sums stay. */
  readonly old: readonly Day[];
  readonly replaced: readonly Replaced[];
  /** The first day that was counted here; undefined for none. */
  readonly firstOwn: Day | undefined;
}

/**
 * Decides which days of a file are taken. A day has one owner: what was counted here is never added to, and a day of
 * another import only where the owner wants to replace it.
 * @param origin of the import
 */
export function planImport(
  days: Iterable<Day>,
  {
    sources,
    origin,
    today,
    retentionDays,
    wish,
  }: {
    readonly sources: readonly SourceDays[];
    readonly origin: string;
    readonly today: Day;
    readonly retentionDays: number;
    readonly wish: ImportWish;
  },
): ImportPlan {
  const itself = sources.find((source) => source.origin === origin);
  const imports = sources.filter(({ kind }) => kind === "import");
  const there = daysOf(sources);
  const counted = daysOf(sources.filter(({ kind }) => kind !== "import"));
  const firstOwn = counted.size === 0 ? undefined : Math.min(...counted);
  const has = new Set(itself?.days.map(({ day }) => day));
  const left = new Map<LeftOut, number>();
  const wanted: Day[] = [];
  const old: Day[] = [];
  for (const day of days) {
    const why = has.has(day) ? undefined : reason(day);
    if (why === undefined) wanted.push(day);
    else left.set(why, (left.get(why) ?? 0) + 1);
    if (why === "retention" && isNamed(day) && !there.has(day)) old.push(day);
  }
  wanted.sort((a, b) => a - b);
  const replaced = imports
    .filter((source) => source !== itself)
    .map((source) => {
      const its = new Set(source.days.map(({ day }) => day));
      return { source, days: wanted.filter((day) => its.has(day)) };
    })
    .filter((one) => one.days.length > 0);
  return {
    days: wanted,
    fresh: wanted.filter((day) => !has.has(day)).length,
    left,
    old,
    replaced,
    firstOwn,
  };

  function isNamed(day: Day): boolean {
    const { named } = wish;
    return named === undefined || (day >= named.from && day <= named.to);
  }

  function reason(day: Day): LeftOut | undefined {
    if (day >= today) return "today";
    if (day <= today - retentionDays) return "retention";
    if (counted.has(day)) return "counted";
    if (wish.named !== undefined) return isNamed(day) ? undefined : "unnamed";
    return firstOwn !== undefined && day > firstOwn ? "after" : undefined;
  }
}

function daysOf(sources: readonly SourceDays[]): Set<Day> {
  return new Set(sources.flatMap(({ days }) => days.map(({ day }) => day)));
}
