import type { Database } from "../database.ts";
import { put } from "./table.ts";

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

export function touch(db: Database, now: number): void {
  put(db, "meta", "key", [{ key: "touched", value: now }]);
}
