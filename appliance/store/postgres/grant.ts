import { Refusal } from "../../base/refusal.ts";
import type { Connection } from "./connection/connection.ts";
import { sqlStateOf } from "./connection/errors.ts";
import type { Sql } from "./connection/sql.ts";
import { type ConnectionSettings, shownUrl } from "./connection/url.ts";
import { tables } from "./migrate.ts";

/** Any number that others hardly take: of two who change the same rights at once, the server fails one. */
const LOCK = 7_450_312;
const NO_RIGHT = "42501";
const NO_SUCH = "42704";

/**
 * Gives a role what running needs, and no more: to read and change the rows of our tables.
 * @throws {Refusal} `invalid_config` when there is no such role, or the user may not; {Away}, {Lost}
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

/** As SQL takes it for a name, with any character in it. */
function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
