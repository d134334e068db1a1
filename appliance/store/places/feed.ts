import type { Day } from "../../base/calendar.ts";
import { DayZone, type ZoneSetting } from "../../base/day-zone.ts";
import { ALL_KEPT } from "../blocks/compact.ts";
import { mergeRows } from "../blocks/merge.ts";
import { ALL_MONTHS, type Months, monthOf } from "../blocks/month.ts";
import { NoBlock } from "../blocks/varints.ts";
import { unchangedSince } from "../changes.ts";
import { agesOf, daysOf } from "../copy/reading.ts";
import { onceHash } from "../intake/once.ts";
import {
  type Batch,
  BatchEncoder,
  decodeBatch,
  isOfLaterFormat,
  isUndated,
  readBatch,
  recordsOf,
} from "../log/batch.ts";
import { EMPTY_BATCH } from "../log/rewriting.ts";
import { timeRun } from "../settling/day-marks.ts";
import { readDirectory } from "../sites/directory.ts";
import { DIRECTORY_KINDS } from "../sites/kinds.ts";
import {
  type BlockKey,
  blocksIn,
  FORGOTTEN_BATCHES,
  type KeptBlock,
  SOURCE_NODES,
  type SourceNumber,
} from "../snapshot.ts";
import type { Transaction } from "../sql.ts";
import {
  cursorText,
  PASS_START,
  type PlaceCursor,
  type PlacePass,
  readPlaceCursor,
} from "./cursor.ts";
import type { PlaceMonth, PlaceSurvey, PlaceUnit } from "./unit.ts";

/** The bytes of the log that are read for a unit, about. */
const LOG_BYTES = 1_048_576;
/** The bytes of packed months in a unit, about. */
const DAYS_BYTES = 1_048_576;
/** Blocks that are looked at for a page of a pass. */
const BLOCK_PAGE_BYTES = 4 * 1_048_576;
const SURVEYS = 500;
/** Beyond every row of a node. */
const WAITS = Number.MAX_SAFE_INTEGER;
/**
 * Ids of responses of a fleet are drawn by its nodes, by the time, before they are committed: one that comes late has an id
 * before the last. An hour, in ids.
 */
const LATE_IDS = 3_600_000 * 2 ** 13;

