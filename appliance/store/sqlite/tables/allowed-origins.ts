import type { Database } from "../database.ts";

/** Every allowed origin, the first one first. */
export function allowedOrigins(db: Database): string[] {
  return db.prepare("SELECT origin FROM allowed_origin ORDER BY rowid").pluck().all() as string[];
}

export function allowOrigin(db: Database, origin: string): void {
  db.prepare("INSERT OR IGNORE INTO allowed_origin (origin) VALUES (?)").run(origin);
}

export function removeOrigin(db: Database, origin: string): void {
  db.prepare("DELETE FROM allowed_origin WHERE origin = ?").run(origin);
}
