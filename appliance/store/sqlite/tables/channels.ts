import type { ChannelRow } from "../../rows.ts";
import type { Database } from "../database.ts";

export function keptChannels(db: Database): ChannelRow[] {
  return db.prepare("SELECT channel, kept FROM channel ORDER BY channel").all() as ChannelRow[];
}

/** Replaces those of the same names, and forgets the others that are named. */
export function keepChannels(
  db: Database,
  { save, forget }: { save: readonly ChannelRow[]; forget: readonly string[] },
): void {
  const insert = db.prepare(
    `INSERT INTO channel (channel, kept) VALUES (:channel, :kept)
     ON CONFLICT (channel) DO UPDATE SET kept = :kept`,
  );
  const remove = db.prepare("DELETE FROM channel WHERE channel = ?");
  for (const row of save) insert.run(row);
  for (const channel of forget) remove.run(channel);
}
