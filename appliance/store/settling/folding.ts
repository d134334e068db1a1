import type { Day } from "../../base/calendar.ts";
import { Block } from "../blocks/block.ts";
import { readBlock } from "../blocks/codec.ts";
import { fold } from "../blocks/fold.ts";
import { firstDayOf, type Month, monthOf } from "../blocks/month.ts";
import type { SiteKey } from "../counting.ts";
import { type Batch, datedBatch, MAX_RECORDS, readBatch, rowsBySite } from "../log/batch.ts";
import type { Dimension } from "../log/record.ts";
import type { BlockKey, BlockRow, Settlement, Snapshot } from "../snapshot.ts";
import { dayOfPart, rowOf, runningPart } from "./parts.ts";

const HOURS = 24;
/** What is read of the log in one go. */
const PIECE_BYTES = 1_048_576;
/** What is folded together is about no more sites, where nobody says otherwise. */
const MAX_SITES = 500;
/** Beyond every row of a node. */
const WAITS = Number.MAX_SAFE_INTEGER;

/** What tells which records can be folded, and how. */
export interface FoldingTime {
  readonly boot: string;
  /** Epoch milliseconds at monotonic zero of this boot; null while the clock is not sure. */
  readonly bootedAt: number | null;
  /** The same of other boots that may still come to know it; of one that is not there nobody will. */
  readonly otherBoots?: ReadonlyMap<string, number | null>;
  /** The hour in the owner's zone, counted from midnight of 1970-01-01 there. */
  readonly zoneHour: (epochMs: number) => number;
  readonly today: Day;
  /** 0: nothing is kept of what came together. */
  readonly detailDays: number;
  readonly retentionDays: number;
  /** Of so many sites hits are folded together: each costs a row. */
  readonly maxSites?: number;
  /** Under low space no new values are taken in. */
  readonly lowSpace: boolean;
}

/** What is folded together: some of the log, the first of each node. */
interface Foldable {
  readonly batches: Batch[];
  readonly folded: Map<number, number>;
  records: number;
  unreadable: number;
  readonly sites: Set<SiteKey>;
}

/**
 * Moves the beginning of the log into parts of running days. Undated records stay until the time is known
 * or nobody will know it, with all of their node that came after them.
 * @returns null when there is nothing to fold
 */
export async function foldLog(
  snapshot: Snapshot,
  generation: number,
  time: FoldingTime,
): Promise<Settlement | null> {
  const foldable = await readFoldable(snapshot, time);
  if (foldable.folded.size === 0) return null;
  const exists = await snapshot.siteKeys();
  const bySite = rowsByDay(foldable.batches, exists);
  const sites = [...bySite.keys()];
  const days = new Set([...bySite.values()].flatMap((ofSite) => [...ofSite.keys()]));
  const months = [...days].map(monthOf);
  const there =
    sites.length === 0
      ? []
      : await snapshot.blocks(
          sites,
          // A month that begins knows no text of its own.
          Math.min(...months) - (time.lowSpace ? 1 : 0),
          Math.max(...months),
          time.lowSpace ? ["counts"] : [],
        );
  const thereBySite = Map.groupBy(there, ({ site }) => site);
  const puts = [...bySite].flatMap(([site, ofSite]) => {
    const its = thereBySite.get(site) ?? [];
    const known = time.lowSpace ? textsOf(its) : undefined;
    return [...ofSite].map(([day, rows]) => {
      const blocks = new Map<Month, Block>();
      for (const [batch, ofBatch] of rows)
        fold(blocks, batch, ofBatch, { detailFrom: detailFrom(time), known });
      const [block] = blocks.values();
      const month = monthOf(day);
      return rowOf({ site, month, part: nextPart(its, day) }, block ?? new Block(month));
    });
  });
  return {
    generation,
    folded: [...foldable.folded],
    puts,
    drops: [],
    past: [],
    days: [...days].sort((a, b) => a - b),
    gone: [],
    unreadable: foldable.unreadable,
  };
}

