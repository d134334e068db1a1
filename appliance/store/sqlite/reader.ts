import { type Answer, LastAnswers } from "../answer.ts";
import type { Soon } from "../counts/source.ts";
import { FLEET_READS, type FleetSource } from "../fleet-reads.ts";
import type { BoxQueryName, QueryInput, QueryName, QueryResult } from "../queries.ts";
import type { ReaderAnswer, ReaderRequest } from "../threads/kept-reader.ts";
import { hostDatabase } from "../threads/thread-host.ts";
import { SqliteCounts } from "./counts/source.ts";
import type { Database } from "./database.ts";
import { dataVersion, isDamage, openForReading } from "./database.ts";
import { ofOneMoment } from "./moment.ts";
import { SqliteSurveys } from "./surveys/source.ts";
import { allowedOrigins } from "./tables/allowed-origins.ts";
import { keptChannels } from "./tables/channels.ts";
import { deckSettings } from "./tables/decks.ts";
import { imageBytes, imageList } from "./tables/images.ts";
import { mqttRow } from "./tables/mqtt.ts";
import { publicAddressRow } from "./tables/public-address.ts";
import { pushTokens } from "./tables/push-tokens.ts";
import { sessions } from "./tables/sessions.ts";
import { siteAlarms } from "./tables/site-alarms.ts";

const BOX_READS: {
  readonly [Q in BoxQueryName]: (db: Database, input: QueryInput<Q>) => QueryResult<Q>;
} = {
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

/** The worker that reads, so that a large report delays no hit. It answers one question at a time. */
hostDatabase<ReaderRequest, ReaderAnswer>((file, say) => {
  const db = openForReading(file);
  const source: FleetSource = {
    counts: new SqliteCounts(db),
    surveys: new SqliteSurveys(db),
    siteAlarms: () => siteAlarms(db),
    version: () => dataVersion(db),
    lastAnswers: new LastAnswers(),
  };
  const run = (query: QueryName, input: unknown) => {
    type Read<Source> = (source: Source, input: unknown) => Soon<unknown>;
    if (query in BOX_READS) return (BOX_READS[query as BoxQueryName] as Read<Database>)(db, input);
    return (FLEET_READS[query as keyof typeof FLEET_READS] as Read<FleetSource>)(source, input);
  };
  return {
    async handle({ query, input }) {
      try {
        const result = await ofOneMoment(db, () => run(query, input));
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
