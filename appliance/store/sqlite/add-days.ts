import type { Day } from "../../base/calendar.ts";
import { addDay } from "../blocks/add-day.ts";
import { Block } from "../blocks/block.ts";
import { decodeBlock, encodeBlock } from "../blocks/codec.ts";
import { compactBlock } from "../blocks/compact.ts";
import { mergeInto } from "../blocks/merge.ts";
import { firstDayOf, monthOf } from "../blocks/month.ts";
import type { SiteKey } from "../counting.ts";
import { SETTLED } from "../settling/parts.ts";
import type { BlockRow } from "../snapshot.ts";
import type { Database } from "./database.ts";
import { passGeneration, putBlock } from "./settle.ts";

/** A day as it was counted elsewhere, with what counts by the hour: `hour`, `uv_hour`, … */
interface ElsewhereDay {
  readonly day: Day;
  /** Dimension → value → how many. */
  readonly counts: Iterable<readonly [string, Iterable<readonly [string, number]>]>;
}

/** All days are kept, and all are of the past: none of their values is one that comes again today. */
const ALL = { counts: () => true, detail: () => true, today: Number.POSITIVE_INFINITY };

/**
 * Adds days of a site to what is there of it, in the caller's transaction.
 * @throws {RangeError} when there is a dimension that nobody knows
 */
export function addDays(db: Database, site: SiteKey, days: Iterable<ElsewhereDay>): void {
  const find = db.prepare(`SELECT site, month, part, counters, counts, detail FROM block
     WHERE site = ? AND month = ? AND part = ?`);
  for (const [month, ofMonth] of Map.groupBy(days, ({ day }) => monthOf(day))) {
    const row = find.get(site, month, SETTLED) as BlockRow | undefined;
    const block = row === undefined ? new Block(month) : decodeBlock(row);
    const part = new Block(month);
    for (const { day, counts } of ofMonth) addDay(part, day - firstDayOf(month), counts);
    mergeInto(block, part);
    const kept = compactBlock(block, ALL).block;
    putBlock(db, { site, month, part: SETTLED, ...encodeBlock(kept) });
  }
  passGeneration(db);
}
