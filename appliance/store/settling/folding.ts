import type { Day } from "../../base/calendar.ts";
import { Block } from "../blocks/block.ts";
import { encodeBlock } from "../blocks/codec.ts";
import { fold } from "../blocks/fold.ts";
import { firstDayOf, type Months, monthOf } from "../blocks/month.ts";
import { NoBlock } from "../blocks/varints.ts";
import type { SiteKey } from "../counting.ts";
import { openBlock } from "../counts/block-reading.ts";
import {
  type Batch,
  BatchEncoder,
  datedBatch,
  decodeBatch,
  isOfLaterFormat,
  readBatch,
  recordsOf,
  rowsBySite,
} from "../log/batch.ts";
import { DIMENSIONS, type Dimension } from "../log/record.ts";
import { type ValueMap, valueMap } from "../sites/value-rules.ts";
import {
  type BlockKey,
  type BlockRow,
  blocksIn,
  type Settlement,
  type SettlingSnapshot,
  type Snapshot,
  type SourceNumber,
} from "../snapshot.ts";
import { dayOfPart, partsOf } from "./parts.ts";
import { rulesOfSites } from "./value-merging.ts";

const HOURS = 24;
/** The bytes of the log that are read in one go. */
const PIECE_BYTES = 1_048_576;
/** A step folds records of about so many sites, unless told otherwise. */
const MAX_SITES = 500;
/** And takes no more memory, but for its last batch. */
const MAX_BYTES = 6 * 1_048_576;
/** Beyond every row of a node. */
const WAITS = Number.MAX_SAFE_INTEGER;

/** The facts by which records can be folded, and how. */
export interface FoldingTime {
  readonly boot: string;
  /** Epoch milliseconds at monotonic zero of this boot; null while the clock is not sure. */
  readonly bootedAt: number | null;
  /** The hour in the owner's zone, counted from midnight of 1970-01-01 there. */
  readonly zoneHour: (epochMs: number) => number;
  readonly today: Day;
  /** Days that keep detail; 0 for none. */
  readonly detailDays: number;
  readonly retentionDays: number;
  /** The most sites of a step, each of which costs a row. */
  readonly maxSites?: number;
  /** Under low space no new values are taken in. */
  readonly lowSpace: boolean;
}

/**
 * Folds the beginning of the log into parts of blocks, by day. Undated records stay until the time is known, or
 * is sure to stay unknown, and so do all later records of their node.
 * @returns null when there is nothing to fold
 */
export async function foldLog(
  snapshot: SettlingSnapshot,
  generation: number,
  time: FoldingTime,
): Promise<Settlement | null> {
  const foldable = await readFoldable(snapshot, time);
  if (foldable.folded.size === 0) return null;
  const all = siteRows(foldable.batches);
  const days = new Set(all.flatMap(({ byDay }) => [...byDay.keys()]));
  const months = [...days].map(monthOf);
  const [from, to] = [Math.min(...months), Math.max(...months)];
  const sites = [...new Set(all.map(({ site }) => site))];
  const thereBySite = new Map<SiteKey, BlockKey[]>();
  for await (const block of sites.length === 0 ? [] : blocksIn(snapshot, sites, { from, to }, [])) {
    const ofSite = thereBySite.get(block.site) ?? [];
    thereBySite.set(block.site, ofSite);
    ofSite.push(block);
  }
  const puts: BlockRow[] = [];
  const rules = rulesOfSites(await snapshot.valueRules());
  // Sites are folded one by one, so that the blocks of one are encoded before the next.
  for (const { site, source, byDay } of all) {
    const map = valueMap(rules.get(site)?.rules ?? []);
    const texts = time.lowSpace ? textsOf(foldable.batches, map) : undefined;
    const known = texts && (await knownTexts(snapshot, site, { from, to }, texts));
    const itsOwn = (thereBySite.get(site) ?? []).filter((block) => block.source === source);
    for (const [day, rows] of byDay) {
      const month = monthOf(day);
      const blocks = new Map([[month, new Block(month)]]);
      for (const [batch, ofBatch] of rows)
        fold(blocks, batch, ofBatch, { detailFrom: detailFrom(time), known, map });
      const part = nextPart(itsOwn, day);
      for (const block of blocks.values())
        puts.push({ site, month, source, part, ...encodeBlock(block) });
    }
  }
  return {
    generation,
    folded: [...foldable.folded],
    puts,
    drops: [],
    detail: [],
    past: [],
    days: [...days].sort((a, b) => a - b),
    gone: [],
    unreadable: foldable.unreadable,
  };
}

/** The first day that keeps detail, which is not past retention; Infinity for none. */
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
  const foldable = new Foldable(await snapshot.siteKeys());
  for (;;) {
    const rows = await snapshot.log(after, PIECE_BYTES);
    if (rows.length === 0) return foldable.end();
    for (const row of rows) {
      // Nothing more is read of a node that has to wait.
      if (after.get(row.node) === WAITS) continue;
      const read = readBatch(row.body);
      const batch = read && dated(read, time);
      if (batch !== undefined && !foldable.take(batch, row.source, time)) return foldable.end();
      const isLater = isOfLaterFormat(row.body);
      if (read === undefined && !isLater) foldable.unreadable++;
      const waits = isLater || (read !== undefined && batch === undefined);
      if (!waits) foldable.folded.set(row.node, row.n);
      after.set(row.node, waits ? WAITS : row.n);
    }
  }
}

