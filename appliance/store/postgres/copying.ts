import { Refusal } from "../../base/refusal.ts";
import {
  type CopyAccess,
  type CopyEngine,
  CopyRefused,
  type Opening,
  type Source,
} from "../copy/engine.ts";
import { PASS_GENERATION, putBlocks } from "../settling/statements.ts";
import { OWN_SOURCE } from "../snapshot.ts";
import { Connection } from "./connection/connection.ts";
import { isFull, isLost, reasonOf, refusalOf } from "./connection/errors.ts";
import type { Sql, Transaction } from "./connection/sql.ts";
import { type ConnectionSettings, parseDatabaseUrl, shownUrl } from "./connection/url.ts";
import { changeFleet, readFleetDirectory } from "./documents.ts";
import { drawEpoch } from "./epoch.ts";
import { hasTables, migrate } from "./migrate.ts";
import { MANY_ROWS } from "./settle.ts";
import { PostgresSnapshot } from "./snapshot.ts";
import { SurveyIds } from "./surveys.ts";

/**
 * A database that any number of nodes count into, as `tallydeck copy` deals with it.
 * @throws {CopyRefused | Refusal} with a sentence for the owner
 */
export async function openDatabase(
  url: string,
  { clock, random, flag, isTarget }: Opening,
): Promise<CopyEngine> {
  const settings = { ...orRefused(flag, () => parseDatabaseUrl(url)), name: "copy" };
  const name = shownUrl(settings);
  const connection = new Connection(settings, { clock, role: "chores", random });
  try {
    if (!isTarget && !(await hasTables(connection, settings)))
      throw new CopyRefused(`There is no data of Tallydeck in ${name}.`);
    await migrate(connection, settings);
    await connection.transaction((sql) => drawEpoch(sql, random));
    const { origin } = await ownOf(connection);
    return engineOf(connection, settings, origin, new SurveyIds(clock, random));
  } catch (error) {
    await connection.close();
    const refusal = refusalOf(error, settings);
    if (refusal !== undefined) throw refusedOf(flag, refusal);
    throw isLost(error)
      ? new CopyRefused(
          `${name} cannot be reached: ${reasonOf(error)}. Check that the server runs and that this machine may reach it.`,
        )
      : error;
  }
}

function engineOf(
  connection: Connection,
  settings: ConnectionSettings,
  origin: string,
  ids: SurveyIds,
): CopyEngine {
  const name = shownUrl(settings);
  return {
    origin,
    name,
    isAway: (error) => isLost(error) && refusalOf(error, settings) === undefined,
    problemOf: (error) =>
      isFull(error)
        ? `There is no room on the disk of ${name}. Make some.`
        : refusalOf(error, settings)?.message,
    read: (task) => connection.transaction((sql) => task(accessTo(sql)), { read: true }),
    write: (task) =>
      connection.transaction(async (sql) => {
        const result = await task({
          ...accessTo(sql),
          directory: async () => {
            await drawEpoch(sql);
            await sql.rows("SELECT n FROM revision FOR UPDATE");
            return readFleetDirectory(sql);
          },
          change: (wanted) => changeFleet(sql, wanted),
          put: async (block) => {
            await sql.all(putBlocks([block], MANY_ROWS));
          },
          surveyIds: (n) => Array.from({ length: n }, () => ids.draw()),
        });
        // Readers that show numbers look at them again.
        await sql.rows(PASS_GENERATION);
        return result;
      }),
    close: () => connection.close(),
  };
}

/** The origin of an epoch's counts. */
async function ownOf(sql: Pick<Sql, "rows">): Promise<Pick<Source, "number" | "origin">> {
  const [own] = await sql.rows<Pick<Source, "number" | "origin">>(
    "SELECT source AS number, to_hex(epoch) AS origin FROM generation",
  );
  return own ?? { number: OWN_SOURCE, origin: "" };
}

function accessTo(sql: Transaction): CopyAccess {
  return {
    rows: (text, values) => sql.rows(text, values),
    all: (statements) => sql.all(statements),
    snapshot: new PostgresSnapshot(sql),
    own: () => ownOf(sql),
    directory: () => readFleetDirectory(sql),
  };
}

function orRefused<T>(flag: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof Refusal ? refusedOf(flag, error) : error;
  }
}

/** Replaces the name of the setting in a sentence by that of the flag. */
function refusedOf(flag: string, { message }: Refusal): CopyRefused {
  return new CopyRefused(message.replaceAll("DATABASE_URL", flag));
}
