import type { BoxDesk, Desk } from "./engine.ts";
import { SqliteDesk } from "./sqlite/desk.ts";

export type { Collector, Desk, Erased } from "./engine.ts";

/** Where the data is. */
export interface Place {
  readonly dataDir: string;
  /** Where the numbers are, if not in the data folder: `postgres://…`. */
  readonly databaseUrl?: string | undefined;
}

/**
 * Opens the data for a look, which neither makes nor changes anything.
 * @returns undefined where there never was any
 * @throws {Refusal} DatabaseRefused among them, with a sentence for the owner
 */
export async function openToLook({ dataDir, databaseUrl }: Place): Promise<Desk | undefined> {
  if (databaseUrl === undefined) return SqliteDesk.toLook(dataDir);
  const { PostgresDesk } = await import("./postgres/desk.ts");
  return PostgresDesk.toLook(databaseUrl);
}

/** The same for what belongs to the box: always a file. */
export async function openBoxToLook(dataDir: string): Promise<BoxDesk | undefined> {
  return SqliteDesk.toLook(dataDir);
}

/**
 * Opens the data for changes; it is made where there never was any.
 * @param makesRoom it will do so on a disk that may be full
 * @throws {Refusal} DatabaseRefused among them, with a sentence for the owner
 */
export async function openToChange(
  { dataDir, databaseUrl }: Place,
  { makesRoom = false }: { makesRoom?: boolean } = {},
): Promise<Desk> {
  if (databaseUrl === undefined) return SqliteDesk.toChange(dataDir, makesRoom);
  const { PostgresDesk } = await import("./postgres/desk.ts");
  return PostgresDesk.toChange(databaseUrl);
}
