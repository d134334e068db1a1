import type { Day } from "../../base/calendar.ts";
import type { Block } from "../blocks/block.ts";
import { decodeBlock } from "../blocks/codec.ts";
import { monthOf } from "../blocks/month.ts";
import type { BlockPieces } from "../snapshot.ts";
import type { Rows, Sums } from "./engine.ts";

/** What was brought of a site before, of all days past retention, and how each other day stood. */
export interface Taken {
  readonly past: Sums;
  /** The state of the source of which all was brought. */
  readonly days: ReadonlyMap<Day, Uint8Array>;
  /** What was brought of some of them, all of one month. @throws {RangeError} where that cannot be read */
  slices(days: readonly Day[]): Promise<ReadonlyMap<Day, Block>>;
}

/** What was taken over of a site of a source. */
export async function takenOf(ask: Rows, source: string, site: string): Promise<Taken> {
  const past = await ask<{ counter: string; n: number }>(
    "SELECT counter, n FROM copied_past WHERE source = $1 AND site = $2",
    [source, site],
  );
  const days = await ask<{ day: Day; hash: Uint8Array }>(
    "SELECT day, hash FROM copied_day WHERE source = $1 AND site = $2",
    [source, site],
  );
  return {
    past: new Map(past.map(({ counter, n }) => [counter, n])),
    days: new Map(days.map(({ day, hash }) => [day, hash])),
    async slices(asked) {
      const rows = await ask<BlockPieces & { day: Day }>(
        `SELECT day, counters, counts, detail FROM copied_day
         WHERE source = $1 AND site = $2 AND day BETWEEN $3 AND $4`,
        [source, site, Math.min(...asked, Number.MAX_SAFE_INTEGER), Math.max(...asked, 0)],
      );
      const ours = rows.filter(({ day }) => asked.includes(day));
      return new Map(
        ours.map((row) => [row.day, decodeBlock({ ...row, month: monthOf(row.day) })]),
      );
    },
  };
}
