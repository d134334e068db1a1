import { hourName } from "../../base/calendar.ts";
import { COUNTERS } from "../counting.ts";
import { DIMENSIONS, type Dimension } from "../log/record.ts";
import { BLOCK_COUNTERS, type Block, type BlockCounter, COUNTED_AS, NO_HOUR } from "./block.ts";

/** What was counted elsewhere on a day: dimension → value → how many. */
type CountsOfDay = Iterable<readonly [string, Iterable<readonly [string, number]>]>;

/** The counters whose hours stand in one dimension. */
const BY_HOURS = Map.groupBy(BLOCK_COUNTERS, (name) =>
  name === "pv" ? "hour" : `${COUNTED_AS[name].counter}_hour`,
);
const FIXED: ReadonlySet<string> = new Set([...COUNTERS, ...BY_HOURS.keys()]);

const HOURS = 24;

/**
 * Adds to a block what was counted of a day elsewhere, hours included where they are known. All that is
 * counted by value counts views; of visitors and sessions nothing is known. What follows from the hours
 * (`dowhour`) is not looked at.
 * @param day of the month, from 0
 * @throws {RangeError} when there is a dimension that nobody knows
 */
export function addDay(block: Block, day: number, counts: CountsOfDay): void {
  const fixed = new Map<string, ReadonlyMap<string, number>>();
  for (const [name, values] of counts) {
    if (name === "dowhour") continue;
    if (FIXED.has(name)) fixed.set(name, new Map(values));
    else {
      const dimension = DIMENSIONS.find((one): one is Dimension => one === name);
      if (dimension === undefined) throw new RangeError(`Nobody knows a dimension ${name}`);
      for (const [text, n] of values)
        block.dimension(dimension).count(day, text, { views: n, visitors: 0, sessions: 0 });
    }
  }
  for (const [hours, names] of BY_HOURS) {
    const left = Array.from(
      { length: HOURS },
      (_, hour) => fixed.get(hours)?.get(hourName(hour)) ?? 0,
    );
    for (const name of names) {
      const { counter, value } = COUNTED_AS[name];
      addCounter(block, name, day, fixed.get(counter)?.get(value) ?? 0, left);
    }
  }
}

/** Takes from `hours` as many as there are; the rest was counted at an hour that nobody knows. */
function addCounter(
  block: Block,
  counter: BlockCounter,
  day: number,
  n: number,
  hours: number[],
): void {
  let left = n;
  for (const [hour, ofHour] of hours.entries()) {
    const some = Math.min(left, ofHour);
    if (some === 0) continue;
    block.add(counter, day, hour, some);
    hours[hour] = ofHour - some;
    left -= some;
  }
  if (left > 0) block.add(counter, day, NO_HOUR, left);
}
