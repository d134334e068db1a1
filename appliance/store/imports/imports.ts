import { DAY_MS, type Day, formatDay } from "../../base/calendar.ts";
import { BlockReader } from "../blocks/block-reader.ts";
import { encodeBlock } from "../blocks/codec.ts";
import { ALL_KEPT } from "../blocks/compact.ts";
import { MAX_DAYS } from "../blocks/dictionary.ts";
import { mergeRows } from "../blocks/merge.ts";
import { ALL_MONTHS, firstDayOf, type Month, monthOf } from "../blocks/month.ts";
import { NoBlock } from "../blocks/varints.ts";
import { countersOf, monthsBySource, monthsOf, pastOf } from "../copy/reading.ts";
import type { SiteKey } from "../counting.ts";
import type { SiteDays } from "../counts/site-counts.ts";
import type { Gap } from "../reports.ts";
import { markDayAgo } from "../settling/day-marks.ts";
import { SETTLED } from "../settling/parts.ts";
import { dropMonth, PASS_GENERATION } from "../settling/statements.ts";
import {
  type BlockKey,
  type BlockPieces,
  type BlockRow,
  blocksIn,
  type Snapshot,
  type SourceNumber,
} from "../snapshot.ts";
import { addSource, type SourceRow, siteSources, sourceOfOrigin } from "../sources.ts";
import type { Rows, Transaction } from "../sql.ts";
import { aboutText, type ImportAbout, readAbout } from "./about.ts";
import { type DayGap, runsOf } from "./days.ts";

/** An import of a site. */
interface ImportName {
  /** Names it for good: the same file of the same site has the same. 32 hex digits; null for counts that are made here. */
  readonly origin: string | null;
  /** For people: the file's. */
  readonly name: string;
  readonly about: ImportAbout;
  readonly site: SiteKey;
}

/** One month of an import, to be written in place of what the import has of that month. */
export interface MonthWrite extends ImportName {
  readonly month: Month;
  readonly pieces: BlockPieces;
  readonly days: readonly Day[];
  /** The day that runs: days are kept by their age. */
  readonly today: Day;
  /** The blocks of other imports without the days that this one replaces; null where nothing is left of one. */
  readonly instead: readonly {
    readonly source: SourceNumber;
    readonly pieces: BlockPieces | null;
    /** The generation at which it was read. */
    readonly generation: number;
  }[];
  /** The sources that there were when the days were chosen. */
  readonly known: readonly SourceNumber[];
  /** Epoch milliseconds. */
  readonly now: number;
}

/** The blocks of a month as they are kept. */
function monthBlocks(
  { site, month, pieces, instead }: MonthWrite,
  source: SourceNumber,
): BlockRow[] {
  const all = [{ source, pieces }, ...instead];
  return all.flatMap((one) =>
    one.pieces === null ? [] : [{ site, month, source: one.source, part: SETTLED, ...one.pieces }],
  );
}

/** The settled block of a month without some days; null where nothing is left of it. */
export function withoutDays(
  month: Month,
  pieces: BlockPieces,
  days: readonly Day[],
): BlockPieces | null {
  const isKept = (day: Day) => !days.includes(day);
  const kept = { ...ALL_KEPT, counts: isKept };
  const merged = mergeRows(month, [pieces], kept);
  return merged.days === 0 ? null : merged.pieces;
}

/** The settled block of a source as it was at some moment; null for none. */
interface BlockThen {
  readonly generation: number;
  readonly pieces: BlockPieces | null;
}

export async function blockOfSource(
  snapshot: Snapshot,
  { site, month, source }: Omit<BlockKey, "part">,
): Promise<BlockThen> {
  const rows = await snapshot.rows([site], { from: month, to: month }, "detail");
  const pieces = rows.find((row) => row.source === source && row.part === SETTLED) ?? null;
  return { generation: await snapshot.generation(), pieces };
}

/** The counts of a day of a source, by counter. */
interface SourceDay {
  readonly day: Day;
  readonly sums: ReadonlyMap<string, number>;
}

/** A source, and the days of a site that it has. */
export interface SourceDays extends SourceRow {
  readonly origin: string;
  /** Ascending. */
  readonly days: readonly SourceDay[];
}

/** The sources of a site with their days. */
export async function sourceDays(
  snapshot: Snapshot,
  rows: Rows,
  site: SiteKey,
): Promise<SourceDays[]> {
  const origins = await rows<{ number: SourceNumber; origin: string }>(
    "SELECT number, origin FROM source",
  );
  const all: SourceDays[] = [];
  for (const source of await siteSources(rows, site)) {
    const which = { site, source: source.number };
    const days: SourceDay[] = [];
    for (const month of await monthsOf(snapshot, which, ALL_MONTHS, "counters"))
      for (const day of month.days)
        days.push({ day, sums: countersOf(month.block, day - firstDayOf(month.block.month)) });
    const origin = origins.find(({ number }) => number === source.number)?.origin ?? "";
    all.push({ ...source, origin, days });
  }
  return all;
}

/**
 * Writes a month of an import.
 * @returns false where others have changed something meanwhile
 * @throws {Refusal} where there are too many sources
 */
export async function takeMonth(sql: Transaction, input: MonthWrite): Promise<boolean> {
  const { site, month, days, today, known, instead } = input;
  const [now] = await sql.rows<{ n: number }>("SELECT n FROM generation");
  if (instead.some(({ generation }) => generation !== now?.n)) return false;
  await sql.rows(PASS_GENERATION);
  const number = await takeImport(sql, input);
  const there = await sql.rows<{ source: SourceNumber }>(
    "SELECT DISTINCT source FROM block WHERE site = $1 AND month = $2",
    [site, month],
  );
  if (there.some(({ source }) => source !== number && !known.includes(source))) return false;
  await sql.all([
    ...[number, ...instead.map(({ source }) => source)].flatMap((source) =>
      dropMonth({ site, month, source }),
    ),
    { text: "UPDATE source SET run_at = $2 WHERE number = $1", values: [number, input.now] },
    ...days.map((day) => markDayAgo(day, DAY_MS * (today - day))),
  ]);
  await sql.put(monthBlocks(input, number));
  return true;
}

