import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Histogram } from "../base/metrics/histogram.ts";
import type { Refusal, RefusalCode } from "../base/refusal.ts";
import type { BatchData, SiteKey } from "./counting.ts";
import type { Soon } from "./counts/site-counts.ts";
import type { LiveBars } from "./intake/live-views.ts";
import type { SettlementQuery, UpkeepTime } from "./queries.ts";
import type { ReadQueue } from "./reads/read-queue.ts";
import type { FleetQueryName, LocalQueryName, QueryInput, QueryResult } from "./reads/reads.ts";
import type { DeclaredSite, Directory } from "./sites/directory.ts";
import type { Settlement } from "./snapshot.ts";
import type { Threads } from "./threads/threads.ts";
import type { FleetWriteName, WriteInput, WriteName, WriteResult } from "./writes.ts";

/**
 * A change for an engine. A request is one transaction, which is durable before the answer. Requests are handled in
 * order. `at` is the monotonic time of the request, in milliseconds.
 */
export type EngineRequest =
  | { readonly kind: "commit"; readonly at: number; readonly batch: BatchData }
  | { readonly kind: "upkeep"; readonly at: number; readonly time: UpkeepTime }
  | { readonly kind: "settle"; readonly at: number; readonly settlement: Settlement }
  | { readonly kind: "write"; readonly name: WriteName; readonly input: unknown }
  /** Answered in turn and without touching the database: a sign of life. */
  | { readonly kind: "ping" };

export type EngineAnswer =
  | {
      readonly ok: true;
      /** Whether each survey of a batch was taken: a site takes only so many on a day. */
      readonly surveys: readonly boolean[];
      /** Whether the same request has more to do. */
      readonly more: boolean;
      /** Whether a settlement did nothing, because the blocks that it was prepared on have changed. */
      readonly isInVain?: boolean;
      /** Whether nothing of a batch was counted, since it was before. */
      readonly isKnown?: boolean;
      /** The answer of a write. */
      readonly result?: unknown;
    }
  | {
      readonly ok: false;
      /** Whether it passes by itself within moments, because another process holds the database. */
      readonly busy: boolean;
      readonly message: string;
      /** The reason why the write is impossible in any state of the storage. */
      readonly refused?: RefusalCode;
    };

/** The answer of success. */
export const DONE = { ok: true, surveys: [], more: false } as const satisfies EngineAnswer;

/** The answer after nothing was done; another try may fail for the same reason. */
export function notDone(message: string): EngineAnswer & { readonly ok: false } {
  return { ok: false, busy: false, message };
}

/** Facts about a database that has answered for the first time. */
export interface Opened {
  /** 32 bytes that seal the cursors of the survey export, the same for all processes on the database. */
  readonly cursorSecret: Uint8Array;
  /** The newest time (epoch ms) in the data; 0 where it has none. */
  readonly newestTime: number;
  /** Sentences for the owner about the sites and the zone of the configuration. */
  readonly sentences: readonly string[];
}

/** The figures of an engine with a database elsewhere; all but `connections` count from the start. */
export interface DatabaseFigures {
  /** Open now. */
  readonly connections: number;
  /** Connections that were lost and made again. */
  readonly reconnects: number;
  /** Transactions run again because others got in their way (40001, 40P01). */
  readonly retries: number;
}

/** Callbacks of an engine: its events, and its questions. */
export interface EngineEvents {
  /**
   * Called before `opened`, and after each change of sites or tokens, those by other processes included. A change by
   * this process is answered once this has resolved.
   */
  directory(directory: Directory): Soon<void>;
  /** A database was opened: at the start, and when another one has replaced it. */
  opened(opened: Opened): void;
  /** The database will not have us, for a reason that does not pass by itself; each time it is met. */
  refused(why: Refusal): void;
  /** Called when another process has counted. */
  counted(): void;
  /** Views of the last five minutes that other processes have counted. */
  live(others: readonly LiveBars[]): void;
  /** The data is damaged. */
  damaged(why: Unusable): void;
  /** Called when there is more free space than before, so that failed writes may succeed now. */
  room(): void;
  /** The views of the last five minutes that this process has counted: by site, half minutes, oldest first. */
  views(): ReadonlyMap<SiteKey, readonly number[]>;
  /** The sites whose last five minutes were requested recently. */
  asked(): readonly SiteKey[];
}

/** The question for the next settlement; the engine adds the rest. */
export type SettlementAsked = Omit<SettlementQuery, "maxDetailBytes" | "lowSpace">;

