import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Refusal } from "../../base/refusal.ts";
import {
  type DataFormat,
  FLEET_FORMAT,
  formatOf,
  isUsable,
  needs,
  READABLE_BY,
  readableAt,
} from "../format.ts";
import type { Sql, Statement } from "../sql.ts";
import type { Connection } from "./connection/connection.ts";
import { isViolation, isWithoutTables, refusalOf, sqlStateOf } from "./connection/errors.ts";
import { type ConnectionSettings, shownUrl } from "./connection/url.ts";

const SCHEMA_DIR = join(import.meta.dirname, "schema");
const IS_THERE = "42P07";
const NO_RIGHT = "42501";
const NO_COLUMN = "42703";
/** The key of the format in a database from before the first release. */
const KEY_BEFORE = "schema";
/** The encoding that holds every character there is. */
const ENCODING = "UTF8";

/** The versions of the schema; 0 means none. */
export interface Migrated {
  readonly from: number;
  readonly to: number;
}

/**
 * Creates the tables, or updates them to this version, once even where two nodes start at the same time. Tables to
 * which a newer version has only added stay as they are.
 * @throws {Refusal} `invalid_config` when they are from a newer version that did more, or from another program, or
 *   when the user lacks the rights; {Away}, {Lost}
 */
export async function migrate(
  connection: Connection,
  settings: ConnectionSettings,
): Promise<Migrated> {
  const steps = migrations();
  const from = await usableVersion(connection, settings);
  if (from >= steps.length) return { from, to: from };
  try {
    await connection.transaction((sql) => raise(sql, from, steps));
  } catch (error) {
    if (isViolation(error) || sqlStateOf(error) === IS_THERE || error instanceof Raised) {
      // Another node made them meanwhile, or foreign tables have these names.
      if ((await formatIn(connection, settings)).format > from)
        return migrate(connection, settings);
      throw foreign(settings);
    }
    throw sqlStateOf(error) === NO_RIGHT ? mayNotMake(from, settings) : error;
  }
  return { from, to: steps.length };
}

/**
 * Looks whether there are tables, and changes none.
 * @throws {Refusal} `invalid_config` when they are not of this version, nor of a newer one that only
 * added to it; {Away}, {Lost}
 */
export async function hasTables(sql: Sql, settings: ConnectionSettings): Promise<boolean> {
  const version = await usableVersion(sql, settings);
  if (version > 0 && version < FLEET_FORMAT.format) throw older(settings);
  return version > 0;
}

/**
 * Has the server count the nodes, which are few: before it does by itself, it takes them for thousands, and each read of
 * the log for a large one. To a role that may not it says so, and does nothing.
 */
export const ANALYZE = "ANALYZE (SKIP_LOCKED) folded";

class Raised extends Error {}

/** The number of the schema; 0 where there is none. @throws as `migrate` does */
async function usableVersion(sql: Sql, settings: ConnectionSettings): Promise<number> {
  const [kept] = await sql.rows<{ encoding: string }>(
    "SELECT current_setting('server_encoding') AS encoding",
  );
  if (kept?.encoding !== ENCODING) throw otherEncoding(kept?.encoding ?? "nothing", settings);
  const data = await formatIn(sql, settings);
  const refusal = newer(data, settings);
  if (refusal !== undefined) throw refusal;
  if (data.format === 0 && (await hasOthers(sql))) throw foreign(settings);
  return data.format;
}

/** Whether there are tables that neither we make nor an extension: a program's, perhaps by a setting of the same name. */
async function hasOthers(sql: Sql): Promise<boolean> {
  const [other] = await sql.rows(OTHERS, [tables()]);
  return other !== undefined;
}

const OTHERS = `
  SELECT 1 AS other FROM pg_class c
  WHERE c.relnamespace = to_regnamespace(quote_ident(current_schema()))
    AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
    AND c.relname::text <> ALL($1::text[])
    AND NOT EXISTS (SELECT 1 FROM pg_depend d
      WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
  LIMIT 1`;

/** @returns why this version may not use tables of this format; undefined where it may */
export function newer(data: DataFormat, settings: ConnectionSettings): Refusal | undefined {
  if (isUsable(data, FLEET_FORMAT)) return undefined;
  return new Refusal(
    "invalid_config",
    `The tables at ${shownUrl(settings)} are from a newer Tallydeck: ${needs(data, FLEET_FORMAT)}. Bring this one up to date; they stay as they are.`,
  );
}

function otherEncoding(encoding: string, settings: ConnectionSettings): Refusal {
  return new Refusal(
    "invalid_config",
    `The database at ${shownUrl(settings)} keeps texts as ${encoding}, which has no place for every page's name. Make one that keeps them as ${ENCODING} (createdb --encoding=${ENCODING} --template=template0 tallydeck), and name that.`,
  );
}

