import type { SessionRow } from "../../rows.ts";
import type { Database } from "../database.ts";

export function sessions(db: Database): SessionRow[] {
  return db
    .prepare("SELECT hash, expires_at AS expiresAt FROM session ORDER BY expires_at")
    .all() as SessionRow[];
}

/** Adds a session, or sets when it ends. */
export function saveSession(db: Database, { hash, expiresAt }: SessionRow): void {
  db.prepare(
    `INSERT INTO session (hash, expires_at) VALUES (?, ?)
     ON CONFLICT DO UPDATE SET expires_at = excluded.expires_at`,
  ).run(hash, Math.round(expiresAt));
}

export function removeSessions(db: Database, hashes: readonly Uint8Array[]): void {
  const remove = db.prepare("DELETE FROM session WHERE hash = ?");
  for (const hash of hashes) remove.run(hash);
}

/** Removes all but `kept`. */
export function removeOtherSessions(db: Database, kept: Uint8Array | null): void {
  db.prepare("DELETE FROM session WHERE hash IS NOT ?").run(kept);
}
