import { ConfigRefused, isRefusal } from "../base/refusal.ts";
import type { Config } from "../config.ts";
import { UsageError } from "./command.ts";

/** Where a database is. */
interface DatabaseAddress {
  /** For people: nothing of it is secret. */
  readonly shown: string;
  /** As `parseDatabaseUrl` has it. */
  readonly settings: ReturnType<
    typeof import("../store/postgres/connection/url.ts").parseDatabaseUrl
  >;
}

/**
 * The database that the configuration names. Loads nothing where it names none.
 * @throws {ConfigRefused} when its address cannot be one
 */
export async function databaseOf({ databaseUrl }: Config): Promise<DatabaseAddress | undefined> {
  if (databaseUrl === undefined) return undefined;
  const { parseDatabaseUrl, shownUrl } = await import("../store/postgres/connection/url.ts");
  try {
    const settings = parseDatabaseUrl(databaseUrl);
    return { settings, shown: shownUrl(settings) };
  } catch (error) {
    throw isRefusal(error, "invalid_config") ? new ConfigRefused([error]) : error;
  }
}

/** The same for a command that is of no use without. @throws {UsageError} */
export async function namedDatabase(config: Config, purpose: string): Promise<DatabaseAddress> {
  const database = await databaseOf(config);
  if (database === undefined) throw new UsageError(`${purpose}: name it in DATABASE_URL.`);
  return database;
}
