/** What hits and groups of them count as, and how a group is kept while nobody knows the hour. */

import { dowhourOf, HOUR_MS, hourName, hourOf } from "../../base/calendar.ts";
import { COUNTERS, type CountGroup, HOURLY_COUNTERS, hourDimension } from "../counting.ts";
import { FLAG, type Hit } from "../log/record.ts";

type Add = (dimension: string, value: string, n: number) => void;

/** How the `data` of a waiting row reads. */
export type Waiting =
  | { kind: "counts"; views: number; counts: [string, [string, number][]][] }
  | { kind: "survey"; version: number; payload: string };

/** Dimension and value, one increment each. */
export type Increments = readonly (readonly [dimension: string, value: string])[];

/** Counters of a view, each with the bit that says whether it counts. */
const FLAGGED = [
  ["uv", FLAG.visitor],
  ["sessions", FLAG.session],
  ["bounce", FLAG.bounce],
  ["engaged", FLAG.engaged],
] as const;

/** All that a hit counts but for what follows from its hour. */
export function incrementsOf(kind: Hit["kind"], flags: number, values: Hit["values"]): Increments {
  switch (kind) {
    case "view": {
      const increments: Increments[number][] = [["pv", "_"], ...values];
      for (const [counter, flag] of FLAGGED) if (flags & flag) increments.push([counter, "_"]);
      return increments;
    }
    case "event":
      // Whatever else is known of it is there for filters.
      return values.filter(([dimension]) => dimension === "event" || dimension === "event_target");
    case "interaction":
      return values;
    case "ping":
      return [["app", "_"], ...values];
    case "crawler":
      return [["bot", "ua"], ...values];
    case "synthetic":
      return [["bot", "synthetic"]];
  }
}

/** A counter is also kept as a sum of the day. */
export function isCounter(dimension: string): boolean {
  return (COUNTERS as readonly string[]).includes(dimension);
}

/** Adds all that a group counts at an hour, as `Stamp` has it, what follows from the hour included. */
export function addCounts(
  { views, counts }: Pick<CountGroup, "views" | "counts">,
  hour: number,
  add: Add,
): void {
  for (const [dimension, values] of counts)
    for (const [value, n] of values) add(dimension, value, n);
  const name = hourName(hourOf(hour * HOUR_MS));
  for (const counter of HOURLY_COUNTERS) {
    const values = counts.get(counter);
    if (values === undefined) continue;
    const n = [...values.values()].reduce((sum, count) => sum + count, 0);
    add(hourDimension(counter), name, n);
  }
  if (views === 0) return;
  add("hour", name, views);
  add("dowhour", dowhourOf(hour * HOUR_MS), views);
}

/** A group as it waits for the clock. */
export function waitingCounts({ views, counts }: Pick<CountGroup, "views" | "counts">): Waiting {
  return {
    kind: "counts",
    views,
    counts: [...counts].map(([dimension, values]) => [dimension, [...values]]),
  };
}

/** The other way. */
export function waitingGroup({
  views,
  counts,
}: Waiting & { kind: "counts" }): Pick<CountGroup, "views" | "counts"> {
  return { views, counts: new Map(counts.map(([name, values]) => [name, new Map(values)])) };
}
