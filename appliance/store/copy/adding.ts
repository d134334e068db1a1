import type { Day } from "../../base/calendar.ts";
import { VALUE_RULES } from "../../base/input/value-rules.ts";
import type { Block } from "../blocks/block.ts";
import { BlockReader } from "../blocks/block-reader.ts";
import { encodeBlock } from "../blocks/codec.ts";
import { ALL_KEPT, compactBlock } from "../blocks/compact.ts";
import { fold } from "../blocks/fold.ts";
import { mergeRows } from "../blocks/merge.ts";
import { firstDayOf, type Month } from "../blocks/month.ts";
import type { SiteKey } from "../counting.ts";
import { documentsOfSites } from "../documents.ts";
import { readBatch, rowsBySite } from "../log/batch.ts";
import { markDayAgo } from "../settling/day-marks.ts";
import { emptyRow } from "../settling/erasing.ts";
import { SETTLED } from "../settling/parts.ts";
import { dropMonth, PASS_GENERATION } from "../settling/statements.ts";
import { rulesOfSites } from "../settling/value-merging.ts";
import { type ValueMap, valueMap } from "../sites/value-rules.ts";
import type {
  BlockKey,
  BlockPieces,
  BlockRow,
  Depth,
  LogRow,
  Snapshot,
  SourceNumber,
} from "../snapshot.ts";
import type { Transaction } from "../sql.ts";
import type { CopiedSurvey, Source, Sums } from "./engine.ts";
import {
  addTo,
  amounts,
  countersOf,
  daysOf,
  monthIn,
  type SiteMonth,
  type Which,
} from "./reading.ts";
import { takeSource } from "./sources.ts";

// Counts from elsewhere are added in a transaction of the caller's.

// The sums of a day say which of two states of it, of the same origin, is newer: the counts of a day only grow,
// and changes of its values and detail leave the sums as they are. So no version numbers are necessary, which a
// restored file or a promoted standby would use twice.

/** The days that are brought of a month. */
export interface BroughtMonth {
  readonly pieces: BlockPieces;
  /** Days that are other ones then. */
  readonly days: readonly Day[];
  /** The sums, by counter, of days that the target lacks: it may have dropped them. */
  readonly added: Sums;
}

/** Writes what a month is to have, in a transaction that has passed the generation. */
export async function writeDays(
  access: Transaction,
  whose: Omit<BlockKey, "part">,
  { pieces, added, days }: BroughtMonth,
  ages: (day: Day) => number,
): Promise<void> {
  await put(access, { ...whose, part: SETTLED, ...pieces });
  await takeFromPast(access, whose, added);
  await mark(access, days, ages);
}

export async function monthRows(
  snapshot: Snapshot,
  { site, source }: Which,
  month: Month,
  depth: Depth,
): Promise<readonly BlockRow[]> {
  const rows = await snapshot.rows([site], { from: month, to: month }, depth);
  return rows.filter((row) => row.source === source);
}

/** Adds counts to those of a month, and takes the memory of their pieces. */
export async function addToMonth(
  access: Transaction,
  { site, source, month }: Omit<BlockKey, "part">,
  pieces: BlockPieces,
): Promise<void> {
  const days = daysOf(new BlockReader({ ...pieces, month }).counters);
  if (days.length === 0) return;
  const rows = await monthRows(access.snapshot, { site, source }, month, "detail");
  const all = mergeRows(month, [...rows, pieces], ALL_KEPT, undefined, true);
  await put(access, { site, month, source, part: SETTLED, ...all.pieces });
  await mark(access, days, () => 0);
}

/** Days of which the source counts more. */
export function newerDays(source: SiteMonth, target: SiteMonth): Day[] {
  const known = amounts(target);
  return [...amounts(source)].flatMap(([day, n]) => (n > (known.get(day) ?? 0) ? [day] : []));
}

/**
 * The month that the target is to have; undefined where it has it.
 * @param map values that count as others there, which changes no sum
 */