/** A batch with the hours of its records; undefined where they are not known yet. */
function dated(batch: Batch, { boot, bootedAt, zoneHour }: FoldingTime): Batch | undefined {
  const { undated } = batch;
  if (undated === undefined) return batch;
  const zero = undated.boot === boot ? bootedAt : undated.savedZero;
  return zero === null ? undefined : datedBatch(batch, zero, zoneHour);
}

/**
 * The batches of one step: the first of each node, merged into few full ones. A batch of the log may have a single
 * record, and takes as much memory as a hundred.
 */
class Foldable {
  readonly batches: Sourced[] = [];
  /** Node → the last number of the log in this step. */
  readonly folded = new Map<number, number>();
  unreadable = 0;
  readonly #exists: ReadonlySet<SiteKey>;
  readonly #sites = new Set<SiteKey>();
  readonly #open = new BatchEncoder();
  #source: SourceNumber = 0;
  #bytes = 0;

  /** @param exists of other sites, nothing is kept */
  constructor(exists: ReadonlySet<SiteKey>) {
    this.#exists = exists;
  }

  /** @returns false when it did not take it, for it has enough */
  take(batch: Batch, source: SourceNumber, { maxSites = MAX_SITES }: FoldingTime): boolean {
    const isFull = this.#bytes + this.#open.memory >= MAX_BYTES || this.#sites.size >= maxSites;
    if (isFull && this.folded.size > 0) return false;
    if (source !== this.#source) this.end();
    this.#source = source;
    const isWanted = (site: SiteKey) => {
      if (this.#exists.has(site)) this.#sites.add(site);
      return this.#exists.has(site);
    };
    if (this.#open.addAll(batch, isWanted)) return true;
    for (const record of recordsOf(batch)) {
      if (!isWanted(record.site)) continue;
      if (this.#open.add(record)) continue;
      this.#close();
      this.#open.add(record);
    }
    return true;
  }

  /** Ends the taking. */
  end(): this {
    if (this.#open.records > 0) this.#close();
    return this;
  }

  #close(): void {
    this.#bytes += this.#open.memory;
    this.batches.push({ source: this.#source, batch: decodeBatch(this.#open.encode()) });
    this.#open.clear();
  }
}

/** Records of one source. */
interface Sourced {
  readonly source: SourceNumber;
  readonly batch: Batch;
}

/** The rows of a site and source: by day, the records of each batch. */
interface SiteRows {
  readonly site: SiteKey;
  readonly source: SourceNumber;
  readonly byDay: Map<Day, Map<Batch, number[]>>;
}

function siteRows(batches: readonly Sourced[]): readonly SiteRows[] {
  const all = new Map<string, SiteRows>();
  for (const { source, batch } of batches)
    for (const [site, rows] of rowsBySite(batch)) {
      const name = `${site} ${source}`;
      const { byDay } = all.get(name) ?? { byDay: new Map<Day, Map<Batch, number[]>>() };
      all.set(name, { site, source, byDay });
      for (const [day, its] of Map.groupBy(rows, (row) => dayOfRow(batch, row))) {
        const ofDay = byDay.get(day) ?? new Map<Batch, number[]>();
        byDay.set(day, ofDay.set(batch, its));
      }
    }
  return [...all.values()];
}

function textsOf(batches: readonly Sourced[], map: ValueMap): ReadonlySet<string> {
  const others = [...map.values()].flatMap((ofDimension) => [...ofDimension.values()]);
  return new Set([...batches.flatMap(({ batch }) => batch.texts), ...others]);
}

function dayOfRow({ moments }: Batch, row: number): Day {
  return Math.floor((moments[row] as number) / HOURS);
}

/** The number of a new part of a day, after those of the site and source that are there as long as there is any. */
function nextPart(blocks: readonly BlockKey[], day: Day): number {
  const month = monthOf(day);
  const at = day - firstDayOf(month);
  const parts = new Set(
    blocks
      .filter((block) => block.month === month && dayOfPart(block.part) === at)
      .map(({ part }) => part),
  );
  const [first, last] = partsOf(day);
  let next = Math.max(first, ...[...parts].map((part) => part + 1));
  // A card has bent one: any other number than one that is taken.
  if (next > last) for (next = first; parts.has(next); ) next++;
  return next;
}

/** The texts among these that a site has in blocks of these months, or of the month before, since a new month begins without any. */
async function knownTexts(
  snapshot: Snapshot,
  site: SiteKey,
  { from, to }: Months,
  texts: ReadonlySet<string>,
): Promise<Map<Dimension, Set<string>>> {
  const known = new Map<Dimension, Set<string>>();
  const columns = ["counts", "pieces"] as const;
  for await (const row of blocksIn(snapshot, [site], { from: from - 1, to }, columns))
    try {
      const reader = openBlock(snapshot, row);
      for (const name of DIMENSIONS) {
        await reader.load(name);
        const its = reader.dimension(name)?.texts;
        const ofName = known.get(name) ?? new Set<string>();
        known.set(name, ofName);
        for (let n = 0; its !== undefined && n < its.size; n++) {
          const text = its.text(n);
          if (texts.has(text)) ofName.add(text);
        }
        reader.release();
      }
      reader.close();
    } catch (error) {
      // A block that cannot be read has no known texts.
      if (!(error instanceof NoBlock)) throw error;
    }
  return known;
}
