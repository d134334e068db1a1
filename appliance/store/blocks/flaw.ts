import { COUNTABLE } from "../../base/bounds.ts";
import { OTHER } from "../../base/names.ts";
import { type Dimension, MAX_DEVICES } from "../log/record.ts";
import { BLOCK_COUNTERS, type Block } from "./block.ts";
import { COUNTED_OF, type Counts, type DayTable } from "./day-table.ts";
import { MAX_DAYS, MAX_DICTIONARY_BYTES } from "./dictionary.ts";

/** Counters that each value of a dimension is counted beside. */
const BESIDE_VALUES = ["pv", "app", "crawler", "synthetic"] as const;
/** Of these there is no counter. */
const WITHOUT_COUNTER: ReadonlySet<Dimension> = new Set(["event", "event_target", "hi"]);
const HOURS = 24;
const TOO_MUCH = "counts more than anybody can";

/**
 * What of a block no fold could have made, as a sentence's end: `a block that …`. What fits its format is
 * looked at by who decodes it.
 * @param areSumsWhole false: values may have been brought that counters already had
 */
export function flawOf(block: Block, areSumsWhole = true): string | undefined {
  for (const { texts } of block.dimensions.values()) {
    const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    if (bytes > MAX_DICTIONARY_BYTES + OTHER.length) return "has more text than a month may";
    if (new Set(texts).size < texts.length) return "names a value twice";
  }
  for (let day = 0; day < MAX_DAYS; day++) {
    const flaw = flawOfDay(block, day, areSumsWhole);
    if (flaw !== undefined) return flaw;
  }
  return undefined;
}

function flawOfDay(block: Block, day: number, areSumsWhole: boolean): string | undefined {
  for (const counter of BLOCK_COUNTERS)
    for (const n of block.hoursOf(counter, day)) if (n > COUNTABLE.ofHour) return TOO_MUCH;
  const beside = BESIDE_VALUES.reduce((sum, counter) => sum + block.dayOf(counter, day), 0);
  let events = 0;
  for (const [name, { days }] of block.dimensions) {
    const { views, visitors, sessions } = sumOf(days[day]);
    if (name === "event") events = views;
    if (Math.max(views, visitors, sessions) > HOURS * COUNTABLE.ofHour) return TOO_MUCH;
    if (!areSumsWhole) continue;
    if (Math.max(visitors, sessions) > views) return "has more visitors than views of a value";
    const times = name === "app_device" ? MAX_DEVICES : 1;
    if (!WITHOUT_COUNTER.has(name) && views > times * beside)
      return "counts more by value than in all";
  }
  const { seen = 0 } = block.detail[day] ?? {};
  if (seen > HOURS * COUNTABLE.ofHour) return TOO_MUCH;
  if (areSumsWhole && seen > block.dayOf("pv", day) + events)
    return "keeps detail of more than it counts";
  return undefined;
}

function sumOf(table: DayTable | undefined): Counts {
  const sums = { views: 0, visitors: 0, sessions: 0 };
  for (const name of COUNTED_OF) for (const n of table?.[name] ?? []) sums[name] += n;
  return sums;
}

/** All that a block counts by its counters. */
export function countedBy(block: Block): number {
  let sum = 0;
  for (let day = 0; day < MAX_DAYS; day++)
    for (const counter of BLOCK_COUNTERS) sum += block.dayOf(counter, day);
  return sum;
}