export function mergedMonth(
  month: Month,
  source: SiteMonth,
  rows: readonly BlockRow[],
  map?: ValueMap,
): BroughtMonth | undefined {
  const target = monthIn(month, rows);
  const days = newerDays(source, target);
  if (days.length === 0) return undefined;
  const pieces = [part(source.block, (day) => days.includes(day))];
  if (target.days.some((day) => !days.includes(day)))
    pieces.push(part(target.block, (day) => !days.includes(day)));
  const added = new Map<string, number>();
  for (const day of days)
    if (!target.days.includes(day)) addTo(added, countersOf(source.block, day - firstDayOf(month)));
  return { days, added, pieces: mergeRows(month, pieces, ALL_KEPT, map).pieces };
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

/** Whether a response of a source, by its number there, is there. */
const IS_THERE = `EXISTS (SELECT 1 FROM survey
  WHERE source = $1 AND (number = $2 OR (number IS NULL AND id = $2)))`;

/** Adds responses that are missing, with the number of the site here. @returns how many */
export async function addSurveys(
  access: Transaction,
  source: Omit<Source, "number">,
  surveys: readonly Omit<CopiedSurvey, "id" | "source">[],
): Promise<number> {
  await access.rows(PASS_GENERATION);
  const here = await takeSource(access, source);
  const ids = await access.surveyIds(surveys.length);
  // The rows of an erased site may not all be gone yet.
  await access.all(
    surveys.map(({ number }) => ({
      text: `DELETE FROM survey WHERE source = $1 AND number = $2
               AND site NOT IN (SELECT key FROM site)`,
      values: [here, number],
    })),
  );
  const added = await access.all(
    surveys.map(({ number, site, version, day, payload }, at) => ({
      text: `INSERT INTO survey (source, number, id, site, version, day, payload)
             SELECT CAST($1 AS integer), CAST($2 AS bigint), CAST($3 AS bigint), key,
               CAST($5 AS bigint), CAST($6 AS integer), CAST($7 AS text)
             FROM site WHERE key = $4 AND NOT ${IS_THERE}
             RETURNING id`,
      values: [here, number, ids[at], site, version, day, payload],
    })),
  );
  return added.filter((rows) => rows.length > 0).length;
}

const READ_BYTES = 1_048_576;

/** Folds rows of the log, in a transaction, and empties them. */
export async function foldRowsOf(access: Transaction, rows: readonly LogRow[]): Promise<void> {
  await access.rows(PASS_GENERATION);
  for (const { site, source, blocks } of await folded(access, rows))
    for (const [month, block] of blocks)
      await addToMonth(access, { site, source, month }, encodeBlock(block));
  await access.all(rows.map(emptyRow));
}

/** The next rows of the log of some sources, dated, and not empty. */
export async function nextRows(
  { snapshot }: Transaction,
  isMeant: (source: SourceNumber) => boolean,
): Promise<readonly LogRow[]> {
  const seen = new Map(await snapshot.folded());
  for (;;) {
    const rows = await snapshot.log(seen, READ_BYTES);
    if (rows.length === 0) return [];
    for (const { node, n } of rows) seen.set(node, n);
    const others = rows.filter(({ source, body }) => isMeant(source) && isDated(body));
    if (others.length > 0) return others;
  }
}

function isDated(body: Uint8Array): boolean {
  const batch = readBatch(body);
  return batch !== undefined && batch.undated === undefined && batch.moments.length > 0;
}

/** The values of each site that count as others here. */
export async function valueMaps({ rows }: Transaction): Promise<ReadonlyMap<SiteKey, ValueMap>> {
  const all = rulesOfSites(await documentsOfSites(rows, VALUE_RULES.name));
  return new Map([...all].map(([site, { rules }]) => [site, valueMap(rules)]));
}

interface Folded extends Pick<BlockKey, "site" | "source"> {
  readonly blocks: Map<Month, Block>;
}

async function folded(access: Transaction, rows: readonly LogRow[]): Promise<readonly Folded[]> {
  const exists = await access.snapshot.siteKeys();
  const maps = await valueMaps(access);
  const all = new Map<string, Folded>();
  for (const { source, body } of rows) {
    const batch = readBatch(body);
    if (batch === undefined) continue;
    for (const [site, its] of rowsBySite(batch)) {
      if (!exists.has(site)) continue;
      const { blocks } = foldedOf(all, site, source);
      fold(blocks, batch, its, { detailFrom: 0, map: maps.get(site) });
    }
  }
  return [...all.values()];
}

function foldedOf(all: Map<string, Folded>, site: SiteKey, source: SourceNumber): Folded {
  const name = `${site} ${source}`;
  const known = all.get(name) ?? { site, source, blocks: new Map<Month, Block>() };
  all.set(name, known);
  return known;
}
