import type { PushTokenRow } from "../../rows.ts";
import type { Database } from "../database.ts";

/** Every push token, oldest first. */
export function pushTokens(db: Database): PushTokenRow[] {
  const rows = db
    .prepare(
      `SELECT id, name, prefix, hash, paused, may_read AS mayRead, created_at AS createdAt,
         last_used_at AS lastUsedAt
       FROM push_token ORDER BY rowid`,
    )
    .all() as (Omit<PushTokenRow, "paused" | "mayRead"> & {
    paused: number;
    mayRead: number;
  })[];
  return rows.map((row) => ({ ...row, paused: row.paused === 1, mayRead: row.mayRead === 1 }));
}

/** Adds a token, or replaces the one of the same id. */
export function savePushToken(db: Database, token: PushTokenRow): void {
  db.prepare(
    `INSERT INTO push_token (id, name, prefix, hash, paused, may_read, created_at, last_used_at)
     VALUES (:id, :name, :prefix, :hash, :paused, :mayRead, :createdAt, :lastUsedAt)
     ON CONFLICT (id) DO UPDATE SET name = :name, prefix = :prefix, hash = :hash,
       paused = :paused, may_read = :mayRead, created_at = :createdAt, last_used_at = :lastUsedAt`,
  ).run({ ...token, paused: Number(token.paused), mayRead: Number(token.mayRead) });
}

export function removePushToken(db: Database, id: string): void {
  db.prepare("DELETE FROM push_token WHERE id = ?").run(id);
}
