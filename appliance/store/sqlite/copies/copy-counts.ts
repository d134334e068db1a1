import { isDeepStrictEqual } from "node:util";
import { BOUNDS, MAX_PARTS_OF_MONTH } from "../../../base/bounds.ts";
import { giveBack } from "../../blocks/packed-row.ts";
import { addToMonth } from "../../copy/adding.ts";
import { type Batch, decodeBatch, recordsOf } from "../../log/batch.ts";
import type { HitRecord } from "../../log/record.ts";
import { together } from "../../log/rewriting.ts";
import { BLOCK_BYTES } from "../../shared-snapshot.ts";
import type { BlockKey, BlockRow } from "../../snapshot.ts";
import { NOT_OURS, refuseUnsound } from "../../transfer/counts.ts";
import { soundRow } from "../../transfer/sound-snapshot.ts";
import { isBlob } from "../../transfer/values.ts";
import type { Database } from "../database.ts";
import { wholeBlock } from "../snapshot.ts";
import { prepared } from "../sql.ts";
import type { RowCopier } from "./row-copier.ts";
import { isReadable } from "./untrusted-rows.ts";

/** The most of a row, packed: all rows of detail of a day, or all values of a dimension, take less. */
const PACKED = { ...BOUNDS.blocks, bytes: 8 * 1_048_576 };
const COUNTS = { columns: { counters: isBlob, counts: isBlob }, bound: PACKED };
const PIECES = { columns: { bytes: isBlob }, bound: PACKED, size: "octet_length(bytes)" };
// Sorted are numbers only: an index of theirs is not believed, and blocks are large.
const KEYS = `SELECT site, month, source, part, count(*) OVER (PARTITION BY site, month, source) AS parts
  FROM block NOT INDEXED ORDER BY site, month, source, part`;

/** Small batches are put together until they take so many bytes. */
const RUN_BYTES = 131_072;

/** Copies the records of the log in their order, without those of sites that are not copied. */
export async function copyLog(copy: RowCopier): Promise<void> {
  const rules = copy.rulesOf("log");
  function* copied(batch: Batch): Generator<HitRecord> {
    for (const record of recordsOf(batch)) {
      const site = copy.sites.get(record.site);
      if (site === undefined) continue;
      if (!rules.sum.add(record.times)) rules.refuse("more than anybody can count");
      yield { ...record, site };
    }
  }
  /** Batches of one source and clock. */
  let run: Batch[] = [];
  let [bytes, source]: [number, unknown] = [0, undefined];
  const close = async () => {
    for (const body of together(run, copied)) await copy.add("log", { source, body });
    [run, bytes] = [[], 0];
  };
  for (const row of copy.rows("log")) {
    const body = row.body as Uint8Array;
    const batch = decodeBatch(body);
    refuseUnsound(batch, rules);
    const isOfRun = row.source === source && isDeepStrictEqual(batch.undated, run[0]?.undated);
    if (!isOfRun || bytes > RUN_BYTES) await close();
    source = row.source;
    bytes += body.length;
    run.push(batch);
  }
  await close();
}

/**
 * Copies blocks, merged into one settled block for each site, month and source: the number of a part says when
 * it came, and a backup is not trusted with that. One month is in memory at a time.
 */
export async function copyBlocks(copy: RowCopier): Promise<void> {
  const rules = copy.rulesOf("block");
  isReadable(copy.from, "block", COUNTS, rules.refuse);
  isReadable(copy.from, "piece", PIECES, rules.refuse);
  for (const each of copy.from.prepare(KEYS).iterate()) {
    const { parts, ...key } = each as BlockKey & { readonly parts: number };
    const site = copy.sites.get(key.site);
    if (site === undefined) continue;
    if (parts > MAX_PARTS_OF_MONTH) rules.refuse("one of more parts than a month has hours");
    const source = await copy.sourceOf(key.source, "block");
    const row = soundRow(boundedRow(copy.from, key, rules.refuse), copy.imports.has(source), rules);
    await addToMonth(copy.to, { site, source, month: key.month }, row);
    // V8 would collect none before there are some 100 MB.
    for (const bytes of [row.counters, row.counts, ...row.pieces.values()]) giveBack(bytes);
  }
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