export interface FeedQuery {
  /** The cursor that was given last; empty for none. */
  readonly after: string;
  /** The ends of the log before it was settled: node → number. Undefined where it was not. */
  readonly settled?: ReadonlyMap<number, number> | undefined;
  readonly zone: ZoneSetting;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** The next unit of a place's changes. */
type Feed =
  | {
      readonly unit: PlaceUnit;
      readonly hasNews: boolean;
      /** Whether there are hits that wait for the clock: they come with the days, once they are settled. */
      readonly isWaiting: boolean;
    }
  /** Days are to be sent: they have to be read from blocks that hold all that was ever sent, so the log is to be settled first. */
  | { readonly unsettled: ReadonlyMap<number, number> };

/** A source of the place's own: what it counts now, and what it counted before. */
interface OwnSource {
  readonly number: SourceNumber;
  readonly origin: string;
}

interface Reading {
  readonly sql: Transaction;
  readonly query: FeedQuery;
  readonly own: readonly [OwnSource, ...OwnSource[]];
  readonly sites: ReadonlySet<number>;
  /** Nodes of its own alone. */
  readonly folded: ReadonlyMap<number, number>;
  readonly gone: number;
  readonly runMs: number;
}

/**
 * The changes after a cursor: batches of the log as they were committed. Where some of these are folded and gone, or the
 * cursor is not of these data, days come first, as of a moment at which all that was ever sent is folded: so a
 * day that comes is never less than what was sent of it before, and every batch after it is one that it lacks.
 */
export async function placeFeed(sql: Transaction, query: FeedQuery): Promise<Feed> {
  const now = await sql.own();
  const epoch = await sql.epoch();
  const before = await sql.rows<OwnSource>(
    "SELECT number, origin FROM source WHERE kind = 'here' ORDER BY number",
  );
  const last = (await sql.logEnds()).last;
  // A fleet's database has none before its first collector has looked.
  if (!now.origin) return { unsettled: last };
  const { runMs, marks } = await timeRun(sql.rows);
  const reading: Reading = {
    sql,
    query,
    own: [now, ...before],
    sites: await sql.snapshot.siteKeys(),
    folded: new Map([...(await sql.snapshot.folded())].filter(([node]) => node < SOURCE_NODES)),
    gone: await forgotten(sql),
    runMs,
  };
  const generation = await sql.snapshot.generation();
  const asked = readPlaceCursor(query.after);
  const isOurs =
    asked?.origin === now.origin &&
    asked.epoch === epoch &&
    asked.generation <= generation &&
    asked.runMs <= runMs &&
    asked.log.every(
      ([node = 0, n = 0]) => n <= Math.max(last.get(node) ?? 0, reading.folded.get(node) ?? n),
    );
  const known = isOurs ? asked : undefined;
  const isBehind = known === undefined || (known.pass === undefined && lacks(reading, known));
  if (isBehind && !(await isSettled(reading))) return { unsettled: last };
  const cursor: PlaceCursor = !isBehind
    ? known
    : {
        ...{ origin: now.origin, epoch, generation, runMs },
        log: [...reading.folded],
        gone: reading.gone,
        survey: known?.survey ?? 0,
        late: known?.late ?? 0,
        sites: known?.sites ?? -1,
        pass: { since: known?.runMs ?? null, began: runMs, ...PASS_START },
      };
  const next = cursor.pass
    ? await nextDays(reading, cursor, cursor.pass, marks)
    : await nextLog(reading, cursor);
  const surveys = await surveysAfter(reading, cursor);
  const { revision, sites } = await sitesSince(sql, cursor.sites);
  const until: PlaceCursor = {
    ...next.cursor,
    generation,
    survey: surveys.last,
    late: surveys.late,
    sites: revision,
  };
  const zone = new DayZone(query.zone).nameAt(query.now);
  const hello = {
    origin: now.origin,
    past: before.map(({ origin }) => origin),
    zone,
    to: onceHash(query.after),
    ...(sites && { sites }),
  };
  const { log = [], days = [], isWaiting = false } = next;
  const unit = { hello, log, days, surveys: surveys.rows, until: cursorText(until) };
  const hasNews =
    log.length + days.length + surveys.rows.length > 0 ||
    sites !== undefined ||
    cursor.pass !== undefined;
  return { unit, hasNews, isWaiting };
}

function pairsOf(cursor: PlaceCursor | undefined): [number, number][] {
  return (cursor?.log ?? []).map(([node = 0, n = 0]) => [node, n]);
}

/** The sum of the last numbers of nodes that were forgotten. */
async function forgotten({ rows }: Transaction): Promise<number> {
  const [row] = await rows<{ n: number }>(
    "SELECT CAST(value AS bigint) AS n FROM meta WHERE key = $1",
    [FORGOTTEN_BATCHES],
  );
  return row?.n ?? 0;
}

/**
 * Whether something was folded that comes after a cursor. Of nodes that are forgotten since, the sum of their last numbers
 * tells: it is that of the cursor's where it had all of theirs.
 */
function lacks({ folded, gone }: Reading, cursor: PlaceCursor): boolean {
  const seen = new Map(pairsOf(cursor));
  const left = [...seen].filter(([node]) => !folded.has(node));
  const sum = left.reduce((all, [, n]) => all + n, 0);
  return gone - cursor.gone !== sum || [...folded].some(([node, n]) => n > (seen.get(node) ?? 0));
}

interface NextPart extends Partial<Pick<PlaceUnit, "log" | "days">> {
  readonly cursor: PlaceCursor;
  readonly isWaiting?: boolean;
}

/** All sites, where any has changed since a revision. */
async function sitesSince(sql: Transaction, since: number) {
  const epoch = await sql.epoch();
  const now = await unchangedSince(sql, DIRECTORY_KINDS, { n: since, epoch });
  if (now !== undefined) return { revision: now.n };
  const { revision, sites, retired } = await readDirectory(sql);
  const all = [...sites, ...retired].map(({ key, id, host }) => ({ key, id, host }));
  return { revision: revision.n, sites: all };
}

/** Whether all that may have been sent is folded: the log up to the ends before it was settled, but for what waits for the clock. */
async function isSettled({ sql, query, folded }: Reading): Promise<boolean> {
  const { settled } = query;
  if (settled === undefined) return false;
  const after = new Map(folded);
  const waiting = new Set<number>();
  for (;;) {
    const rows = await sql.snapshot.log(after, LOG_BYTES);
    if (rows.length === 0) return true;
    for (const { node, n, body } of rows) {
      after.set(node, n);
      if (waiting.has(node) || n > (settled.get(node) ?? 0)) continue;
      if (batchOf(body) === undefined) waiting.add(node);
      else return false;
    }
  }
}

/**
 * A batch that has its hours; undefined where it and what follows has to wait. One without a time is never sent: the clock that
 * dates it may step before it is folded. One that cannot be read counts nothing.
 */
function batchOf(body: Uint8Array): Batch | undefined {
  return isOfLaterFormat(body) || isUndated(body)
    ? undefined
    : (readBatch(body) ?? decodeBatch(EMPTY_BATCH));
}

/** The batches after a cursor, merged into few. */
async function nextLog(
  { sql, own, sites, folded, gone, runMs }: Reading,
  cursor: PlaceCursor,
): Promise<NextPart> {
  const after = new Map(pairsOf(cursor));
  const sent = new Map(after);
  const log: Uint8Array[] = [];
  let isWaiting = false;
  const open = new BatchEncoder();
  const close = () => {
    if (open.records > 0) log.push(open.encode());
    open.clear();
  };
  for (let bytes = 0; bytes < LOG_BYTES; ) {
    const rows = await sql.snapshot.log(after, LOG_BYTES);
    if (rows.length === 0) break;
    for (const { node, n, source, body } of rows) {
      // Nothing more is read of a node that has to wait.
      if (after.get(node) === WAITS) continue;
      const batch = batchOf(body);
      after.set(node, batch === undefined ? WAITS : n);
      isWaiting ||= isUndated(body);
      if (batch === undefined) continue;
      sent.set(node, n);
      bytes += body.length;
      if (source !== own[0].number || open.addAll(batch, (site) => sites.has(site))) continue;
      for (const record of recordsOf(batch)) {
        if (!sites.has(record.site) || open.add(record)) continue;
        close();
        open.add(record);
      }
    }
  }
  close();
  const known = [...sent].filter(([node]) => folded.has(node));
  return { cursor: { ...cursor, runMs, log: known, gone }, log, isWaiting };
}

/** The next months of a pass. At its end the log follows from where the pass began, unless something was folded since. */
async function nextDays(
  reading: Reading,
  cursor: PlaceCursor,
  pass: PlacePass,
  marks: ReadonlyMap<Day, number>,
): Promise<NextPart> {
  const { sql, folded, runMs } = reading;
  const { since } = pass;
  const isWanted = (day: Day) => since === null || (marks.get(day) ?? since - 1) >= since;
  const wanted = [...marks.keys()].filter(isWanted).map(monthOf);
  const months: Months =
    since === null
      ? ALL_MONTHS
      : { from: Math.min(...wanted, ALL_MONTHS.to), to: Math.max(...wanted, ALL_MONTHS.from) };
  const ages = await agesOf(sql.rows);
  const days: PlaceMonth[] = [];
  let [at, bytes] = [pass, 0];
  for await (const whose of ownMonths(reading, pass, months)) {
    if (bytes >= DAYS_BYTES) return { cursor: { ...cursor, pass: at }, days };
    const month = await monthOfPlace(reading, whose, isWanted);
    at = { ...pass, site: whose.site, month: whose.month, source: whose.source };
    if (month === undefined) continue;
    const { counters, counts, pieces } = month.pieces;
    bytes += counters.length + counts.length;
    for (const piece of pieces.values()) bytes += piece.length;
    days.push({ ...month, ages: month.days.map((day) => [day, ages(day)] as const) });
  }
  const { pass: _, ...rest } = cursor;
  if (!lacks(reading, cursor)) return { cursor: { ...rest, runMs: pass.began }, days };
  const again = { since: pass.began, began: runMs, ...PASS_START };
  const { gone } = reading;
  return { cursor: { ...cursor, log: [...folded], gone, pass: again }, days };
}

type OwnMonth = Omit<BlockKey, "part">;

/** The months of own sources after one, in the order of blocks. */
async function* ownMonths(
  { sql, own, sites }: Reading,
  after: OwnMonth,
  months: Months,
): AsyncGenerator<OwnMonth> {
  const numbers = new Set(own.map(({ number }) => number));
  const left = [...sites].filter((site) => site >= after.site).sort((a, b) => a - b);
  if (left.length === 0 || months.from > months.to) return;
  let last: OwnMonth = after;
  for await (const block of blocksIn(sql.snapshot, left, months, [], BLOCK_PAGE_BYTES)) {
    if (!numbers.has(block.source) || !isBehind(block, last)) continue;
    last = { site: block.site, month: block.month, source: block.source };
    yield last;
  }
}

/** Whether a month comes after another in the order of blocks. */
function isBehind(block: Pick<KeptBlock, "site" | "month" | "source">, last: OwnMonth): boolean {
  if (block.site !== last.site) return block.site > last.site;
  if (block.month !== last.month) return block.month > last.month;
  return block.source > last.source;
}

/** The wanted days of a month; undefined where there are none, or it cannot be read. */
async function monthOfPlace(
  { sql, own }: Reading,
  { site, month, source }: OwnMonth,
  isWanted: (day: Day) => boolean,
): Promise<(Omit<PlaceMonth, "ages"> & { readonly days: readonly Day[] }) | undefined> {
  const all = await sql.snapshot.rows([site], { from: month, to: month }, "detail");
  const rows = all.filter((row) => row.source === source);
  try {
    const { pieces, days } = mergeRows(month, rows, { ...ALL_KEPT, counts: isWanted });
    const { origin = "" } = own.find(({ number }) => number === source) ?? {};
    return days === 0 ? undefined : { origin, site, month, pieces, days: daysOf({ month, days }) };
  } catch (error) {
    if (!(error instanceof NoBlock)) throw error;
    return undefined;
  }
}

/** Responses after the last; those before it, too, where some have come late. */
async function surveysAfter(
  { sql, own }: Reading,
  { survey, late: wereLate, epoch }: PlaceCursor,
): Promise<{ readonly rows: PlaceSurvey[]; readonly last: number; readonly late: number }> {
  const origins = new Map(own.map(({ number, origin }) => [number, origin]));
  const which = `source IN (${[...origins.keys()].join()}) AND site IN (SELECT key FROM site)`;
  // A file numbers its responses as it commits them.
  const from = epoch === null ? survey : Math.max(0, survey - LATE_IDS);
  const lateIn = async (first: number, last: number) => {
    if (first === last) return 0;
    const [row] = await sql.rows<{ n: number }>(
      `SELECT count(*) AS n FROM survey WHERE id > $1 AND id <= $2 AND ${which}`,
      [first, last],
    );
    return row?.n ?? 0;
  };
  const after = (await lateIn(from, survey)) === wereLate ? survey : from;
  const found = await sql.rows<Omit<PlaceSurvey, "origin"> & { id: number; source: SourceNumber }>(
    `SELECT id, source, coalesce(number, id) AS number, site, version, day, payload FROM survey
     WHERE id > $1 AND ${which} ORDER BY id LIMIT ${SURVEYS}`,
    [after],
  );
  const isPage = found.length === SURVEYS;
  const end = found.at(-1)?.id ?? survey;
  // A page that ends before the last one sent: the next goes on from there.
  const last = isPage ? end : Math.max(end, survey);
  const late = epoch === null ? 0 : await lateIn(Math.max(0, last - LATE_IDS), last);
  const rows = found.map(({ id: _, source, ...rest }) => ({
    ...rest,
    origin: origins.get(source) ?? "",
  }));
  return { rows, last, late };
}
