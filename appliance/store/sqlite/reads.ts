import { DayZone } from "../../base/day-zone.ts";
import { BlockCounts } from "../counts/block-counts.ts";
import type { PassedOver } from "../counts/block-reading.ts";
import type { Soon } from "../counts/source.ts";
import { LogTail, tailOf } from "../log/tail.ts";
import type {
  FleetQueryName,
  LocalQueryName,
  QueryInput,
  QueryName,
  QueryResult,
  SettlementQuery,
} from "../queries.ts";
import { EtagCache } from "../reads/answer.ts";
import { FLEET_READS, type FleetSource } from "../reads/fleet-reads.ts";
import { timeRun } from "../settling/day-marks.ts";
import { nextSettlement } from "../settling/settling.ts";
import type { Settlement } from "../snapshot.ts";
import type { ReaderAnswer } from "../threads/reader-thread.ts";
import type { Reader } from "../threads/thread-host.ts";
import { type Database, dataVersion, isDamage } from "./database.ts";
import { documentFile, documents, largestSites } from "./documents.ts";
import { lastInLog, ofOneMoment, SqliteSnapshot } from "./snapshot.ts";
import { perform, rowsOf } from "./sql.ts";

const BOX_READS: {
  readonly [Q in Exclude<LocalQueryName, "settlement">]: (
    db: Database,
    input: QueryInput<Q>,
  ) => QueryResult<Q>;
} = {
  largestSites: (db, { limit }) => largestSites(db, limit),
  documents,
  documentFile,
};

/** Answers the questions to a database, one at a time. */
export class SqliteReads implements Reader {
  readonly #db: Database;
  readonly #passedOver: PassedOver | undefined;
  readonly #snapshot: SqliteSnapshot;
  /** The part of the log that is in no block yet, decoded once. */
  readonly #tail = new LogTail();
  readonly #lastAnswers = new EtagCache();
  /** The last number of the log that the present settlement covers. */
  #settlesTo: number | undefined;

  /** @param passedOver is called for blocks that cannot be read */
  constructor(db: Database, passedOver?: PassedOver) {
    this.#db = db;
    this.#passedOver = passedOver;
    this.#snapshot = new SqliteSnapshot(db);
  }

  read(query: QueryName, input: unknown): Promise<unknown> {
    return ofOneMoment(this.#db, () => this.#answer(query, input));
  }

  /** Reports damage, beside the failure of the question. */
  explain(error: unknown): ReaderAnswer | undefined {
    return isDamage(error) ? { kind: "damaged", message: error.message } : undefined;
  }

  close(): void {
    this.#db.close();
  }

  #answer(query: QueryName, input: unknown): Soon<unknown> {
    type Read<Source> = (source: Source, input: unknown) => Soon<unknown>;
    if (query === "settlement") return this.#settlement(input as SettlementQuery);
    if (query in BOX_READS)
      return (BOX_READS[query as keyof typeof BOX_READS] as Read<Database>)(this.#db, input);
    const read = FLEET_READS[query as FleetQueryName] as Read<FleetSource>;
    return read(this.#source(), input);
  }

  /** Settles up to the end that the log had at first: with new batches it would never come to an end. */
  #settlement(query: SettlementQuery): Soon<Settlement | null> {
    if (query.isFirst) this.#settlesTo = lastInLog(this.#db);
    const zone = new DayZone(query.zone);
    return nextSettlement(new SqliteSnapshot(this.#db, this.#settlesTo), {
      ...query,
      zoneHour: (epochMs) => zone.hourAt(epochMs),
      ...perform(this.#db, timeRun()),
    });
  }

  #source(): FleetSource {
    return {
      counts: (source) =>
        new BlockCounts(this.#snapshot, tailOf(this.#tail, source), this.#passedOver, source),
      snapshot: this.#snapshot,
      rows: rowsOf(this.#db),
      version: () => dataVersion(this.#db),
      lastAnswers: this.#lastAnswers,
    };
  }
}
