import type { QueryInput, QueryName, QueryResult } from "./queries.ts";
import type { Directory } from "./sites/directory.ts";
import { SqliteDesk } from "./sqlite/desk.ts";
import type { WriteInput, WriteName, WriteResult } from "./writes.ts";

/** Where the data is. */
export interface Place {
  readonly dataDir: string;
  /** Where the numbers are, if not in the data folder: `postgres://…`. */
  readonly databaseUrl?: string | undefined;
}

/**
 * What became of what an erased site had counted: it is gone; it is gone but for traces that stay on
 * the disk until the service has been stopped once; or those who count there will erase it.
 */
export type Erased = "gone" | "traces" | "later";

/** The data as commands have it: for a moment, beside a service or without one. */
export interface Desk {
  directory(): Promise<Directory>;
  read<Q extends QueryName>(query: Q, input: QueryInput<Q>): Promise<QueryResult<Q>>;
  /** In a transaction of its own. */
  write<W extends WriteName>(name: W, input: WriteInput<W>): Promise<WriteResult<W>>;
  eraseCounts(): Promise<Erased>;
  close(): Promise<void>;
}

/**
 * Opens the data for a look, which neither makes nor changes anything.
 * @returns undefined where there never was any
 * @throws {Refusal} DatabaseRefused among them, with a sentence for the owner
 */
export async function openToLook({ dataDir }: Place): Promise<Desk | undefined> {
  return SqliteDesk.toLook(dataDir);
}

/**
 * Opens the data for changes; it is made where there never was any.
 * @param makesRoom it will do so on a disk that may be full
 * @throws {Refusal} DatabaseRefused among them, with a sentence for the owner
 */
export async function openToChange(
  { dataDir }: Place,
  { makesRoom = false }: { makesRoom?: boolean } = {},
): Promise<Desk> {
  return SqliteDesk.toChange(dataDir, makesRoom);
}
