import { formatDay } from "../../base/calendar.ts";
import { dimensionOf, type ListName } from "../../base/text/dimensions.ts";
import { type Goal, matchOf } from "../../base/text/goals.ts";
import type { BlockReader } from "../blocks/block-reader.ts";
import type { ValueCounts } from "../blocks/filter.ts";
import { firstDayOf } from "../blocks/month.ts";
import type { GoalsQuery } from "../queries.ts";
import type { GoalsAnswer } from "../reports.ts";
import type { BlockCounts } from "./block-counts.ts";
import type { SiteDays } from "./site-counts.ts";
import { firstDay } from "./stats.ts";
import type { BlockSink, ValuePass } from "./values.ts";

/** The dimension in which a goal is a value, and what it counts there: an event each time, a page by its visitors. */
const COUNTED = {
  event: { name: "event", of: "views" },
  page: { name: "path", of: "visitors" },
  sum: { name: "event_value", of: "views" },
} as const;

/** The body of `/goals`: how often each goal was reached, by day. */
export async function goalsOf(source: BlockCounts, query: GoalsQuery): Promise<GoalsAnswer> {
  const { site, id, to, goals, where, zone, detailFrom, onlyReached = false } = query;
  const from = query.from === "first" ? await firstDay(source, query) : query.from;
  const range = { site, from, to };
  const detail = where.length > 0 ? await source.detail(range, detailFrom) : undefined;
  const counts = {
    event: new Map<Goal, number[]>(),
    page: new Map<Goal, number[]>(),
    sum: new Map<Goal, number[]>(),
  };
  for (const kind of ["event", "page", "sum"] as const) {
    const { name, of } = COUNTED[kind];
    const pass: ValuePass =
      detail === undefined
        ? source.values(range, of)
        : source.filtered(range, detail.from, { of, where, detailFrom }).pass;
    const sink = new GoalSink(
      range,
      goals.filter((goal) => (kind === "sum" ? goal.unit !== undefined : goal.kind === kind)),
    );
    if (sink.days.size > 0) await pass(new Set([name]), sink);
    for (const [goal, days] of sink.days) counts[kind].set(goal, days);
  }
  return {
    site: id,
    from: formatDay(from),
    to: formatDay(to),
    zone,
    ...(detail && {
      detail: {
        from: detail.from > to ? null : formatDay(detail.from),
        sampled: detail.sampled,
      },
    }),
    goals: goals
      .map((goal) => ({
        ...goal,
        daily: counts[goal.kind].get(goal) ?? [],
        ...(goal.unit !== undefined && { sums: counts.sum.get(goal) ?? [] }),
      }))
      .filter(({ daily }) => !onlyReached || daily.some((n) => n > 0)),
  };
}

/** Adds up what goals count, by day. */
class GoalSink implements BlockSink {
  /** Counts from the first day of the range on, zeros included. */
  readonly days: ReadonlyMap<Goal, number[]>;
  readonly #from: number;
  /** The goals that a value reaches, by its place in the dictionary of the block that is being read. */
  readonly #reached = new Map<number, number[][]>();
  #first = 0;

  constructor({ from, to }: SiteDays, goals: readonly Goal[]) {
    this.#from = from;
    this.days = new Map(goals.map((goal) => [goal, Array<number>(to - from + 1).fill(0)]));
  }

  async begin(block: BlockReader, names: Iterable<ListName>): Promise<void> {
    this.#first = firstDayOf(block.month) - this.#from;
    this.#reached.clear();
    for (const name of names) {
      await block.load(dimensionOf(name));
      const texts = block.dimension(dimensionOf(name))?.texts;
      for (const [goal, days] of this.days) {
        const { text, begins } = matchOf(goal);
        const bytes = Buffer.from(text);
        for (let place = 0; texts !== undefined && place < texts.size; place++)
          if (begins ? texts.begins(place, bytes) : texts.is(place, bytes))
            this.#reached.set(place, [...(this.#reached.get(place) ?? []), days]);
      }
      block.release();
    }
  }

  count(_: ListName, { day, length, places, counts }: ValueCounts): void {
    if (this.#reached.size === 0) return;
    const at = this.#first + day;
    for (let i = 0; i < length; i++)
      for (const days of this.#reached.get(places[i] as number) ?? [])
        if (at in days) days[at] = (days[at] as number) + (counts[i] as number);
  }

  async end(): Promise<void> {}
}
