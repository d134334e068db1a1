import type { BlockCounts } from "../counts/block-counts.ts";
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
import type { FleetQueryName, QueryInput, QueryResult } from "../queries.ts";
import { ALARMS_QUERY, alarmsIn } from "../sites/alarms.ts";
import type { Snapshot, SourceNumber } from "../snapshot.ts";
import { countedSources, siteSources, sourceSizes, sourcesOf } from "../sources.ts";
import type { Rows } from "../sql.ts";
import { surveyPage } from "../surveys/page.ts";
import { surveySummary, surveyVersions } from "../surveys/report.ts";
import { SurveySource } from "../surveys/source.ts";
import { type EtagCache, makeAnswer } from "./answer.ts";

/** The data that an engine reads from; all of one moment. */
export interface FleetSource {
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
export const FLEET_READS: {
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
  sourceSizes: async ({ snapshot, rows }) => sourceSizes(snapshot, rows, await sourcesOf(rows)),
  /** The alarms of every site that has some. */
  siteAlarms: async ({ rows }) => alarmsIn(await rows(ALARMS_QUERY)),
  counting: ({ snapshot, rows }, { sites }) => sitesThatCount(snapshot, rows, sites),
};
