import { BOUNDS, MAX_PARTS_OF_MONTH } from "../../../base/bounds.ts";
import type { Day } from "../../../base/calendar.ts";
import { ALL_KEPT } from "../../blocks/compact.ts";
import { MAX_DAYS } from "../../blocks/dictionary.ts";
import { mergeRows } from "../../blocks/merge.ts";
import { firstDayOf } from "../../blocks/month.ts";
import { giveBack } from "../../blocks/packed-row.ts";
import { type Batch, decodeBatch, recordsOf } from "../../log/batch.ts";
import type { HitRecord } from "../../log/record.ts";
import { together } from "../../log/rewriting.ts";
import { SETTLED } from "../../settling/parts.ts";
import { BLOCK_BYTES } from "../../shared-snapshot.ts";
import { type BlockKey, type BlockPieces, type BlockRow, bytesOf } from "../../snapshot.ts";
import { NOT_OURS, refuseUnsound } from "../../transfer/counts.ts";
import { soundRow } from "../../transfer/sound-snapshot.ts";
import type { Database } from "../database.ts";
import { putBlock } from "../settle.ts";
import { wholeBlock } from "../snapshot.ts";
import { prepared } from "../sql.ts";
import type { RowCopier } from "./row-copier.ts";
import { hasLonger, roomFor } from "./untrusted-rows.ts";

/** Parts of a month are merged once they take more bytes. */
const HELD_BYTES = 8 * 1_048_576;
/** The most of a row of counts, packed: all rows of detail of a day, or all values of a dimension, take less. */
const ROW_BYTES = 8 * 1_048_576;
const COLUMNS = { block: ["counters", "counts"], piece: ["bytes"] };

/** Copies the batches of the log in their order, without records of sites that are not copied. */
export function copyLog(copy: RowCopier): void {
  const rules = copy.rulesOf("log");
  function* copied(batch: Batch): Generator<HitRecord> {
    for (const record of recordsOf(batch)) {
      const site = copy.sites.get(record.site);
      if (site === undefined) continue;
      if (!rules.sum.add(record.times)) rules.refuse("more than anybody can count");
      yield { ...record, site };
    }
  }
  for (const { source, body } of copy.rows("log")) {
    const batch = decodeBatch(body as Uint8Array);
    refuseUnsound(batch, rules);
    for (const bytes of together([batch], copied)) copy.add("log", { source, body: bytes });
  }
}

/**
 * Copies blocks, merged into one settled block for each site, month and source: the number of a part says when
 * it came, and a backup is not trusted with that. One month is in memory at a time.
 * @returns the days that have one
 */
export function copyBlocks(copy: RowCopier): ReadonlySet<Day> {
  const { refuse } = copy.rulesOf("block");
  for (const [table, columns] of Object.entries(COLUMNS))
    if (hasLonger(copy.from, [`FROM ${table} WHERE true`], columns, ROW_BYTES)) refuse("too long");
  const days = new Set<Day>();
  const hasRoom = roomFor(BOUNDS.blocks);
  // Sorted are numbers only: an index of theirs is not believed, and blocks are large.
  const months = copy.from
    .prepare(
      `SELECT site, month, source, count(*) AS n, json_group_array(part ORDER BY part) AS parts
       FROM block NOT INDEXED GROUP BY site, month, source`,
    )
    .iterate() as IterableIterator<BlockKey & { n: number; parts: string }>;
  for (const { n, parts, ...key } of months) {
    const site = copy.sites.get(key.site);
    if (site === undefined) continue;
    if (n > MAX_PARTS_OF_MONTH) refuse("one of more parts than a month has hours");
    const { pieces, days: held } = mergedParts(copy, { ...key, parts: JSON.parse(parts) }, hasRoom);
    if (held === 0) continue;
    for (let day = 0; day < MAX_DAYS; day++)
      if ((held >> day) & 1) days.add(firstDayOf(key.month) + day);
    const source = copy.sourceOf(key.source, "block");
    putBlock(copy.to, { site, month: key.month, source, part: SETTLED, ...pieces });
  }
  return days;
}

/** The parts of a month as one. */
function mergedParts(
  copy: RowCopier,
  { parts, ...key }: Omit<BlockKey, "part"> & { readonly parts: readonly number[] },
  hasRoom: (bytes: number) => boolean,
): ReturnType<typeof mergeRows> {
  const rules = copy.rulesOf("block");
  const isImported = copy.imports.has(key.source);
  /** The merged row, then rows that wait to be merged into it; with the bytes of the latter. */
  let rows: BlockPieces[] = [];
  let bytes = 0;
  const merge = () => {
    const all = mergeRows(key.month, rows, ALL_KEPT);
    for (const { counters, counts, pieces } of rows)
      for (const each of [counters, counts, ...pieces.values()]) giveBack(each);
    rows = [all.pieces];
    bytes = 0;
    return all;
  };
  for (const part of parts) {
    const row = soundRow(boundedRow(copy.from, { ...key, part }, rules.refuse), isImported, rules);
    if (!hasRoom(bytesOf(row))) rules.refuse("one too many");
    if (rows.push(row) > 1) bytes += bytesOf(row);
    if (bytes > HELD_BYTES) merge();
  }
  return merge();
}

/** A whole block, whose size is known before it is read. @throws as `refuse` where it is too large */
function boundedRow(db: Database, key: BlockKey, refuse: (why: string) => never): BlockRow {
  const { site, month, source, part } = key;
  const isLarge = prepared(
    db,
    `SELECT 1 FROM block WHERE (site, month, source, part) = (?, ?, ?, ?) AND ${BLOCK_BYTES} > ?`,
  );
  if (isLarge.get(site, month, source, part, BOUNDS.blocks.bytes) !== undefined)
    refuse("a block that is too large");
  const pieces = wholeBlock(db, key) ?? refuse(NOT_OURS);
  return { ...key, ...pieces };
}