async function formatIn(sql: Sql, settings: ConnectionSettings): Promise<DataFormat> {
  try {
    const rows = await sql.rows<{ key: string; value: string }>(
      "SELECT key, value FROM meta WHERE key IN ('format', $1, $2)",
      [READABLE_BY, KEY_BEFORE],
    );
    const noted = new Map(rows.map(({ key, value }) => [key, value]));
    if (noted.has(KEY_BEFORE)) throw beforeFirst(settings);
    return formatOf(Number(noted.get("format") ?? 0), noted.get(READABLE_BY));
  } catch (error) {
    if (isWithoutTables(error)) return formatOf(0, undefined);
    if (sqlStateOf(error) === NO_COLUMN) throw foreign(settings);
    throw refusalOf(error, settings) ?? error;
  }
}

async function raise(sql: Sql, from: number, steps: readonly Statement[][]): Promise<void> {
  if (from > 0) {
    // Nodes migrate one after the other.
    const [row] = await sql.rows<{ value: string }>(
      "SELECT value FROM meta WHERE key = 'format' FOR UPDATE",
    );
    if (Number(row?.value) !== from) throw new Raised();
  }
  await sql.all(steps.slice(from).flat());
  await sql.rows(
    `INSERT INTO meta (key, value) VALUES ('format', $1), ($2, $3)
     ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
    [steps.length, READABLE_BY, readableAt(steps.length, FLEET_FORMAT)].map(String),
  );
}

/** The statements of each file of `schema/`, in order. */
function migrations(): Statement[][] {
  return readdirSync(SCHEMA_DIR)
    .filter((name) => name.endsWith(".sql"))
    .sort()
    .map((name) =>
      readFileSync(join(SCHEMA_DIR, name), "utf8")
        .replaceAll(/^\s*--.*$/gm, "")
        .split(/;\s*$/m)
        .filter((text) => text.trim() !== "")
        .map((text) => ({ text })),
    );
}

/** The names of all tables. */
function tables(): string[] {
  const made = migrations()
    .flat()
    .map(({ text }) => /^\s*CREATE (?:TABLE|VIEW) (\w+)/.exec(text)?.[1]);
  return made.filter((name) => name !== undefined);
}

function foreign(settings: ConnectionSettings): Refusal {
  return new Refusal(
    "invalid_config",
    `The database at ${shownUrl(settings)} has tables of another program, and none of Tallydeck's. Make a database for Tallydeck alone (createdb tallydeck), and name that; where DATABASE_URL is set for the other program, unset it.`,
  );
}

function older(settings: ConnectionSettings): Refusal {
  return new Refusal(
    "invalid_config",
    `The tables at ${shownUrl(settings)} are from an older Tallydeck. Start a collector of this version once, or run: tallydeck migrate`,
  );
}

function beforeFirst(settings: ConnectionSettings): Refusal {
  return new Refusal(
    "invalid_config",
    `The tables at ${shownUrl(settings)} are from before Tallydeck's first release, and cannot be used any more. Export each site with the version that made them, make another database (createdb tallydeck), name that, and import the files there.`,
  );
}

function mayNotMake(from: number, settings: ConnectionSettings): Refusal {
  const { user } = settings;
  const there = shownUrl({ ...settings, user: "OWNER" });
  const how = from === 0 ? "has no tables of Tallydeck's" : "has tables of an older Tallydeck";
  return new Refusal(
    "invalid_config",
    `The database at ${shownUrl(settings)} ${how}, and the user ${user} may not make them. Run this once, as a user who may: tallydeck migrate --database-url ${there}`,
  );
}

/** The key of an advisory lock: without it the server fails one of two sessions that change the same rights at once. */
const LOCK = 7_450_312;
const NO_SUCH = "42704";

/**
 * Grants a role the rights that collectors need: reading and changing the rows of our tables.
 * @throws {Refusal} `invalid_config` when there is no such role, or the user lacks the rights; {Away}, {Lost}
 */
export async function grant(
  connection: Connection,
  settings: ConnectionSettings,
  role: string,
): Promise<void> {
  try {
    await connection.transaction((sql) => grantTo(sql, role));
  } catch (error) {
    throw refused(error, settings, role) ?? error;
  }
}

async function grantTo(sql: Sql, role: string): Promise<void> {
  await sql.rows(`SELECT pg_advisory_xact_lock(${LOCK})`);
  const [here] = await sql.rows<{ schema: string }>("SELECT current_schema() AS schema");
  const names = tables();
  const all = names.map(quoted).join(", ");
  const to = `TO ${quoted(role)}`;
  for (const text of [
    `GRANT USAGE ON SCHEMA ${quoted(here?.schema ?? "public")} ${to}`,
    `GRANT SELECT, INSERT, UPDATE, DELETE ON TABLE ${all} ${to}`,
  ])
    await sql.rows(text);
}

function refused(error: unknown, settings: ConnectionSettings, role: string): Refusal | undefined {
  if (sqlStateOf(error) === NO_SUCH)
    return new Refusal(
      "invalid_config",
      `There is no role ${role}. Make it there: CREATE ROLE ${quoted(role)} LOGIN PASSWORD '…';`,
    );
  if (sqlStateOf(error) === NO_RIGHT)
    return new Refusal(
      "invalid_config",
      `The user ${settings.user} may not give rights to the tables at ${shownUrl(settings)}. Do it as the user that made them.`,
    );
  return undefined;
}

/** Quotes a name for SQL, with any character in it. */
function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
