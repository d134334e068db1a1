import { dirname, join, resolve } from "node:path";
import { siteIdOf } from "../../base/names.ts";
import { ConfigRefused, isRefusal } from "../../base/refusal.ts";
import { didYouMean } from "../../base/text/nearest.ts";
import { type Config, FLAGS, readConfig } from "../../config/config.ts";
import { DEFAULT_DATA_DIR } from "../../config/settings.ts";
import type { Directory, Place, SiteRecord } from "../../store/desk.ts";
import { CommandFailed, INSTALLED, type Terminal, UsageError, valued } from "./command.ts";
import { wasPlace } from "./place-mark.ts";

/** Options every command takes that works on the data. */
export const DATA_OPTIONS = valued("data-dir", "config", "database-url");

export const DATA_OPTIONS_HELP = `  --data-dir DIR   where the data is (DATA_DIR)
  --config FILE    a KEY=VALUE file with settings (CONFIG)
  --database-url URL
                   where the numbers are, if not there (DATABASE_URL)`;

/** The configuration under the flags given; flags are named as on the command line. */
export function configFrom(flags: Readonly<Record<string, unknown>>, { env }: Terminal): Config {
  const text = (flag: string) => {
    const value = flags[flag];
    if (value === undefined) return undefined;
    return value === true ? "1" : String(value);
  };
  const byKey = Object.fromEntries([...FLAGS].map(([flag, key]) => [key, text(flag)]));
  return readConfig({ flags: byKey, env, file: text("config") ?? (env.CONFIG || undefined) });
}

/**
 * A command to type, on the same data as this one.
 * @param words the words after the program's name
 */
export function toType(
  words: string,
  { dataDir, databaseUrl }: Place,
  { program }: Terminal,
): string {
  // The name of a database may hold a password, and is not to be shown.
  return `${program} ${words}${databaseUrl === undefined ? dataFlag(dataDir) : ""}`;
}

/**
 * The command that starts on the same data what ran there last: in a checkout, one that also builds the pages of a service.
 */
export function toStart(dataDir: string, { program }: Pick<Terminal, "program">): string {
  const isPlace = wasPlace(dataDir);
  if (program === INSTALLED) return `systemctl start ${isPlace ? "tallydeck-place" : "tallydeck"}`;
  return isPlace
    ? `${program} place${dataFlag(dataDir)}, with the options that it had`
    : `${join(dirname(program), "start").replace(/^(?!\/)/, "./")}${dataFlag(dataDir)}`;
}

function dataFlag(dataDir: string): string {
  const path = resolve(dataDir);
  return path === DEFAULT_DATA_DIR ? "" : ` --data-dir ${quoted(path)}`;
}

/** Quotes a text so that a shell takes it for one word. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/**
 * The message where there is no site: it says where it was looked, for a service may keep its
 * numbers elsewhere.
 */
export async function noSite(config: Config, terminal: Terminal): Promise<string> {
  const where = (await databaseOf(config)) ?? resolve(config.dataDir);
  return `No site yet in ${where}. Add one: ${toType("sites add my-site", config, terminal)}`;
}

export function unknownSite({ sites }: Directory, id: string): string {
  const meant = didYouMean(
    id,
    sites.map((site) => site.id),
  );
  return `There is no site ${id}.${meant} \`tallydeck sites\` lists them.`;
}

/** The site with an id, or the only one. @throws {UsageError | CommandFailed} where the choice is not clear */
export function siteMeant(directory: Directory, given: string | undefined): SiteRecord {
  const { sites } = directory;
  const [first, ...others] = sites;
  if (given === undefined) {
    if (first !== undefined && others.length === 0) return first;
    throw new UsageError("Say which site: `tallydeck sites` lists them.");
  }
  const id = siteIdOf(given);
  const site = sites.find((each) => each.id === id);
  if (site === undefined) throw new CommandFailed(unknownSite(directory, id));
  return site;
}

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
