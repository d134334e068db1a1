import type { Database } from "../database.ts";

/** Notes when (epoch ms) it was found that writes are taken. */
export function noteTouch(db: Database, now: number): void {
  db.prepare(
    `INSERT INTO meta (key, value) VALUES ('touched', ?)
     ON CONFLICT DO UPDATE SET value = excluded.value`,
  ).run(now);
}
