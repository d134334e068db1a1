import { DayZone } from "../../base/day-zone.ts";
import { bodyOf } from "../../base/documents.ts";
import { SAVED_VIEWS } from "../../base/input/saved-views.ts";
import type { SavedViews } from "../../base/input/selection.ts";
import type { Month } from "../blocks/month.ts";
import type { DocumentRow } from "../changes.ts";
import type { SiteKey } from "../counting.ts";
import { BlockCounts } from "../counts/block-counts.ts";
import type { PassedOver } from "../counts/block-reading.ts";
import { goalsOf } from "../counts/goals.ts";
import {
  hourlyViews,
  liveNumbers,
  overview,
  siteActivity,
  viewCounts,
} from "../counts/overview.ts";
import type { SiteDays, Soon } from "../counts/site-counts.ts";
import { sitesThatCount } from "../counts/sites-that-count.ts";
import { statsBody } from "../counts/stats.ts";
import { topValues } from "../counts/top-values.ts";
import { documentOfSite, documentsOfSites } from "../documents.ts";
import {
  blockOfSource,
  gapsOf,
  monthOfSite,
  monthsOfSite,
  pastOfSite,
  sourceDays,
  surveysOfSite,
} from "../imports/imports.ts";
import { LogTail, tailOf } from "../log/tail.ts";
import { heldByHomes } from "../places/confirmed.ts";
import { type FeedQuery, placeFeed } from "../places/feed.ts";
import { judgeUnit, type KnownOrigin, type UnitToJudge } from "../places/judge.ts";
import { mergedDays } from "../places/take.ts";
import type { PlaceMonth } from "../places/unit.ts";
import type { Asked, GoalsQuery, SettlementQuery, StatsQuery } from "../queries.ts";
import { timeRun } from "../settling/day-marks.ts";
import { nextSettlement, type SettlingTime } from "../settling/settling.ts";
import { BLOCK_BYTES } from "../shared-snapshot.ts";
import { ALARMS_QUERY, alarmsIn } from "../sites/alarms.ts";
import type { BlockKey, Settlement, Snapshot, SourceNumber } from "../snapshot.ts";
import { countedSources, siteSources, sourceSizes, sourcesOf } from "../sources.ts";
import type { Db, LogEnds, Rows, Transaction } from "../sql.ts";
import { surveyPage } from "../surveys/page.ts";
import { surveySummary, surveyVersions } from "../surveys/report.ts";
import { SurveyRows } from "../surveys/rows.ts";
import { EtagCache, makeAnswer } from "./answer.ts";

/** The state in which a question finds the data. */
export interface ReadState {
  /** It changes with everything that is counted, settled or erased. */
  readonly version: unknown;
  /** The server that is read from: on another one the same numbers may mean something else. */
  readonly server: string;
}

/** The part of reading that an engine does in its own way. */
interface OwnReads {
  state(sql: Transaction): Promise<ReadState>;
  /** Questions to the data of a box, where it is kept there, too. */
  readonly ofBox?: typeof BOX_READS;
  /** More facts for a settlement; null where none can be prepared now. */
  settling?(sql: Transaction): Promise<Partial<SettlingTime> | null>;
}

/** The state that is kept between two questions: the unfolded log, decoded once, and the last answers. */
interface Kept {
  readonly server: string;
  readonly tail: LogTail;
  readonly lastAnswers: EtagCache;
}

/** Answers the questions to a database, one at a time, each from one snapshot. */
export class Reads {
  readonly #db: Pick<Db, "transaction">;
  readonly #own: OwnReads;
  readonly #passedOver: PassedOver | undefined;
  #kept: Kept | undefined;
  /** The end of the log that the present settlement covers. */
  #ends: LogEnds = { last: new Map(), bytes: 0 };

