import {
  databaseFile,
  openForWriting,
  withDatabase,
} from "../../appliance/store/sqlite/database.ts";
import type { World } from "./world.ts";

/** Changes the data of a world that has stopped. @param sql each engine has functions of its own */
export async function changeByHand(
  world: World,
  sql: string | Readonly<Record<"sqlite" | "postgres", string>>,
): Promise<void> {
  const { sqlite, postgres } = typeof sql === "string" ? { sqlite: sql, postgres: sql } : sql;
  if (world.isOnPostgres) {
    await world.rows(postgres);
    return;
  }
  withDatabase(openForWriting(databaseFile(world.dataDir)), (db) => db.exec(sqlite));
}
