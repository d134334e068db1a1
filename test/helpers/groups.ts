import { OTHER } from "../../appliance/base/names.ts";
import { MAX_VALUES_PER_DAY, type SiteKey, type Stamp } from "../../appliance/store/counting.ts";
import { type Batch, decodeBatch } from "../../appliance/store/log/batch.ts";
import {
  DIMENSIONS,
  type Dimension,
  FLAG,
  type Hit,
  KINDS,
} from "../../appliance/store/log/record.ts";

/** Counts of one site that share a stamp: dimension → value → how many. */
export interface CountGroup {
  readonly site: SiteKey;
  readonly stamp: Stamp;
  /** Requests in this group. */
  hits: number;
  /** The views among these. */
  views: number;
  readonly counts: Map<string, Map<string, number>>;
}

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
      // The other values are for filters only.
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
  const isFull = values.size >= MAX_VALUES_PER_DAY && isBounded(dimension);
  const counted = isFull && !values.has(value) ? OTHER : value;
  values.set(counted, (values.get(counted) ?? 0) + times);
}

/** Counters and hours are few, and none of the visitor's choice. */
function isBounded(dimension: string): boolean {
  return DIMENSIONS.some((name) => name === dimension);
}