/** A database of counts. */
export interface Engine {
  /** Whether the database has answered once. */
  readonly ready: boolean;
  /** Whether new values are refused. */
  readonly lowSpace: boolean;
  /** Undefined where the database is a file. */
  readonly figures: DatabaseFigures | undefined;
  /** The queue of reads. */
  readonly reads: ReadQueue;
  send(request: EngineRequest): Promise<EngineAnswer>;
  /**
   * Prepares the next settlement, to be sent; null when nothing is due, or another node settles.
   * @throws {Refusal} as a read does; Error when the database cannot be asked
   */
  settlement(asked: SettlementAsked): Promise<Settlement | null>;
  /** Closes it after all requests. One that cannot be stored within seconds is refused. */
  close(): Promise<void>;
}

/** Free and total bytes where the data is. */
export interface Space {
  readonly free: number;
  readonly total: number;
}

/**
 * A database that is no whole one, of another program, from a newer version, from before the first
 * release, or that a start could not read.
 */
export type Flaw = "damaged" | "foreign" | "newer" | "older" | "unreadable";

/** A database that cannot be used, and a sentence for the owner. */
export interface Unusable {
  readonly flaw: Flaw;
  readonly message: string;
  /** The same without how to mend it. */
  readonly problem: string;
}

export interface FileOptions {
  dataDir: string;
  /** The sites that the configuration names; undefined leaves all as they are. */
  declared?: readonly DeclaredSite[];
  /** The zone that the configuration names for days; undefined leaves it as it is. */
  dayZone?: string | undefined;
  clock: Clock;
  log: Log;
  /** Called with the path of the database before the workers start, each time another file is in place. */
  prepare?: (file: string) => Soon<void>;
  space?: (dir: string) => Promise<Space>;
  /** The largest heap of the worker that reads; READER_MEMORY_MB unless given. */
  readerMemoryMb?: number;
  threads?: Threads;
}

/** The same where it keeps all in a file of this machine. */
export interface FileEngine extends Engine {
  /** Whether data from before a restore is still kept, because no start with the new file has succeeded yet. */
  readonly isOnTrial: boolean;
  space(): Promise<Space>;
  /**
   * Closes the database, lets `replace` put another file in its place, and opens that. Where the new file takes
   * no commit, the one before comes back; it is kept until `keepFile`.
   * @throws {DatabaseRefused} and the errors of `replace`
   */
  replaceFile(replace: (file: string) => Promise<void>): Promise<void>;
  /** Ends the trial of a restored file: a start with it has succeeded, and the file before is removed. */
  keepFile(): void;
}

/** The fate of batches since the start, and the hits that wait for the next. */
export interface IntakeFigures {
  /** The seconds that each commit took. */
  readonly commitSeconds: Pick<Histogram, "sum" | "buckets">;
  /** Commits that were tried and not made. */
  readonly failedBatches: number;
  readonly waitingHits: number;
  /** Bytes of memory that they take, about. */
  readonly waitingBytes: number;
}

/** The figures of the store. */
export interface StoreFigures extends IntakeFigures {
  readonly ready: boolean;
  /** Whether nothing can be stored now. */
  readonly unavailable: boolean;
  /** Undefined where the database is a file. */
  readonly database: DatabaseFigures | undefined;
}

/**
 * The state of the counts of erased sites: gone; gone but for traces on the disk, until the service was stopped
 * once; or left to the collectors of that database.
 */
export type Erased = "gone" | "traces" | "later";

/** A process that counts into a database that many share. */
export interface Collector {
  readonly name: string;
  /** The time since its last sign of life. */
  readonly seconds: number;
  /** Whether it is the one that settles the counts of all. */
  readonly settles: boolean;
}

/** The box's own data for commands. */
export interface LocalDesk {
  read<Q extends LocalQueryName>(query: Q, input: QueryInput<Q>): Promise<QueryResult<Q>>;
  close(): Promise<void>;
}

/** The numbers as commands have them: for a moment, beside a service or without one. */
export interface Desk {
  directory(): Promise<Directory>;
  read<Q extends FleetQueryName>(query: Q, input: QueryInput<Q>): Promise<QueryResult<Q>>;
  /** Runs a write in a transaction of its own. */
  write<W extends FleetWriteName>(name: W, input: WriteInput<W>): Promise<WriteResult<W>>;
  eraseCounts(): Promise<Erased>;
  /** The collectors of the last day, by name; none where the data is a file. */
  collectors(): Promise<readonly Collector[]>;
  close(): Promise<void>;
}
