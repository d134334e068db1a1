import { samePart } from "../../base/same-part.ts";
import { hourDimension } from "../counting.ts";
import type { LiveNumbers, LiveNumbersQuery } from "../queries.ts";
import type { CounterSource } from "./source.ts";

const SHORTEST_SERIES = 7;

/** What runs stands against the same part of what was before. */
export async function liveNumbers(
  source: CounterSource,
  { site, counter, days, today, hour }: LiveNumbersQuery,
): Promise<LiveNumbers> {
  const length = Math.max(2 * days, SHORTEST_SERIES);
  const dimension = counter === "pv" ? "hour" : hourDimension(counter);
  const hasHours = counter === "pv" && days === 1;
  const [[sums = []], [then, now = []]] = await Promise.all([
    source.counterByDay([site], counter, today - length + 1, today),
    source.byHour(
      [today - days, ...(hasHours ? [today] : [])].map((day) => ({ site, day })),
      dimension,
    ),
  ]);
  const before = samePart(sums.slice(-2 * days, -days), then, hour);
  return {
    value: sum(sums.slice(-days)),
    previous: before || null,
    series: hasHours ? now.slice(0, hour + 1) : sums.slice(-Math.max(days, SHORTEST_SERIES)),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, n) => total + n, 0);
}
