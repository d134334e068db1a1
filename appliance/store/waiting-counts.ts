import { OTHER } from "../base/names.ts";
import {
  type CountGroup,
  FIXED_DIMENSIONS,
  MAX_VALUES_PER_DAY,
  type SiteKey,
  type Stamp,
} from "./counting.ts";
import type { Increments } from "./counts/group.ts";

/** The memory that what waits for a commit may take, in bytes. */
export const MAX_WAITING_BYTES = 16 * 1024 * 1024;
/** Hours that may wait, over all sites; part of the memory is kept for them. */
export const MAX_WAITING_GROUPS = 2_000;
/** What a group takes before it holds a value of the visitor's choice; measured, rounded up. */
const GROUP_BYTES = 4_096;
const VALUES_BYTES = MAX_WAITING_BYTES - MAX_WAITING_GROUPS * GROUP_BYTES;
/** What V8 takes for a string's header, its place in a map and the map's room to grow. */
const VALUE_BYTES = 64;

/**
 * Counts that wait for a commit, coalesced. Bounded: past MAX_WAITING_BYTES new values count as
 * OTHER, past MAX_WAITING_GROUPS a new hour joins the one before.
 */
export class WaitingCounts {
  readonly #groups = new Map<SiteKey, Map<number, CountGroup>>();
  readonly #beside: () => number;
  #lastGroup: CountGroup | undefined;
  #lastKey = Number.NaN;
  #groupCount = 0;
  #bytes = 0;

  /** @param beside bytes that other counts take of the same memory */
  constructor(beside: () => number) {
    this.#beside = beside;
  }

  /** What the values take, about. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Hits that came in and were not taken out. */
  get hits(): number {
    const groups = [...this.#groups.values()].flatMap((each) => [...each.values()]);
    return groups.reduce((sum, group) => sum + group.hits, 0);
  }

  get isEmpty(): boolean {
    return this.#groups.size === 0;
  }

  add(site: SiteKey, stamp: Stamp, counts: Increments, view: boolean) {
    const group = this.#group(site, stamp);
    group.hits++;
    if (view) group.views++;
    for (const [dimension, value] of counts) this.#add(group, dimension, value, 1);
  }

  absorb(groups: Iterable<CountGroup>): void {
    for (const group of groups) {
      const mine = this.#group(group.site, group.stamp);
      mine.hits += group.hits;
      mine.views += group.views;
      for (const [dimension, values] of group.counts)
        for (const [value, n] of values) this.#add(mine, dimension, value, n);
    }
  }

  /** Takes out about `bytes` of what waits; a group that is larger is taken in parts. */
  take(bytes: number): CountGroup[] {
    const taken: CountGroup[] = [];
    this.#lastGroup = undefined;
    let room = bytes;
    for (const [site, groups] of this.#groups) {
      for (const [key, group] of groups) {
        if (room <= 0) return taken;
        const part: CountGroup = { ...group, counts: new Map() };
        taken.push(part);
        room = this.#move(group, part, room - GROUP_BYTES);
        if (group.counts.size > 0) return taken;
        groups.delete(key);
        this.#groupCount--;
      }
      this.#groups.delete(site);
    }
    return taken;
  }

  /** Moves values until `room` is used up. @returns the room that is left */
  #move(from: CountGroup, to: CountGroup, room: number): number {
    from.hits = 0;
    from.views = 0;
    let left = room;
    for (const [dimension, values] of from.counts) {
      const moved = new Map<string, number>();
      to.counts.set(dimension, moved);
      for (const [value, n] of values) {
        if (left <= 0) return left;
        values.delete(value);
        moved.set(value, n);
        const cost = costOf(dimension, value);
        this.#bytes -= cost;
        left -= cost;
      }
      from.counts.delete(dimension);
    }
    return left;
  }

  #group(site: SiteKey, stamp: Stamp): CountGroup {
    // Unsure stamps share a group by second: close enough to name the hour, and they coalesce.
    const key = "hour" in stamp ? stamp.hour : -1 - Math.floor(stamp.at / 1_000);
    if (this.#lastGroup?.site === site && this.#lastKey === key) return this.#lastGroup;
    let groups = this.#groups.get(site);
    if (groups === undefined) {
      groups = new Map();
      this.#groups.set(site, groups);
    }
    let group = groups.get(key);
    if (group === undefined && this.#groupCount >= MAX_WAITING_GROUPS)
      group = [...groups.values()].at(-1);
    if (group === undefined) {
      group = { site, stamp, hits: 0, views: 0, counts: new Map() };
      groups.set(key, group);
      this.#groupCount++;
    }
    this.#lastGroup = group;
    this.#lastKey = key;
    return group;
  }

  #add(group: CountGroup, dimension: string, value: string, n: number): void {
    let values = group.counts.get(dimension);
    if (values === undefined) {
      values = new Map();
      group.counts.set(dimension, values);
    }
    const before = values.get(value);
    if (before !== undefined) {
      values.set(value, before + n);
      return;
    }
    const cost = costOf(dimension, value);
    const isFull =
      values.size >= MAX_VALUES_PER_DAY || this.#bytes + this.#beside() + cost > VALUES_BYTES;
    if (cost > 0 && isFull) {
      this.#add(group, dimension, OTHER, n);
      return;
    }
    // A copy: a text cut from a longer one would keep all of that in memory.
    values.set(Buffer.from(value).toString(), n);
    this.#bytes += cost;
  }
}

/** The memory a value takes; nothing for those that a group's own share pays for. */
function costOf(dimension: string, value: string): number {
  return value === OTHER || FIXED_DIMENSIONS.has(dimension) ? 0 : VALUE_BYTES + 2 * value.length;
}
