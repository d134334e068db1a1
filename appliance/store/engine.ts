import type { Clock } from "../base/clock.ts";
import type { Histogram } from "../base/histogram.ts";
import type { Log } from "../base/log.ts";
import type { Refusal, RefusalCode } from "../base/refusal.ts";
import type { BatchData, SiteKey } from "./counting.ts";
import type { Soon } from "./counts/source.ts";
import type { LiveBars } from "./intake/live-views.ts";
import type {
  BoxQueryName,
  FleetQueryName,
  QueryInput,
  QueryResult,
  SettlementQuery,
  UpkeepTime,
} from "./queries.ts";
import type { ReadQueue } from "./reads/read-queue.ts";
import type { DeclaredSite, Directory } from "./sites/directory.ts";
import type { Settlement } from "./snapshot.ts";
import type { Threads } from "./threads/threads.ts";
import type { FleetWriteName, WriteInput, WriteName, WriteResult } from "./writes.ts";

/**
 * A change that an engine is asked for. One request is one transaction, stored for good before its
 * answer comes; they are handled in the order they come. `at` is when it was asked, in monotonic
 * milliseconds.
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
      /** For each survey of a batch what `withdraw` takes; null where the site takes no more that day. */
      readonly surveys: readonly (number | null)[];
      /** There is more to do of the same. */
      readonly more: boolean;
      /** True where a settlement was prepared on blocks that are other ones by now: nothing was done. */
      readonly isInVain?: boolean;
      /** The answer of a write. */
      readonly result?: unknown;
    }
  | {
      readonly ok: false;
      /** It passes by itself within moments: another holds the database. */
      readonly busy: boolean;
      readonly message: string;
      /** The write cannot be, whatever the state of the storage. */
      readonly refused?: RefusalCode;
    };

/** It is done. */
export const DONE = { ok: true, surveys: [], more: false } as const satisfies EngineAnswer;

/** Nothing was done, and the same again may fail for the same reason. */
export function notDone(message: string): EngineAnswer & { readonly ok: false } {
  return { ok: false, busy: false, message };
}

/** The facts that the door learns once a database has answered. */
export interface Opened {
  /** 32 bytes that seal the cursors of the survey export, the same for all who share the database. */
  readonly cursorSecret: Uint8Array;
  /** The newest time (epoch ms) that the data knows has been; 0 when it knows none. */
  readonly newestTime: number;
  /** Notes for the owner on the sites and the zone that the configuration names, a sentence each. */
  readonly sentences: readonly string[];
}

/** How an engine fares with a database elsewhere; all but `connections` count from the start. */
export interface DatabaseFigures {
  /** Open now. */
  readonly connections: number;
  /** Connections that were lost and made again. */
  readonly reconnects: number;
  /** Transactions run again because others got in their way (40001, 40P01). */
  readonly retries: number;
}

/** Events that an engine tells by itself, and questions that it asks. */
export interface EngineEvents {
  /**
   * Told before `opened`, and whenever sites or tokens changed, be it by another process. A change by this one is
   * answered once it is heard.
   */
  directory(directory: Directory): Soon<void>;
  /** A database is in use: at the start, and when another one took its place. */
  opened(opened: Opened): void;
  /** The database will not have us, for a reason that does not pass by itself; each time it is met. */
  refused(why: Refusal): void;
  /** Another process has counted. */
  counted(): void;
  /** Views of the last five minutes that other processes have counted. */
  live(others: readonly LiveBars[]): void;
  /** The data is damaged. */
  damaged(why: Unusable): void;
  /** There is more room than before: what failed may succeed. */
  room(): void;
  /** The views of the last five minutes that this process has counted: by site, half minutes, oldest first. */
  views(): ReadonlyMap<SiteKey, readonly number[]>;
  /** The sites whose last five minutes were asked for a moment ago. */
  asked(): readonly SiteKey[];
}

/** The question for the next settlement; the engine knows the rest. */
export type SettlementAsked = Omit<SettlementQuery, "maxDetailBytes" | "lowSpace">;

/** Keeps what is counted, and answers from it. */
export interface Engine {
  /** False until the database has answered once. */
  readonly ready: boolean;
  /** True where no new values are to be taken in. */
  readonly lowSpace: boolean;
  /** Undefined where the database is a file. */
  readonly figures: DatabaseFigures | undefined;
  /** The questions to what it keeps. */
  readonly reads: ReadQueue;
  send(request: EngineRequest): Promise<EngineAnswer>;
  /**
   * Prepares the next settlement, to be sent; null when nothing is due, or another node settles.
   * @throws {Refusal} as a read does; Error when the database cannot be asked
   */
  settlement(asked: SettlementAsked): Promise<Settlement | null>;
  /** Ends it after what it was asked. A request that cannot be stored within seconds is refused. */
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
  /** How large the heap of the worker that reads may become; READER_MEMORY_MB unless given. */
  readerMemoryMb?: number;
  threads?: Threads;
}

/** The same where it keeps all in a file of this machine. */
export interface FileEngine extends Engine {
  /** True while there is data from before a restore that a start with the file has not made needless yet. */
  readonly isOnTrial: boolean;
  space(): Promise<Space>;
  /**
   * Closes the database, lets `replace` put another file in its place, and goes on with what is
   * there then. A file that was swapped in and takes no commit is given up again for the one before,
   * which else stays until `keepFile`.
   * @throws {DatabaseRefused} and whatever `replace` throws
   */
  replaceFile(replace: (file: string) => Promise<void>): Promise<void>;
  /** A start with the file came up whole: what was there before a restore goes. */
  keepFile(): void;
}

/** The fate of batches since the start, and the hits that wait for the next. */
export interface IntakeFigures {
  /** Of each commit that was made. */
  readonly commitSeconds: Pick<Histogram, "sum" | "buckets">;
  /** Commits that were tried and not made. */
  readonly failedBatches: number;
  readonly waitingHits: number;
  /** Bytes of memory that they take, about. */
  readonly waitingBytes: number;
}

/** How the store fares. */
export interface StoreFigures extends IntakeFigures {
  readonly ready: boolean;
  /** Nothing can be stored now. */
  readonly unavailable: boolean;
  /** Undefined where the database is a file. */
  readonly database: DatabaseFigures | undefined;
}

/**
 * The fate of the counts of erased sites: they are gone; they are gone but for traces that stay on
 * the disk until the service has been stopped once; or the collectors there will erase them.
 */
export type Erased = "gone" | "traces" | "later";

/** A process that counts into a database that many share. */
export interface Collector {
  readonly name: string;
  /** How long ago it said that it lives. */
  readonly seconds: number;
  /** It is the one that settles what all of them have counted. */
  readonly settles: boolean;
}

/** The box's own data as commands have it. */
export interface BoxDesk {
  read<Q extends BoxQueryName>(query: Q, input: QueryInput<Q>): Promise<QueryResult<Q>>;
  close(): Promise<void>;
}

/** The numbers as commands have them: for a moment, beside a service or without one. */
export interface Desk {
  directory(): Promise<Directory>;
  read<Q extends FleetQueryName>(query: Q, input: QueryInput<Q>): Promise<QueryResult<Q>>;
  /** In a transaction of its own. */
  write<W extends FleetWriteName>(name: W, input: WriteInput<W>): Promise<WriteResult<W>>;
  eraseCounts(): Promise<Erased>;
  /** Those of the last day, by name; none where the data is a file. */
  collectors(): Promise<readonly Collector[]>;
  close(): Promise<void>;
}
