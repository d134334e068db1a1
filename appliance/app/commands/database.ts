import { ConfigRefused, isRefusal } from "../../base/refusal.ts";
import type { Config } from "../../config/config.ts";
import { UsageError } from "./command.ts";

/**
 * The database that the configuration names, as people are shown it: nothing of it is secret. Loads nothing where it
 * names none.
 * @throws {ConfigRefused} when its address cannot be one
 */
export async function databaseOf({ databaseUrl }: Config): Promise<string | undefined> {
  if (databaseUrl === undefined) return undefined;
  const { shownDatabase } = await import("../../store/store.ts");
  try {
    return await shownDatabase(databaseUrl);
  } catch (error) {
    throw isRefusal(error, "invalid_config") ? new ConfigRefused([error]) : error;
  }
}

/** The same for a command that is of no use without, and its address. @throws {UsageError} */
export async function namedDatabase(
  config: Config,
  purpose: string,
): Promise<{ readonly url: string; readonly shown: string }> {
  const { databaseUrl: url } = config;
  const shown = await databaseOf(config);
  if (url === undefined || shown === undefined)
    throw new UsageError(`${purpose}: name it in DATABASE_URL.`);
  return { url, shown };
}
