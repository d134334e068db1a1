import { DayZone } from "../../base/day-zone.ts";
import { BlockCounts } from "../counts/block-counts.ts";
import type { PassedOver } from "../counts/block-reading.ts";
import { goalsOf } from "../counts/goals.ts";
import { overview } from "../counts/overview.ts";
import { hourlyViews, liveNumbers, siteActivity, viewCounts } from "../counts/site-numbers.ts";
import { sitesThatCount } from "../counts/sites-that-count.ts";
import type { SiteDays, Soon } from "../counts/source.ts";
import { statsBody } from "../counts/stats.ts";
import { documentOfSite, documentsOfSites } from "../documents.ts";
import { gapsOf } from "../imports/gaps.ts";
import { blockOfSource, sourceDays } from "../imports/imports.ts";
import { monthOfSite, monthsOfSite, pastOfSite, surveysOfSite } from "../imports/whole.ts";
import { LogTail, tailOf } from "../log/tail.ts";
import type {
  FleetQueryName,
  LocalQueryName,
  QueryInput,
  QueryName,
  QueryResult,
  SettlementQuery,
} from "../queries.ts";
import { timeRun } from "../settling/day-marks.ts";
import { nextSettlement, type SettlingTime } from "../settling/settling.ts";
import { ALARMS_QUERY, alarmsIn } from "../sites/alarms.ts";
import type { Settlement, Snapshot, SourceNumber } from "../snapshot.ts";
import { countedSources, siteSources, sourceSizes, sourcesOf } from "../sources.ts";
import type { Db, LogEnds, Rows, Transaction } from "../sql.ts";
import { surveyPage } from "../surveys/page.ts";
import { surveySummary, surveyVersions } from "../surveys/report.ts";
import { SurveySource } from "../surveys/source.ts";
import { EtagCache, makeAnswer } from "./answer.ts";

/** The state in which a question finds the data. */
interface ReadState {
  /** It changes with everything that is counted, settled or erased. */
  readonly version: unknown;
  /** The server that is read from: on another one the same numbers may mean something else. */
  readonly server: string;
}

/** The part of reading that an engine does in its own way. */
interface OwnReads {
  state(sql: Transaction): Promise<ReadState>;
  /** Questions to the data of a box, where it is kept there, too. */
  readonly ofBox?: {
    readonly [Q in LocalQueryName]: (rows: Rows, input: QueryInput<Q>) => Promise<QueryResult<Q>>;
  };
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
      const read = FLEET_READS[query as FleetQueryName] as Read<FleetSource>;
      return read(await this.#source(sql), input);
    };
    return this.#db.transaction(answer, { read: true }) as Promise<QueryResult<Q>>;
  }

  async #source(sql: Transaction): Promise<FleetSource> {
    const { server, version } = await this.#own.state(sql);
    const { tail, lastAnswers } = this.#keptOf(server);
    const { snapshot, rows } = sql;
    return {
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
      this.#ends = ends;
    }
    const zone = new DayZone(query.zone);
    const settlement = await nextSettlement(sql.snapshotUntil(this.#ends), {
      ...query,
      zoneHour: (epochMs) => zone.hourAt(epochMs),
      ...(await timeRun(sql.rows)),
      ...more,
    });
    const epoch = await sql.epoch();
    return settlement && epoch !== null ? { ...settlement, epoch } : settlement;
  }
}

/** The data that an engine reads from; all of one moment. */
interface FleetSource {
  /** New counts for each question. @param source limits them to one source; all unless given */
  counts(source?: SourceNumber): BlockCounts;
  readonly snapshot: Snapshot;
  readonly rows: Rows;
  /** The version, which changes with each write. */
  version(): Soon<unknown>;
  /** The last answers from this database. */
  readonly lastAnswers: EtagCache;
}

/** The queries on the numbers, the same for both engines. */
const FLEET_READS: {
  readonly [Q in FleetQueryName]: (
    source: FleetSource,
    input: QueryInput<Q>,
  ) => Soon<QueryResult<Q>>;
} = {
  stats: async (source, { query, accepts }) => {
    const { site, source: only, tellsSources, tellsSurveys } = query;
    // A response changes no count, so that it is a part of the question.
    const surveys = tellsSurveys ? await new SurveySource(source.rows).any(site) : undefined;
    const question = { ...query, surveys };
    return source.lastAnswers.answer(await source.version(), question, accepts, async () => {
      const sources =
        tellsSources &&
        (await countedSources(await siteSources(source.rows, site, only), (number) =>
          source.counts(number).firstDay(site),
        ));
      const gapsIn = (range: SiteDays) => gapsOf(source.snapshot, source.rows, range, only);
      return statsBody(source.counts(only), query, { sources, surveys, gapsIn });
    });
  },
  goals: ({ counts }, { query, accepts }) =>
    goalsOf(counts(query.source), query).then((answer) =>
      makeAnswer(JSON.stringify(answer), accepts),
    ),
  overview: ({ counts }, input) => overview(counts(), input),
  viewCounts: ({ counts }, input) => viewCounts(counts(), input),
  liveNumbers: ({ counts }, input) => liveNumbers(counts(), input),
  hourlyViews: ({ counts }, input) => hourlyViews(counts(), input),
  siteActivity: ({ counts }, input) => siteActivity(counts(), input),
  surveySummary: ({ rows }, input) => surveySummary(new SurveySource(rows), input),
  surveyPage: ({ rows }, input) => surveyPage(new SurveySource(rows), input),
  surveyVersions: ({ rows }, input) => surveyVersions(new SurveySource(rows), input),
  ofSite: ({ rows }, { site, kind }) => documentOfSite(rows, site, kind),
  ofSites: ({ rows }, { kind }) => documentsOfSites(rows, kind),
  sources: ({ rows }) => sourcesOf(rows),
  sourceDays: ({ snapshot, rows }, { site }) => sourceDays(snapshot, rows, site),
  blockOfSource: ({ snapshot }, input) => blockOfSource(snapshot, input),
  monthsOfSite: ({ snapshot, rows }, { site }) => monthsOfSite(snapshot, rows, site),
  monthOfSite: ({ snapshot }, { site, month }) => monthOfSite(snapshot, site, month),
  surveysOfSite: ({ rows }, input) => surveysOfSite(rows, input),
  pastOfSite: ({ rows }, { site }) => pastOfSite(rows, site),
  gapsOfSite: ({ snapshot, rows }, range) => gapsOf(snapshot, rows, range, undefined),
  sourceSizes: async ({ rows }) => sourceSizes(rows, await sourcesOf(rows)),
  /** The alarms of every site that has some. */
  siteAlarms: async ({ rows }) => alarmsIn(await rows(ALARMS_QUERY)),
  counting: ({ snapshot, rows }, { sites }) => sitesThatCount(snapshot, rows, sites),
};
