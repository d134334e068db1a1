/** What hits and groups of them count as, and how a group is kept while nobody knows the hour. */

import { dowhourOf, HOUR_MS, hourName, hourOf } from "../../base/calendar.ts";
import { OTHER } from "../../base/names.ts";
import {
  COUNTERS,
  type CountGroup,
  FIXED_DIMENSIONS,
  HOURLY_COUNTERS,
  hourDimension,
  MAX_VALUES_PER_DAY,
  type SiteKey,
  type Stamp,
} from "../counting.ts";
import { type Batch, decodeBatch } from "../log/batch.ts";
import { type Dimension, FLAG, type Hit, KINDS } from "../log/record.ts";

type Add = (dimension: string, value: string, n: number) => void;

/** How the `data` of a waiting row reads. */
export type Waiting =
  | { kind: "counts"; views: number; counts: [string, [string, number][]][] }
  | { kind: "survey"; version: number; payload: string };

/** Dimension and value, one increment each. */
type Increments = readonly (readonly [dimension: string, value: string])[];

/** Counters of a view, each with the bit that says whether it counts. */
const FLAGGED = [
  ["uv", FLAG.visitor],
  ["sessions", FLAG.session],
  ["bounce", FLAG.bounce],
  ["engaged", FLAG.engaged],
] as const;

/** All that a hit counts but for what follows from its hour. */
function incrementsOf(kind: Hit["kind"], flags: number, values: Hit["values"]): Increments {
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

/**
 * The hits of a batch of the log, added up by site and hour; by site and second, where it is not dated.
 * @throws {RangeError} when the bytes are no batch
 */
export function groupsOf(bytes: Uint8Array): CountGroup[] {
  const batch = decodeBatch(bytes);
  const sites = new Map<SiteKey, Map<number, CountGroup>>();
  for (let row = 0; row < batch.records; row++) {
    const group = groupOf(sites, batch, row);
    const kind = KINDS[batch.kinds[row] as number] as Hit["kind"];
    const times = batch.times[row] as number;
    group.hits += times;
    if (kind === "view") group.views += times;
    const increments = incrementsOf(kind, batch.flags[row] as number, valuesOf(batch, row));
    for (const [dimension, value] of increments) count(group, dimension, value, times);
  }
  return [...sites.values()].flatMap((groups) => [...groups.values()]);
}

function groupOf(
  sites: Map<SiteKey, Map<number, CountGroup>>,
  { sites: keys, moments, undated }: Batch,
  row: number,
): CountGroup {
  const site = keys[row] as SiteKey;
  const moment = moments[row] as number;
  let groups = sites.get(site);
  if (groups === undefined) {
    groups = new Map();
    sites.set(site, groups);
  }
  let group = groups.get(moment);
  if (group === undefined) {
    group = { site, stamp: stampOf(moment, undated), hits: 0, views: 0, counts: new Map() };
    groups.set(moment, group);
  }
  return group;
}

function stampOf(moment: number, undated: Batch["undated"]): Stamp {
  if (undated === undefined) return { hour: moment };
  const at = moment * 1_000;
  return { boot: undated.boot, at, savedClock: Math.floor(undated.savedZero + at) };
}

function valuesOf({ slots, texts }: Batch, row: number): Hit["values"] {
  const values: (readonly [Dimension, string])[] = [];
  for (const { dimension, texts: numbers } of slots) {
    const number = numbers[row] as number;
    if (number > 0) values.push([dimension, texts[number - 1] as string]);
  }
  return values;
}

function count({ counts }: CountGroup, dimension: string, value: string, times: number): void {
  let values = counts.get(dimension);
  if (values === undefined) {
    values = new Map();
    counts.set(dimension, values);
  }
  const isFull = values.size >= MAX_VALUES_PER_DAY && !FIXED_DIMENSIONS.has(dimension);
  const counted = isFull && !values.has(value) ? OTHER : value;
  values.set(counted, (values.get(counted) ?? 0) + times);
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
