import { closeSync, existsSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { isSqliteError } from "./database.ts";

/** Several times the bytes that erasing a site writes before anything is given back. */
export const BALLAST_BYTES = 8 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;

function fileIn(dataDir: string): string {
  return join(dataDir, "ballast");
}

export function hasBallast(dataDir: string): boolean {
  return existsSync(fileIn(dataDir));
}

/**
 * Takes space on the disk that is given up when nothing else is left. Really taken: a file with
 * holes would hold none.
 * @returns false when it could not be had
 */
export function takeBallast(dataDir: string): boolean {
  const file = fileIn(dataDir);
  let open: number | undefined;
  try {
    open = openSync(file, "wx", 0o600);
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (let size = 0; size < BALLAST_BYTES; size += writeSync(open, chunk));
    return true;
  } catch {
    rmSync(file, { force: true });
    return false;
  } finally {
    if (open !== undefined) closeSync(open);
  }
}

/** @returns false when there was none */
export function giveUpBallast(dataDir: string): boolean {
  if (!hasBallast(dataDir)) return false;
  rmSync(fileIn(dataDir), { force: true });
  return true;
}

/** Does work that makes room; when the disk is too full even for that, with the room of the ballast. */
export function withBallast<T>(dataDir: string, makeRoom: () => T): T {
  try {
    return makeRoom();
  } catch (error) {
    if (!isSqliteError(error, "SQLITE_FULL") || !giveUpBallast(dataDir)) throw error;
    return makeRoom();
  }
}
