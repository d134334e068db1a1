import { closeSync, fsyncSync, openSync, readdirSync, readFileSync, statSync } from "node:fs";
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
  return open(file, {}, (db) => {
    db.pragma("journal_mode = WAL");
    db.pragma("synchronous = FULL");
    // What was erased must not stay readable in free pages.
    db.pragma("secure_delete = ON");
    db.pragma("journal_size_limit = 16777216");
    migrate(db);
  });
}

/** Opens a database that exists, to read only; its schema must be the current one. */
export function openForReading(file: string): Connection {
  return open(file, { readonly: true, fileMustExist: true }, () => {});
}

/** Runs `PRAGMA integrity_check`. @throws DatabaseRefused naming the first damage found. */
export function checkIntegrity(db: Connection, file: string): void {
  const found = orRefused(file, () => db.pragma("integrity_check(1)", { simple: true }) as string);
  if (found !== "ok") throw damaged(file, found);
}

/** Moves all of the write-ahead log into the file. @returns false when others were in the way. */
export function emptyLog(db: Connection): boolean {
  return db.pragma("wal_checkpoint(TRUNCATE)", { simple: true }) === 0;
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

function open(
  file: string,
  options: Database.Options,
  prepare: (db: Connection) => void,
): Connection {
  const db = connect(file, options);
  try {
    refuseForeign(db, file);
    // The driver's default is 16 MB a connection; a small board has better uses for them.
    db.pragma(`cache_size = -${CACHE_KIB}`);
    prepare(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** @throws DatabaseRefused when the file can neither be opened nor made. */
export function connect(file: string, options: Database.Options): Connection {
  return orRefused(file, () => new Database(file, options));
}

function refuseForeign(db: Connection, file: string): void {
  const tables = orRefused(
    file,
    () => db.prepare("SELECT count(*) FROM sqlite_schema").pluck().get() as number,
  );
  if (tables === 0) {
    // SQLite takes less than a page of anything for an empty database, and would write over it.
    if (db.pragma("page_count", { simple: true }) === 0 && statSync(file).size > 0)
      throw damaged(file, "too short");
    return;
  }
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

function orRefused<T>(file: string, access: () => T): T {
  try {
    return access();
  } catch (error) {
    if (isSqliteError(error, "SQLITE_NOTADB", "SQLITE_CORRUPT"))
      throw damaged(file, (error as Error).message);
    // The driver looks for the folder by itself, and complains in its own way.
    if (isSqliteError(error, "SQLITE_CANTOPEN") || error instanceof TypeError)
      throw new DatabaseRefused(
        `Cannot open ${file}: check that the folder exists and that this user may write in it.`,
      );
    throw error;
  }
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

const ADVICE: Readonly<Record<string, string>> = {
  SQLITE_FULL: "Make room on the disk, then try again.",
  SQLITE_BUSY: "Another program holds the data. Try again in a minute.",
  SQLITE_READONLY: "Check that the disk is not write-protected and that this user may write there.",
  SQLITE_CANTOPEN: "Check that the folder exists and that this user may write in it.",
  SQLITE_CORRUPT: "Restore a backup with `tallydeck restore FILE`.",
  SQLITE_IOERR: "Check the disk: it may be full, worn out or gone.",
};

/** What a person is told when the data cannot be read or written; undefined for other errors. */
export function storageProblem(error: unknown): string | undefined {
  if (!(error instanceof Database.SqliteError)) return undefined;
  const known = Object.keys(ADVICE).find((code) => isSqliteError(error, code));
  return known && `The data cannot be used (${error.message}). ${ADVICE[known]}`;
}

export function isSqliteError(error: unknown, ...codes: string[]): boolean {
  return (
    error instanceof Database.SqliteError &&
    codes.some((code) => error.code === code || error.code.startsWith(`${code}_`))
  );
}
