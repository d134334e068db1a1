import type Database from "better-sqlite3";
import { READABLE_BY } from "../../appliance/store/format.ts";

/**
 * Makes a database say that a newer release wrote it.
 * @param readableBy the oldest format that may use it; its own unless given
 */
export function becomeNewer(db: Database.Database, format: number, readableBy = format): void {
  db.pragma(`user_version = ${format}`);
  db.prepare("UPDATE meta SET value = ? WHERE key = ?").run(readableBy, READABLE_BY);
}
