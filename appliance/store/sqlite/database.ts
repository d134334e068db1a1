import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import Sqlite from "better-sqlite3";
import { syncNow } from "../../base/system/files.ts";
import {
  DATA_FORMAT,
  type DataFormat,
  formatOf,
  isUsable,
  needs,
  READABLE_BY,
  readableAt,
} from "../format.ts";
import { DatabaseRefused, FILE } from "./refused.ts";

export type Database = Sqlite.Database;
export type Prepared = Sqlite.Statement<unknown[]>;

/** "Tdbp", for blocks and pieces: identifies our files among other SQLite databases. */
const APPLICATION_ID = 0x54646270;
/** "Tdck" and "Tdlb": files from before the first release. */
const OLD_APPLICATION_IDS: readonly unknown[] = [0x5464636b, 0x54646c62];
const CACHE_KIB = 4_096;
const SCHEMA_DIR = join(import.meta.dirname, "schema");

export function databaseFile(dataDir: string): string {
  return join(dataDir, "tallydeck.db");
}

/**
 * Opens a database for writing, makes it when it is missing and brings its schema up to date.
 * @throws {DatabaseRefused} when it is damaged, not ours, or from a newer version.
 */
export function openForWriting(file: string): Database {
  return open(file, {}, (db) => {
    refuseNewer(db, file);
    // A new database only, since an older one keeps its size. Elsewhere this would be a write, and a
    // full disk must not hinder a start.
    if (db.pragma("page_count", { simple: true }) === 0) db.pragma("auto_vacuum = INCREMENTAL");
    db.pragma("journal_mode = WAL");
    db.pragma("synchronous = FULL");
    // Erased data must not stay readable in free pages.
    db.pragma("secure_delete = ON");
    db.pragma("journal_size_limit = 16777216");
    migrate(db);
  });
}

/** Opens a database that exists, to read only; its schema must be the current one, or add to it. */
export function openForReading(file: string): Database {
  return open(file, { readonly: true, fileMustExist: true }, (db) => refuseNewer(db, file));
}

/**
 * The same for looking only: the file stays as it is.
 * @throws {DatabaseRefused} also when the schema is an older one
 */
export function openToList(file: string): Database {
  return open(file, { readonly: true, fileMustExist: true }, (db) => {
    refuseNewer(db, file);
    if (schemaVersion(db) < DATA_FORMAT.format)
      throw new DatabaseRefused({
        file,
        says: `${FILE} is from an older Tallydeck. Start the service once: it brings it up to date.`,
      });
  });
}

/**
 * Opens a database that a stranger may have made, for reading only, and does not trust its schema. Its tables
 * have to be, to the letter, those of some version of ours, with no trigger, view, virtual table or computed
 * column that a read could run. Newer versions are refused, since a stranger could have made their additions.
 * @throws {DatabaseRefused} when it is damaged, not ours, not as we make it, or from a newer version
 */
export function openUntrusted(file: string): Database {
  // Against writing to its schema the driver switches on SQLite's defensive mode by itself.
  return open(file, { readonly: true, fileMustExist: true }, (db) => {
    db.pragma("query_only = ON");
    orRefused(file, () => refuseForeignSchema(db, file));
    // A copy numbers anew what a card has bent.
    db.pragma("ignore_check_constraints = ON");
    // Reading pages that form no tree might never end.
    const found = orRefused(file, () => db.pragma("quick_check(1)", { simple: true }));
    if (found !== "ok") throw damaged(file, String(found));
  });
}

/**
 * Checks a database that a stranger may have made and that is used in its place, before anything in its schema
 * runs. Additions of a newer version are ignored.
 * @throws {DatabaseRefused} when its tables are not as we make them
 */
export function refuseStrangers(file: string): void {
  const look = (db: Database) => {
    db.pragma("query_only = ON");
    if (schemaVersion(db) !== 0 && !isOfNewer(db)) refuseForeignSchema(db, file);
  };
  open(file, { readonly: true, fileMustExist: true }, (db) =>
    orRefused(file, () => look(db)),
  ).close();
}

/** Runs `PRAGMA integrity_check`. @throws {DatabaseRefused} naming the first damage found. */
export function checkIntegrity(db: Database, file: string): void {
  const found = orRefused(file, () => db.pragma("integrity_check(1)", { simple: true }) as string);
  if (found !== "ok") throw damaged(file, found);
}