/** The number of an import's source, which it gets where it has none. */
async function takeImport(
  { rows, own }: Pick<Transaction, "rows" | "own">,
  { origin, name, about }: ImportName,
): Promise<SourceNumber> {
  if (origin === null) return (await own()).number;
  const known = await sourceOfOrigin(rows, origin);
  return known ?? addSource(rows, { origin, kind: "import", name, about: aboutText(about) });
}

/** Responses of surveys, and counters of days that are no longer kept, in place of those that the import has. */
export interface RestWrite extends ImportName {
  readonly past: Readonly<Record<string, number>>;
  /** Each by the number that it has in the file; those that are there already stay. */
  readonly surveys: readonly {
    readonly number: number;
    readonly version: number;
    readonly day: Day;
    /** JSON. */
    readonly payload: string;
  }[];
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Writes what an import has besides its months. */
export async function takeRest(sql: Transaction, input: RestWrite): Promise<void> {
  const { site, past, surveys } = input;
  await sql.rows(PASS_GENERATION);
  const source = await takeImport(sql, input);
  const ids = await sql.surveyIds(surveys.length);
  await sql.all([
    ...Object.entries(past).map(([counter, n]) => ({
      text: `INSERT INTO past (site, source, counter, n) VALUES ($1, $2, $3, $4)
             ON CONFLICT (site, source, counter) DO UPDATE SET n = excluded.n`,
      values: [site, source, counter, n],
    })),
    ...surveys.map(({ number, version, day, payload }, at) => ({
      text: `INSERT INTO survey (id, site, source, number, version, day, payload)
             VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`,
      values: [ids[at], site, source, number, version, day, payload],
    })),
  ]);
}

/**
 * The gaps in what is known of the days of a site, ascending: the one place that says so, for all figures. What is counted here
 * is known; of an import's days, what its format has.
 * @param only the only source that counts; all unless given
 */
export async function gapsOf(
  snapshot: Snapshot,
  rows: Rows,
  { site, from, to }: SiteDays,
  only: SourceNumber | undefined,
): Promise<Gap[]> {
  const found = await rows<{ number: SourceNumber; about: string | null }>(
    "SELECT number, about FROM source WHERE kind = 'import'",
  );
  const gapsBy = new Map(
    found.flatMap(({ number, about }) => {
      const gaps = readAbout(about)?.gaps ?? [];
      return gaps.length === 0 || (only ?? number) !== number ? [] : [[number, gaps] as const];
    }),
  );
  if (gapsBy.size === 0) return [];
  const months = { from: monthOf(from), to: monthOf(to) };
  const days: DayGap[] = [];
  for await (const row of blocksIn(snapshot, [site], months, ["counters"])) {
    const gaps = gapsBy.get(row.source);
    const held = gaps === undefined ? 0 : daysOf(row);
    for (let at = 0; at < MAX_DAYS; at++) {
      const day = firstDayOf(row.month) + at;
      if ((held & (1 << at)) === 0 || day < from || day > to) continue;
      const name = formatDay(day);
      const gap = gaps?.find((one) => one.from <= name && name <= one.to);
      if (gap !== undefined) days.push({ day, lacks: gap.lacks });
    }
  }
  return runsOf(days.sort((a, b) => a.day - b.day));
}

/** The days of a block; none where it cannot be read. */
function daysOf(row: ConstructorParameters<typeof BlockReader>[0]): number {
  try {
    return new BlockReader(row).counters.days;
  } catch (error) {
    if (!(error instanceof NoBlock)) throw error;
    return 0;
  }
}

// All that there is of a site, of all its sources together, for an export.

/** The months with content, ascending. */
export async function monthsOfSite(
  snapshot: Snapshot,
  rows: Rows,
  site: SiteKey,
): Promise<Month[]> {
  const sources = await siteSources(rows, site);
  const numbers = sources.map(({ number }) => number);
  const months = await monthsBySource(snapshot, site, numbers);
  return [...new Set([...months.values()].flat())].sort((a, b) => a - b);
}

/** A month of a site as one block; null where there is nothing. */
export async function monthOfSite(
  snapshot: Snapshot,
  site: SiteKey,
  month: Month,
): Promise<BlockPieces | null> {
  const range = { from: month, to: month };
  const which = { site, source: undefined };
  const [found] = await monthsOf(snapshot, which, range, "detail");
  return found === undefined ? null : encodeBlock(found.block);
}

/** A response of a survey, and its place in the order of all. */
interface SurveyOfSite {
  readonly id: number;
  readonly day: number;
  /** JSON. */
  readonly payload: string;
}

/** The responses of a site after a place, in their order. */
export function surveysOfSite(
  rows: Rows,
  {
    site,
    after,
    limit,
  }: { readonly site: SiteKey; readonly after: number; readonly limit: number },
): Promise<SurveyOfSite[]> {
  return rows<SurveyOfSite>(
    "SELECT id, day, payload FROM survey WHERE site = $1 AND id > $2 ORDER BY id LIMIT $3",
    [site, after, limit],
  );
}

/** Counters of days that are no longer kept, by name. */
export async function pastOfSite(rows: Rows, site: SiteKey): Promise<Record<string, number>> {
  return Object.fromEntries(await pastOf(rows, { site, source: undefined }));
}
