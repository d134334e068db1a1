import type { Answer } from "../answer.ts";
import type { QueryInput, QueryName, QueryResult } from "../queries.ts";
import type { ReaderAnswer, ReaderRequest } from "../threads/kept-reader.ts";
import { hostDatabase } from "../threads/thread-host.ts";
import { viewCounts } from "./counts/day-totals.ts";
import { foldPlan } from "./counts/fold-plan.ts";
import { hourlyViews } from "./counts/hourly-views.ts";
import { liveNumbers } from "./counts/live-numbers.ts";
import { overview } from "./counts/overview.ts";
import { stats } from "./counts/reports.ts";
import { siteActivity } from "./counts/site-activity.ts";
import type { Database } from "./database.ts";
import { isDamage, openForReading } from "./database.ts";
import { surveyPage } from "./surveys/page.ts";
import { surveySummary } from "./surveys/report.ts";
import { surveyVersions } from "./surveys/versions.ts";
import { allowedOrigins } from "./tables/allowed-origins.ts";
import { keptChannels } from "./tables/channels.ts";
import { deckSettings } from "./tables/decks.ts";
import { imageBytes, imageList } from "./tables/images.ts";
import { mqttRow } from "./tables/mqtt.ts";
import { publicAddressRow } from "./tables/public-address.ts";
import { pushTokens } from "./tables/push-tokens.ts";
import { sessions } from "./tables/sessions.ts";
import { siteAlarms } from "./tables/site-alarms.ts";
import { surveyLabels } from "./tables/survey-labels.ts";

/** The worker that reads, so that a large report delays no hit. It answers one question at a time. */
const QUERIES: {
  readonly [Q in QueryName]: (db: Database, input: QueryInput<Q>) => QueryResult<Q>;
} = {
  stats,
  overview,
  viewCounts,
  liveNumbers,
  hourlyViews,
  siteActivity,
  surveySummary,
  surveyPage,
  surveyVersions,
  surveyLabels,
  siteAlarms,
  foldPlan,
  deckSettings,
  pushTokens,
  allowedOrigins,
  keptChannels,
  imageList,
  imageBytes,
  mqttRow,
  publicAddressRow,
  sessions,
};
hostDatabase<ReaderRequest, ReaderAnswer>((file, say) => {
  const db = openForReading(file);
  return {
    handle({ query, input }) {
      const run = QUERIES[query] as (db: Database, input: unknown) => unknown;
      try {
        // In one transaction: a report is of one moment.
        const result = db.transaction(() => run(db, input)).deferred();
        say({ kind: "result", result }, memoryOf(result));
      } catch (error) {
        if (isDamage(error)) say({ kind: "damaged", message: error.message });
        say({ kind: "error", message: error instanceof Error ? error.message : String(error) });
      }
    },
    close: () => void db.close(),
  };
});

/** The memory of a body is handed over: the main thread neither copies nor touches it. */
function memoryOf(result: unknown): ArrayBuffer[] {
  const body = (result as Partial<Answer> | null | undefined)?.body;
  return body instanceof Uint8Array ? [body.buffer as ArrayBuffer] : [];
}
