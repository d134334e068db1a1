import type {
  ChannelRow,
  MqttRow,
  PublicAddressRow,
  PushTokenRow,
  SessionRow,
} from "../../rows.ts";
import type { Database } from "../database.ts";
import { put } from "./table.ts";

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

export function keptChannels(db: Database): ChannelRow[] {
  return db.prepare("SELECT channel, kept FROM channel ORDER BY channel").all() as ChannelRow[];
}

export function keepChannels(
  db: Database,
  { save, forget }: { save: readonly ChannelRow[]; forget: readonly string[] },
): void {
  put(
    db,
    "channel",
    "channel",
    save.map(({ channel, kept }) => ({ channel, kept })),
  );
  const remove = db.prepare("DELETE FROM channel WHERE channel = ?");
  for (const channel of forget) remove.run(channel);
}

/** Names and sizes of all pictures, the first one first. */
export function imageList(db: Database): { hash: string; size: number }[] {
  return db.prepare("SELECT hash, length(bytes) AS size FROM image ORDER BY rowid").all() as {
    hash: string;
    size: number;
  }[];
}

/** The file of a picture; null when there is none of this name. */
export function imageBytes(db: Database, hash: string): Uint8Array | null {
  const bytes = db.prepare("SELECT bytes FROM image WHERE hash = ?").pluck().get(hash);
  return (bytes as Uint8Array | undefined) ?? null;
}

export function saveImage(
  db: Database,
  { hash, bytes, forget }: { hash: string; bytes: Uint8Array; forget: readonly string[] },
): void {
  const remove = db.prepare("DELETE FROM image WHERE hash = ?");
  for (const other of forget) remove.run(other);
  put(db, "image", "hash", [{ hash, bytes }]);
}

/** Undefined before the first start that knows of it. */
export function mqttRow(db: Database): MqttRow | undefined {
  return db.prepare("SELECT box, settings, announced FROM mqtt").get() as MqttRow | undefined;
}

export function saveMqtt(db: Database, { box, settings, announced }: MqttRow): void {
  put(db, "mqtt", "only", [{ only: 1, box, settings, announced }]);
}

/** Undefined before anybody has set anything. */
export function publicAddressRow(db: Database): PublicAddressRow | undefined {
  return db.prepare("SELECT settings FROM public_address").get() as PublicAddressRow | undefined;
}

export function savePublicAddress(db: Database, { settings }: PublicAddressRow): void {
  put(db, "public_address", "only", [{ only: 1, settings }]);
}

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

export function savePushToken(db: Database, token: PushTokenRow): void {
  const { id, name, prefix, hash, paused, mayRead, createdAt, lastUsedAt } = token;
  put(db, "push_token", "id", [
    {
      ...{ id, name, prefix, hash, paused: Number(paused), may_read: Number(mayRead) },
      ...{ created_at: createdAt, last_used_at: lastUsedAt },
    },
  ]);
}

export function removePushToken(db: Database, id: string): void {
  db.prepare("DELETE FROM push_token WHERE id = ?").run(id);
}

export function sessions(db: Database): SessionRow[] {
  return db
    .prepare("SELECT hash, expires_at AS expiresAt FROM session ORDER BY expires_at")
    .all() as SessionRow[];
}

export function saveSession(db: Database, { hash, expiresAt }: SessionRow): void {
  put(db, "session", "hash", [{ hash, expires_at: Math.round(expiresAt) }]);
}

export function removeSessions(db: Database, hashes: readonly Uint8Array[]): void {
  const remove = db.prepare("DELETE FROM session WHERE hash = ?");
  for (const hash of hashes) remove.run(hash);
}

/** Removes all but `kept`. */
export function removeOtherSessions(db: Database, kept: Uint8Array | null): void {
  db.prepare("DELETE FROM session WHERE hash IS NOT ?").run(kept);
}

export function touch(db: Database, now: number): void {
  put(db, "meta", "key", [{ key: "touched", value: now }]);
}
