import { closeSync, fsyncSync, openSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";

export type Connection = Database.Database;

/** "Tdck": tells our files from other SQLite databases. */
const APPLICATION_ID = 0x5464636b;
const CACHE_KIB = 4_096;
const SCHEMA_DIR = join(import.meta.dirname, "schema");

/** A database this version cannot use; the message says what to do. */
export class DatabaseRefused extends Error {}

export function databaseFile(dataDir: string): string {
  return join(dataDir, "tallydeck.db");
}

/**
 * Opens a database for writing, makes it when it is missing and brings its schema up to date.
 * @throws DatabaseRefused when it is damaged, not ours, or from a newer version.
 */
export function openForWriting(file: string): Connection {
  const db = connect(file, {});
  try {
    refuseForeign(db, file);
    db.pragma("journal_mode = WAL");
    db.pragma("synchronous = FULL");
    // What was erased must not stay readable in free pages.
    db.pragma("secure_delete = ON");
    db.pragma("journal_size_limit = 16777216");
    migrate(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Opens a database that exists, to read only; its schema must be the current one. */
export function openForReading(file: string): Connection {
  const db = connect(file, { readonly: true, fileMustExist: true });
  try {
    refuseForeign(db, file);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Runs `PRAGMA integrity_check`. @throws DatabaseRefused naming the first damage found. */
export function checkIntegrity(db: Connection, file: string): void {
  const [first] = db.pragma("integrity_check(1)") as { integrity_check: string }[];
  if (first?.integrity_check !== "ok") throw damaged(file, first?.integrity_check ?? "unreadable");
}

/** A rename or a new file is only certain to survive a power cut once its folder is synced. */
export function syncFolderOf(file: string): void {
  const folder = openSync(dirname(file), "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

function connect(file: string, options: Database.Options): Connection {
  try {
    const db = new Database(file, options);
    // The driver's default is 16 MB a connection; a small board has better uses for them.
    db.pragma(`cache_size = -${CACHE_KIB}`);
    return db;
  } catch (error) {
    if (isSqliteError(error, "SQLITE_CANTOPEN"))
      throw new DatabaseRefused(
        `Cannot open ${file}: check that the folder exists and that this user may write in it.`,
      );
    throw error;
  }
}

function refuseForeign(db: Connection, file: string): void {
  let tables: number;
  try {
    tables = db.prepare("SELECT count(*) FROM sqlite_schema").pluck().get() as number;
  } catch (error) {
    if (isSqliteError(error, "SQLITE_NOTADB", "SQLITE_CORRUPT"))
      throw damaged(file, (error as Error).message);
    throw error;
  }
  if (tables === 0) return;
  if (db.pragma("application_id", { simple: true }) !== APPLICATION_ID)
    throw new DatabaseRefused(
      `${file} is a database of another program. Name a file that \`tallydeck backup\` made, or another data folder.`,
    );
  const version = schemaVersion(db);
  if (version > migrations().length)
    throw new DatabaseRefused(
      `${file} was written by a newer Tallydeck (schema ${version}, this one knows ${migrations().length}). Install that version or newer, or restore a backup made with this one.`,
    );
}

function damaged(file: string, how: string): DatabaseRefused {
  return new DatabaseRefused(
    `${file} is damaged or no database (${how}). Restore a backup with \`tallydeck restore FILE\`.`,
  );
}

function migrate(db: Connection): void {
  const steps = migrations();
  while (schemaVersion(db) < steps.length) {
    db.transaction(() => {
      // Read again inside: another process may have migrated while this one waited for the lock.
      const version = schemaVersion(db);
      const step = steps[version];
      if (step === undefined) return;
      db.exec(readFileSync(join(SCHEMA_DIR, step), "utf8"));
      db.pragma(`application_id = ${APPLICATION_ID}`);
      db.pragma(`user_version = ${version + 1}`);
    }).immediate();
  }
}

function migrations(): string[] {
  return readdirSync(SCHEMA_DIR)
    .filter((name) => name.endsWith(".sql"))
    .sort();
}

function schemaVersion(db: Connection): number {
  return db.pragma("user_version", { simple: true }) as number;
}

export function isSqliteError(error: unknown, ...codes: string[]): boolean {
  return (
    error instanceof Database.SqliteError &&
    codes.some((code) => error.code === code || error.code.startsWith(`${code}_`))
  );
}
