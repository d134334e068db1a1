import { isDeepStrictEqual } from "node:util";
import type { Day } from "../../base/calendar.ts";
import type { Block } from "../blocks/block.ts";
import { BlockReader } from "../blocks/block-reader.ts";
import { encodeBlock } from "../blocks/codec.ts";
import { ALL_KEPT, compactBlock } from "../blocks/compact.ts";
import { mergeRows } from "../blocks/merge.ts";
import { firstDayOf, type Month } from "../blocks/month.ts";
import type { SiteKey } from "../counting.ts";
import { markDayAgo } from "../settling/day-marks.ts";
import { SETTLED } from "../settling/parts.ts";
import { dropMonth, PASS_GENERATION } from "../settling/statements.ts";
import type {
  BlockKey,
  BlockPieces,
  BlockRow,
  Depth,
  Snapshot,
  SourceNumber,
} from "../snapshot.ts";
import type { Transaction } from "../sql.ts";
import type { Source, Sums } from "./engine.ts";
import {
  addTo,
  agesOf,
  amounts,
  countersOf,
  daysOf,
  monthIn,
  monthsOf,
  type SiteMonth,
  type Which,
} from "./reading.ts";
import type { CopyOptions, Retries } from "./run.ts";
import type { Pair } from "./sites.ts";
import { numberOf, takeSource } from "./sources.ts";

// The sums of a day say which of two states of it, of the same origin, is newer: the counts of a day only grow,
// and changes of its values and detail leave the sums as they are. So no version numbers are necessary, which a
// restored file or a promoted standby would use twice.

/** The days that are brought of a month. */
interface BroughtMonth {
  readonly pieces: BlockPieces;
  /** Days that are other ones then. */
  readonly days: readonly Day[];
  /** The sums, by counter, of days that the target lacks: it may have dropped them. */
  readonly added: Sums;
}

/** Brings the days of a month of which the target has nothing, or an older state. @returns how many */
export async function bringMonth(
  options: CopyOptions,
  patience: Retries,
  { pair, source, month }: { readonly pair: Pair; readonly source: Source; readonly month: Month },
): Promise<number> {
  const { from, to } = options;
  const range = { from: month, to: month };
  const read = (depth: Depth) =>
    from.given(async ({ snapshot, rows }, { tailOf }) => ({
      ...(
        await monthsOf(snapshot, { site: pair.site, source: source.number }, range, depth, tailOf)
      )[0],
      ages: await agesOf(rows),
    }));
  const there = (depth: Depth) =>
    to.read(async (access) => {
      const number = await numberOf(access, source.origin);
      return number === undefined
        ? []
        : rowsOf(access.snapshot, { site: pair.there.key, source: number }, month, depth);
    });
  const seen = await patience.with(() => read("counts"));
  const known = await patience.with(() => there("counts"));
  if (!isMonth(seen) || newer(seen, monthIn(month, known)).length === 0) return 0;
  const whole = await patience.with(() => read("detail"));
  if (!isMonth(whole)) return 0;
  for (let isNew = known.length === 0; ; isNew = false) {
    const before = isNew ? [] : await patience.with(() => there("detail"));
    const brought = await to.readable(async () => merged(month, whole, before));
    if (brought === undefined) return 0;
    const isDone = await patience.with(() =>
      to.transaction(async (access) => {
        await access.rows(PASS_GENERATION);
        const number = await takeSource(access, source);
        const which = { site: pair.there.key, source: number };
        // A part was settled meanwhile.
        const now = await rowsOf(access.snapshot, which, month, "detail");
        if (!isDeepStrictEqual(now.map(bytesOf), before.map(bytesOf))) return false;
        await put(access, { ...which, month, source: number, part: SETTLED, ...brought.pieces });
        await takeFromPast(access, which, brought.added);
        await mark(access, brought.days, whole.ages);
        return true;
      }),
    );
    if (isDone) return brought.days.length;
  }
}

function isMonth<T extends object>(read: T & Partial<SiteMonth>): read is T & SiteMonth {
  return read.block !== undefined;
}

async function rowsOf(
  snapshot: Snapshot,
  { site, source }: Which,
  month: Month,
  depth: Depth,
): Promise<readonly BlockRow[]> {
  const rows = await snapshot.rows([site], { from: month, to: month }, depth);
  return rows.filter((row) => row.source === source);
}

function bytesOf({ part, counters, counts, pieces }: BlockRow): unknown {
  return [part, [counters, counts, ...pieces.values()].map((bytes) => Buffer.from(bytes))];
}

/** Adds counts to those of a month. */
export async function addToMonth(
  access: Transaction,
  { site, source, month }: Omit<BlockKey, "part">,
  pieces: BlockPieces,
): Promise<void> {
  const days = daysOf(new BlockReader({ ...pieces, month }).counters);
  if (days.length === 0) return;
  const rows = await rowsOf(access.snapshot, { site, source }, month, "detail");
  const all = mergeRows(month, [...rows, pieces], ALL_KEPT);
  await put(access, { site, month, source, part: SETTLED, ...all.pieces });
  await mark(access, days, () => 0);
}

/** Days of which the source counts more. */
function newer(source: SiteMonth, target: SiteMonth): Day[] {
  const known = amounts(target);
  return [...amounts(source)].flatMap(([day, n]) => (n > (known.get(day) ?? 0) ? [day] : []));
}

/** The month that the target is to have; undefined where it has it. */
function merged(
  month: Month,
  source: SiteMonth,
  rows: readonly BlockRow[],
): BroughtMonth | undefined {
  const target = monthIn(month, rows);
  const days = newer(source, target);
  if (days.length === 0) return undefined;
  const pieces = [part(source.block, (day) => days.includes(day))];
  if (target.days.some((day) => !days.includes(day)))
    pieces.push(part(target.block, (day) => !days.includes(day)));
  const added = new Map<string, number>();
  for (const day of days)
    if (!target.days.includes(day)) addTo(added, countersOf(source.block, day - firstDayOf(month)));
  return { days, added, pieces: mergeRows(month, pieces, ALL_KEPT).pieces };
}

function part(block: Block, isIn: (day: Day) => boolean): BlockPieces {
  return encodeBlock(compactBlock(block, { ...ALL_KEPT, counts: isIn }).block);
}

async function put(access: Transaction, block: BlockRow): Promise<void> {
  await access.all(dropMonth(block, "parts"));
  await access.put([block]);
}

/** Subtracts counts from the past, rather too much: the end of the run adds the rest, while a surplus would spread. */
async function takeFromPast(
  access: Transaction,
  { site, source }: { readonly site: SiteKey; readonly source: SourceNumber },
  counters: Sums,
): Promise<void> {
  await access.all(
    [...counters].map(([counter, n]) => ({
      text: `UPDATE past SET n = CASE WHEN n > $4 THEN n - $4 ELSE 0 END
             WHERE site = $1 AND source = $2 AND counter = $3`,
      values: [site, source, counter, n],
    })),
  );
}

/** Marks the days: retention goes by the time run since a day was counted on, in whichever database that was. */
async function mark(
  access: Transaction,
  days: readonly Day[],
  ages: (day: Day) => number,
): Promise<void> {
  await access.all(days.map((day) => markDayAgo(day, ages(day))));
}
