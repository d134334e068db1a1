import { SystemClock } from "../../base/system/system-clock.ts";
import { nameZone } from "../sites/writes.ts";
import { Connection } from "./connection/connection.ts";
import { reasonOf, refusalOf } from "./connection/errors.ts";
import { parseDatabaseUrl } from "./connection/url.ts";
import { saidNow } from "./database-time.ts";
import { FleetDb } from "./db.ts";
import { ANALYZE, grant, type Migrated, migrate } from "./migrate.ts";

/** The tables of a database that many share. */
interface Tables {
  /** Makes them, or raises them to this version's. */
  migrate(): Promise<Migrated>;
  /** Names the zone by which days begin; undefined leaves it. @returns sentences for the owner */
  nameZone(zone: string | undefined): Promise<readonly string[]>;
  /** Lets a role count and read there. */
  grant(role: string): Promise<void>;
}

/**
 * Runs a task with a connection for a user who may create tables.
 * @throws {Refusal} with a sentence for the owner; Error with the reason why the database cannot be used
 */
export async function withTables(
  url: string,
  task: (tables: Tables) => Promise<void>,
): Promise<void> {
  const settings = parseDatabaseUrl(url);
  const connection = new Connection(settings, { clock: new SystemClock(), role: "chores" });
  try {
    await task({
      migrate: async () => {
        const done = await migrate(connection, settings);
        await connection.rows(ANALYZE);
        return done;
      },
      nameZone: (zone) =>
        new FleetDb(connection).transaction(async (sql) =>
          nameZone(sql, { zone, now: await saidNow(sql) }),
        ),
      grant: (role) => grant(connection, settings, role),
    });
  } catch (error) {
    throw refusalOf(error, settings) ?? new Error(reasonOf(error), { cause: error });
  } finally {
    await connection.close();
  }
}
