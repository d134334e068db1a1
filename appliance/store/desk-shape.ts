import type { BoxQueryName, FleetQueryName, QueryInput, QueryResult } from "./queries.ts";
import type { Directory } from "./sites/directory.ts";
import type { FleetWriteName, WriteInput, WriteResult } from "./writes.ts";

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
