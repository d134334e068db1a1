import { LastAnswers } from "../answer.ts";
import type { Soon } from "../counts/source.ts";
import { FLEET_READS, type FleetSource } from "../fleet-reads.ts";
import type {
  BoxQueryName,
  FleetQueryName,
  QueryInput,
  QueryName,
  QueryResult,
} from "../queries.ts";
import { SqliteCounts } from "./counts/source.ts";
import { type Database, dataVersion } from "./database.ts";
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

/** What can be asked of a database; one question at a time. */
export class Reads {
  readonly #db: Database;
  readonly #source: FleetSource;

  constructor(db: Database) {
    this.#db = db;
    this.#source = {
      counts: new SqliteCounts(db),
      surveys: new SqliteSurveys(db),
      siteAlarms: () => siteAlarms(db),
      version: () => dataVersion(db),
      lastAnswers: new LastAnswers(),
    };
  }

  run(query: QueryName, input: unknown): Promise<unknown> {
    return ofOneMoment(this.#db, () => this.#read(query, input));
  }

  #read(query: QueryName, input: unknown): Soon<unknown> {
    type Read<Source> = (source: Source, input: unknown) => Soon<unknown>;
    if (query in BOX_READS)
      return (BOX_READS[query as BoxQueryName] as Read<Database>)(this.#db, input);
    const read = FLEET_READS[query as FleetQueryName] as Read<FleetSource>;
    return read(this.#source, input);
  }
}