  /** @param passedOver is called for blocks that cannot be read */
  constructor(db: Pick<Db, "transaction">, own: OwnReads, passedOver?: PassedOver) {
    this.#db = db;
    this.#own = own;
    this.#passedOver = passedOver;
  }

  /** @throws the errors of the database */
  read<Q extends QueryName>(query: Q, input: QueryInput<Q>): Promise<QueryResult<Q>> {
    const answer = async (sql: Transaction) => {
      type Read<Source> = (source: Source, input: unknown) => Soon<unknown>;
      if (query === "settlement") return this.#settlement(sql, input as SettlementQuery);
      const ofBox = this.#own.ofBox?.[query as LocalQueryName] as Read<Rows> | undefined;
      if (ofBox !== undefined) return ofBox(sql.rows, input);
      const read = FLEET_READS[query as FleetQueryName] as Read<ReadContext>;
      return read(await this.#source(sql), input);
    };
    return this.#db.transaction(answer, { read: true }) as Promise<QueryResult<Q>>;
  }

  async #source(sql: Transaction): Promise<ReadContext> {
    const { server, version } = await this.#own.state(sql);
    const { tail, lastAnswers } = this.#keptOf(server);
    const { snapshot, rows } = sql;
    return {
      sql,
      counts: (source) => new BlockCounts(snapshot, tailOf(tail, source), this.#passedOver, source),
      snapshot,
      rows,
      version: () => version,
      lastAnswers,
    };
  }

  #keptOf(server: string): Kept {
    if (this.#kept?.server !== server)
      this.#kept = { server, tail: new LogTail(), lastAnswers: new EtagCache() };
    return this.#kept;
  }

  /** Settles up to the end that the log had at first: with new batches it would never come to an end. */
  async #settlement(sql: Transaction, query: SettlementQuery): Promise<Settlement | null> {
    const more = await this.#own.settling?.(sql);
    if (more === null) return null;
    if (query.isFirst) {
      const ends = await sql.logEnds();
      if (ends.bytes < query.minBytes) return null;
      const { upTo } = query;
      const last = [...ends.last].map(
        ([node, n]) => [node, upTo === undefined ? n : Math.min(n, upTo.get(node) ?? 0)] as const,
      );
      this.#ends = { ...ends, last: new Map(last) };
    }
    const zone = new DayZone(query.zone);
    const run = await timeRun(sql.rows);
    const settlement = await nextSettlement(sql.snapshotUntil(this.#ends), {
      ...query,
      zoneHour: (epochMs) => zone.hourAt(epochMs),
      ...run,
      heldMs: query.placeKeepDays === undefined ? 0 : await heldByHomes(sql, run.runMs),
      ...more,
    });
    const epoch = await sql.epoch();
    return settlement && epoch !== null ? { ...settlement, epoch } : settlement;
  }
}

/** The data that an engine reads from; all of one moment. */
interface ReadContext {
  readonly sql: Transaction;
  /** New counts for each question. @param source limits them to one source; all unless given */
  counts(source?: SourceNumber): BlockCounts;
  readonly snapshot: Snapshot;
  readonly rows: Rows;
  /** The version, which changes with each write. */
  version(): Soon<unknown>;
  /** The last answers from this database. */
  readonly lastAnswers: EtagCache;
}

const ofCounts =
  <Input, Result>(answer: (counts: BlockCounts, input: Input) => Result) =>
  ({ counts }: ReadContext, input: Input) =>
    answer(counts(), input);

const ofSurveys =
  <Input, Result>(answer: (surveys: SurveyRows, input: Input) => Result) =>
  ({ rows }: ReadContext, input: Input) =>
    answer(new SurveyRows(rows), input);

const ofRows =
  <Input, Result>(answer: (rows: Rows, input: Input) => Result) =>
  ({ rows }: ReadContext, input: Input) =>
    answer(rows, input);

interface OfSite {
  readonly site: SiteKey;
}