/** @returns a function that measures the free bytes inside the database; prepared, since each commit calls it */
export function spareBytesOf(db: Database): () => number {
  const freePages = db.prepare("PRAGMA freelist_count").pluck();
  const pageSize = db.pragma("page_size", { simple: true }) as number;
  return () => (freePages.get() as number) * pageSize;
}

/** @returns a function whose result changes with each commit of another connection; prepared, as above */
export function dataVersionOf(db: Database): () => number {
  const version = db.prepare("PRAGMA data_version").pluck();
  return () => version.get() as number;
}

/** The same, once. */
export function dataVersion(db: Database): number {
  return db.pragma("data_version", { simple: true }) as number;
}

/**
 * Gives free space inside the database back to the disk, `pages` at most; `keep` pages stay.
 * @returns false when there was none, or the database is an older one that cannot
 */
export function giveSpaceBack(db: Database, pages: number, keep: number): boolean {
  const INCREMENTAL = 2;
  const free = db.pragma("freelist_count", { simple: true }) as number;
  if (free <= keep || db.pragma("auto_vacuum", { simple: true }) !== INCREMENTAL) return false;
  db.pragma(`incremental_vacuum(${Math.min(pages, free - keep)})`);
  return true;
}

/** Moves all of the write-ahead log into the file. @returns false when others were in the way. */
export function emptyWal(db: Database): boolean {
  return db.pragma("wal_checkpoint(TRUNCATE)", { simple: true }) === 0;
}

/** Syncs the folder of a file: only then does a rename or a new file survive a power cut for sure. */
export function syncFolderOf(file: string): void {
  syncNow(dirname(file));
}

