import { Refusal } from "../../base/refusal.ts";
import { type CopyEngine, CopyRefused, type Opening } from "../copy/engine.ts";
import { Connection } from "./connection/connection.ts";
import { isFull, isLost, reasonOf, refusalOf } from "./connection/errors.ts";
import { parseDatabaseUrl, shownUrl } from "./connection/url.ts";
import { FleetDb } from "./db.ts";
import { hasTables, migrate } from "./migrate.ts";
import { stateOf } from "./reads.ts";

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
    const db = new FleetDb(connection, random);
    // Draws the epoch, whose origin it is.
    const { origin } = await db.transaction((sql) => sql.own());
    return {
      origin,
      name,
      db,
      server: async (sql) => (await stateOf(sql, connection.figures.reconnects)).server,
      isAway: (error) => isLost(error) && refusalOf(error, settings) === undefined,
      problemOf: (error) =>
        isFull(error)
          ? `There is no room on the disk of ${name}. Make some.`
          : refusalOf(error, settings)?.message,
      close: () => connection.close(),
    };
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