async function savedViews(rows: Rows, site: SiteKey): Promise<SavedViews["views"]> {
  const body = await documentOfSite(rows, site, SAVED_VIEWS.name);
  return (body === null ? undefined : bodyOf(SAVED_VIEWS, String(site), body))?.views ?? [];
}

/** The questions to the numbers, the same for both engines: to the fleet's, where there is one. */
const FLEET_READS = {
  /** The body of `/stats`. */
  async stats(of: ReadContext, { query, accepts }: Asked<StatsQuery>) {
    const { site, source: only, tellsSources, tellsSurveys, tellsViews } = query;
    // Neither changes a count, so that both are parts of the question.
    const surveys = tellsSurveys ? await new SurveyRows(of.rows).any(site) : undefined;
    const views = tellsViews ? await savedViews(of.rows, site) : undefined;
    const question = { ...query, surveys, views };
    return of.lastAnswers.answer(await of.version(), question, accepts, async () => {
      const sources =
        tellsSources &&
        (await countedSources(await siteSources(of.rows, site, only), (number) =>
          of.counts(number).firstDay(site),
        ));
      const gapsIn = (range: SiteDays) => gapsOf(of.snapshot, of.rows, range, only);
      return statsBody(of.counts(only), query, { sources, surveys, views, gapsIn });
    });
  },
  /** The body of `/goals`. */
  async goals({ counts }: ReadContext, { query, accepts }: Asked<GoalsQuery>) {
    return makeAnswer(JSON.stringify(await goalsOf(counts(query.source), query)), accepts);
  },
  /** The body of `/overview`. */
  overview: ofCounts(overview),
  /** Page views of some days, and of all time, days past retention included. */
  viewCounts: ofCounts(viewCounts),
  /** The period that runs stands against the same part of the one before. */
  liveNumbers: ofCounts(liveNumbers),
  /** The values that were counted most. */
  topValues: ofCounts(topValues),
  /** Views by hour from 00 of the first day on; and sessions by day. */
  hourlyViews: ofCounts(hourlyViews),
  /** The activity of sites for their owner, of as many as an overview has. */
  siteActivity: ofCounts(siteActivity),
  /** The body of `/surveys`. */
  surveySummary: ofSurveys(surveySummary),
  /** The body of `/surveys/export`: the responses after `after`, oldest first. */
  surveyPage: ofSurveys(surveyPage),
  /** The body of `/surveys/versions`. */
  surveyVersions: ofSurveys(surveyVersions),
  /** The document of a kind that a site has, as JSON; null where it has none. */
  ofSite: ofRows((rows, { site, kind }: OfSite & { readonly kind: string }) =>
    documentOfSite(rows, site, kind),
  ),
  /** The documents of a kind that sites have, as JSON. */
  ofSites: ofRows((rows, { kind }: { readonly kind: string }) => documentsOfSites(rows, kind)),
  /** Sources of counts; the first one is that of counts made here now. */
  sources: ofRows((rows, _: undefined) => sourcesOf(rows)),
  /** The size of each source. */
  sourceSizes: ofRows(async (rows, _: undefined) => sourceSizes(rows, await sourcesOf(rows))),
  /** The sources of a site with the sums of their days. */
  sourceDays: ({ snapshot, rows }: ReadContext, { site }: OfSite) =>
    sourceDays(snapshot, rows, site),
  blockOfSource: ({ snapshot }: ReadContext, which: Omit<BlockKey, "part">) =>
    blockOfSource(snapshot, which),
  /** The months of a site with content, ascending. */
  monthsOfSite: ({ snapshot, rows }: ReadContext, { site }: OfSite) =>
    monthsOfSite(snapshot, rows, site),
  /** A month of a site, of all sources, as one block; null for none. */
  monthOfSite: ({ snapshot }: ReadContext, { site, month }: OfSite & { readonly month: Month }) =>
    monthOfSite(snapshot, site, month),
  /** The responses of a site after an id, in their order. */
  surveysOfSite: ofRows(surveysOfSite),
  /** Counters of days that are no longer kept. */
  pastOfSite: ofRows((rows, { site }: OfSite) => pastOfSite(rows, site)),
  /** The days of a site of which an import does not know some counters. */
  gapsOfSite: ({ snapshot, rows }: ReadContext, range: SiteDays) =>
    gapsOf(snapshot, rows, range, undefined),
  /** The alarms of every site that has some. */
  siteAlarms: ofRows(async (rows, _: undefined) => alarmsIn(await rows(ALARMS_QUERY))),
  /** The documents of a kind that all processes share, oldest first; `body` is JSON. */
  shared: ofRows((rows, { kind }: { readonly kind: string }) =>
    rows<{ id: string; body: string }>(
      "SELECT id, body FROM document WHERE kind = $1 AND body IS NOT NULL ORDER BY revision, id",
      [kind],
    ),
  ),
  /** The origins of all sources; the first one is that of counts made here now. */
  async origins({ sql, rows }: ReadContext, _: undefined): Promise<KnownOrigin[]> {
    const others = await rows<KnownOrigin>("SELECT number, origin, kind FROM source");
    return [{ ...(await sql.own()), kind: "now" }, ...others];
  },
  /** The changes after a cursor, for another Tallydeck that shows what is counted here. */
  placeFeed: ({ sql }: ReadContext, query: FeedQuery) => placeFeed(sql, query),
  /** A unit that a place sent, as it is to be taken; or the lie in it. */
  judgedUnit: (_: ReadContext, came: UnitToJudge) => judgeUnit(came),
  /** Days of a place, merged with those that are here. */
  placeDays: ({ sql }: ReadContext, month: Omit<PlaceMonth, "ages">) => mergedDays(sql, month),
  /** The sites of these that have numbers or responses. */
  counting: ({ snapshot, rows }: ReadContext, { sites }: { readonly sites: readonly SiteKey[] }) =>
    sitesThatCount(snapshot, rows, sites),
} as const;