function open(file: string, options: Sqlite.Options, prepare: (db: Database) => void): Database {
  const db = connect(file, options);
  try {
    // Functions that a schema names are not run.
    db.pragma("trusted_schema = OFF");
    db.pragma("cell_size_check = ON");
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

/** Does something with a database, and closes it. */
export function withDatabase<T>(db: Database, task: (db: Database) => T): T {
  try {
    return task(db);
  } finally {
    db.close();
  }
}

/** @throws {DatabaseRefused} when the file can neither be opened nor made. */
export function connect(file: string, options: Sqlite.Options): Database {
  return orRefused(file, () => new Sqlite(file, options));
}

function refuseForeign(db: Database, file: string): void {
  const tables = orRefused(
    file,
    () => db.prepare("SELECT count(*) FROM sqlite_schema").pluck().get() as number,
  );
  if (tables === 0) {
    // SQLite takes less than a page of anything for an empty database, and would write over it.
    if (db.pragma("page_count", { simple: true }) === 0 && statSync(file).size > 0)
      throw damaged(file, "too short");
    if (schemaVersion(db) !== 0) throw damaged(file, "its tables are gone");
    return;
  }
  const application = db.pragma("application_id", { simple: true });
  if (OLD_APPLICATION_IDS.includes(application))
    throw new DatabaseRefused({
      file,
      says: `${FILE} is from before Tallydeck's first release, and cannot be used any more: choose “Start anew” in the Web UI, which keeps the file, or name another data folder or backup.`,
      flaw: "older",
    });
  if (application !== APPLICATION_ID)
    throw new DatabaseRefused({
      file,
      says: `${FILE} is a database of another program. Name a file that \`tallydeck backup\` made, or another data folder.`,
      flaw: "foreign",
    });
  const version = schemaVersion(db);
  if (version < 1) throw damaged(file, `there is no schema ${version}`);
}

/** Refuses data of a newer version, unless that only added to what this version knows. */
function refuseNewer(db: Database, file: string): void {
  const data = formatIn(db);
  if (isUsable(data, DATA_FORMAT)) return;
  throw newer(
    file,
    `${FILE} was written by a newer Tallydeck: ${needs(data, DATA_FORMAT)}. Install that version or newer, or restore a backup made with this one.`,
  );
}

function formatIn(db: Database): DataFormat {
  const format = schemaVersion(db);
  const noted = format > DATA_FORMAT.format ? notedIn(db) : undefined;
  return formatOf(format, noted);
}

function notedIn(db: Database): unknown {
  try {
    return db.prepare("SELECT value FROM meta WHERE key = ?").pluck().get(READABLE_BY);
  } catch (error) {
    // The table `meta` has another form than ours.
    if (isSqliteError(error, "SQLITE_ERROR")) return undefined;
    throw error;
  }
}

/** Whether a newer version has written it. */
export function isOfNewer(db: Database): boolean {
  return schemaVersion(db) > DATA_FORMAT.format;
}

function newer(file: string, says: string): DatabaseRefused {
  return new DatabaseRefused({ file, flaw: "newer", says });
}

function refuseForeignSchema(db: Database, file: string): void {
  const version = schemaVersion(db);
  if (isOfNewer(db))
    throw newer(
      file,
      `${FILE} was made by a newer Tallydeck (format ${version}; this one takes in up to ${DATA_FORMAT.format}). Restore it with that version or newer.`,
    );
  if (version === 0)
    throw new DatabaseRefused({
      file,
      flaw: "damaged",
      says: `${FILE} is empty. Name a file that \`tallydeck backup\` made.`,
    });
  const expected = withDatabase(new Sqlite(":memory:"), (own) => {
    for (const step of migrations().slice(0, version)) runStep(own, step);
    return new Map(partsOf(own));
  });
  for (const [name, sql] of partsOf(db)) {
    if (expected.get(name) !== sql) throw damaged(file, `${name} is not as Tallydeck makes it`);
    expected.delete(name);
  }
  const [missing] = expected.keys();
  if (missing !== undefined) throw damaged(file, `it has no ${missing}`);
}

/** Everything a schema is made of, by kind and name, without the comments in it. */
function partsOf(db: Database): [name: string, sql: string][] {
  const rows = db.prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema").raw().all();
  return (rows as [string, string, string, string | null][]).map(([type, name, table, sql]) => [
    `${type} ${name}`,
    `${table} ${sql?.replaceAll(/--.*/g, "").replaceAll(/\s+/g, " ")}`,
  ]);
}

function orRefused<T>(file: string, access: () => T): T {
  try {
    return access();
  } catch (error) {
    if (isDamage(error)) throw damaged(file, error.message);
    // The driver looks for the folder by itself, and complains in its own way.
    if (isSqliteError(error, "SQLITE_CANTOPEN") || error instanceof TypeError)
      throw new DatabaseRefused({
        file,
        says: `Cannot open ${FILE}: check that the folder exists and that this user may write in it.`,
      });
    throw error;
  }
}

function damaged(file: string, how: string): DatabaseRefused {
  return new DatabaseRefused({
    file,
    flaw: "damaged",
    needsBackup: true,
    // SQLite quotes a table's definition, which has lines.
    says: `${FILE} is damaged or no database (${how.replaceAll(/\s+/g, " ")}).`,
  });
}

function migrate(db: Database): void {
  const steps = migrations();
  while (schemaVersion(db) < steps.length) {
    db.transaction(() => {
      // Read again inside: another process may have migrated while this one waited for the lock.
      const version = schemaVersion(db);
      const step = steps[version];
      if (step === undefined) return;
      runStep(db, step);
      db.pragma(`application_id = ${APPLICATION_ID}`);
      db.pragma(`user_version = ${version + 1}`);
      db.prepare(
        "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value",
      ).run(READABLE_BY, readableAt(version + 1, DATA_FORMAT));
    }).immediate();
  }
}

function runStep(db: Database, step: string): void {
  db.exec(readFileSync(join(SCHEMA_DIR, step), "utf8"));
}

function migrations(): string[] {
  return readdirSync(SCHEMA_DIR)
    .filter((name) => name.endsWith(".sql"))
    .sort();
}

function schemaVersion(db: Database): number {
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

/** The sentences for people when the data cannot be read or written; undefined for other errors. */
export function storageProblem(error: unknown): string | undefined {
  if (!(error instanceof Sqlite.SqliteError)) return undefined;
  const known = Object.keys(ADVICE).find((code) => isSqliteError(error, code));
  return known && `The data cannot be used (${error.message}). ${ADVICE[known]}`;
}

/** Whether the file itself is at fault. A number that we write is within its bounds, unless it follows a bent one. */
export function isDamage(error: unknown): error is Error {
  return isSqliteError(error, "SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_CONSTRAINT_CHECK");
}

export function isSqliteError(error: unknown, ...codes: string[]): boolean {
  return (
    error instanceof Sqlite.SqliteError &&
    codes.some((code) => error.code === code || error.code.startsWith(`${code}_`))
  );
}