/** The first day whose views and events are kept, too; Infinity where none is. Past retention none are. */
export function detailFrom({
  today,
  detailDays,
  retentionDays,
}: Pick<FoldingTime, "today" | "detailDays" | "retentionDays">): Day {
  return detailDays === 0
    ? Number.POSITIVE_INFINITY
    : today - Math.min(detailDays, retentionDays) + 1;
}

async function readFoldable(snapshot: Snapshot, time: FoldingTime): Promise<Foldable> {
  const after = new Map(await snapshot.folded());
  const foldable: Foldable = {
    ...{ batches: [], folded: new Map(), sites: new Set() },
    ...{ records: 0, unreadable: 0 },
  };
  for (;;) {
    const rows = await snapshot.log(after, PIECE_BYTES);
    if (rows.length === 0) return foldable;
    for (const row of rows) {
      // Of a node that has to wait, nothing more is read.
      if (after.get(row.node) === WAITS) continue;
      const read = readBatch(row.body);
      const batch = read && dated(read, time);
      if (batch !== undefined && !hasRoom(foldable, batch, time)) return foldable;
      if (batch !== undefined) take(foldable, batch);
      if (read === undefined) foldable.unreadable++;
      const waits = read !== undefined && batch === undefined;
      if (!waits) foldable.folded.set(row.node, row.n);
      after.set(row.node, waits ? WAITS : row.n);
    }
  }
}

/** A batch with the hours of its records; undefined where nobody knows them yet. */
function dated(
  batch: Batch,
  { boot, bootedAt, otherBoots, zoneHour }: FoldingTime,
): Batch | undefined {
  const { undated } = batch;
  if (undated === undefined) return batch;
  const known = undated.boot === boot ? bootedAt : otherBoots?.get(undated.boot);
  return known === null ? undefined : datedBatch(batch, known ?? undated.savedZero, zoneHour);
}

function hasRoom(
  { folded, records, sites }: Foldable,
  batch: Batch,
  { maxSites = MAX_SITES }: FoldingTime,
): boolean {
  const isFirst = folded.size === 0;
  return isFirst || (records + batch.records <= MAX_RECORDS && sites.size < maxSites);
}

function take(foldable: Foldable, batch: Batch): void {
  foldable.batches.push(batch);
  foldable.records += batch.records;
  for (const site of batch.sites) foldable.sites.add(site);
}

/** By site that exists, and by day, the records of each batch. */
function rowsByDay(
  batches: readonly Batch[],
  exists: ReadonlySet<SiteKey>,
): Map<SiteKey, Map<Day, Map<Batch, number[]>>> {
  const bySite = new Map<SiteKey, Map<Day, Map<Batch, number[]>>>();
  for (const batch of batches)
    for (const [site, rows] of rowsBySite(batch)) {
      if (!exists.has(site)) continue;
      const byDay = bySite.get(site) ?? new Map<Day, Map<Batch, number[]>>();
      bySite.set(site, byDay);
      for (const [day, its] of Map.groupBy(rows, (row) => dayOfRow(batch, row))) {
        const ofDay = byDay.get(day) ?? new Map<Batch, number[]>();
        byDay.set(day, ofDay.set(batch, its));
      }
    }
  return bySite;
}

function dayOfRow({ moments }: Batch, row: number): Day {
  return Math.floor((moments[row] as number) / HOURS);
}

/** The number of a new part of a day, after those of the site that are there. */
function nextPart(blocks: readonly BlockKey[], day: Day): number {
  const month = monthOf(day);
  const at = day - firstDayOf(month);
  const parts = blocks
    .filter((block) => block.month === month && dayOfPart(block.part) === at)
    .map(({ part }) => part);
  return Math.max(runningPart(at, 0), ...parts.map((part) => part + 1));
}

/** Each text that blocks have. */
function textsOf(rows: readonly BlockRow[]): Map<Dimension, Set<string>> {
  const texts = new Map<Dimension, Set<string>>();
  for (const row of rows)
    for (const [name, dimension] of readBlock(row, { days: [1, 0] })?.dimensions ?? [])
      texts.set(name, new Set([...(texts.get(name) ?? []), ...dimension.texts]));
  return texts;
}