/** The questions to the data that belongs to this box, which is always a file. */
export const BOX_READS = {
  /** Sites by the size of their blocks here, the largest first; none where the numbers are elsewhere. */
  largestSites: (rows: Rows, { limit }: { readonly limit: number }) =>
    rows<{ key: SiteKey; id: string }>(
      `SELECT key, id FROM site LEFT JOIN block ON block.site = key GROUP BY key
       ORDER BY sum(${BLOCK_BYTES}) DESC, key LIMIT $1`,
      [limit],
    ),
  /** All documents of a kind, oldest first. */
  documents: (rows: Rows, { kind }: { readonly kind: string }) =>
    rows<DocumentRow>(
      `SELECT id, body, revision, coalesce(octet_length(file), 0) AS size FROM document
       WHERE kind = $1 AND body IS NOT NULL ORDER BY rowid`,
      [kind],
    ),
  /** The file of a document; null where there is none. */
  async documentFile(rows: Rows, { kind, id }: { readonly kind: string; readonly id: string }) {
    const [row] = await rows<{ file: Uint8Array | null }>(
      "SELECT file FROM document WHERE kind = $1 AND id = $2",
      [kind, id],
    );
    return row?.file ?? null;
  },
} as const;

/** Questions of upkeep, to each place that has numbers: the next step with the log and the blocks, if any is due. */
type Settling = { settlement(of: unknown, query: SettlementQuery): Settlement | null };

type Queries = typeof FLEET_READS & typeof BOX_READS & Settling;
export type FleetQueryName = keyof typeof FLEET_READS;
export type LocalQueryName = keyof typeof BOX_READS;
export type QueryName = keyof Queries;
export type QueryInput<Q extends QueryName> = Parameters<Queries[Q]>[1];
export type QueryResult<Q extends QueryName> = Awaited<ReturnType<Queries[Q]>>;
