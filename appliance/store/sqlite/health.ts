import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { bodyOf, ONLY } from "../../base/documents.ts";
import { messageOf } from "../../base/message-of.ts";
import { isRefusal } from "../../base/refusal.ts";
import type { Flaw, Unusable } from "../engine.ts";
import { ADMIN_TOKEN, SITES } from "../sites/kinds.ts";
import { moveAway } from "./copies/swap.ts";
import {
  type Database,
  isDamage,
  isSqliteError,
  openForReading,
  openForWriting,
  openToList,
  withDatabase,
} from "./database.ts";
import { DatabaseRefused, FILE } from "./refused.ts";
import { run } from "./sql.ts";

/** A start looks through all of a file of this size: a second or two on a small board. */
const CHECKED_BYTES = 8 * 1024 * 1024;
/** The same after power was cut or the service was killed. */
const CHECKED_AFTER_CUT_BYTES = 32 * 1024 * 1024;
/** Looked through at every start, for they are small and nothing works without them. */
const CORE = [
  "meta",
  "source",
  "erased_site",
  "folded",
  "generation",
  "counted_day",
  "revision",
  "document",
];
/** The highest number that counting comes to. */
const LAST_NUMBER = 2 ** 50;
/** Tables whose next row gets the number after the highest one: that is found in a file of any size. */
const NUMBERED = [
  ["log", "n"],
  ["block", "rowid"],
  ["survey", "id"],
  ["waiting_survey", "id"],
] as const;
/** The tables by whose numbers new ones would not be sound, or not new. */
const BENT_NUMBERS = [
  ...NUMBERED.map(
    ([table, n]) => `SELECT '${table}' FROM ${table} WHERE ${n} < 1 OR ${n} > ${LAST_NUMBER}`,
  ),
  `SELECT name FROM sqlite_sequence WHERE seq NOT BETWEEN 0 AND ${LAST_NUMBER}`,
  "SELECT 'revision' FROM revision WHERE last_site < (SELECT max(key) FROM site)",
].join(" UNION ALL ");
const MADE =
  "Tallydeck has kept data here. As long as this file is there, a database that is gone or empty is\n" +
  "reported, and not silently begun anew.\n";

/** Stands beside a database from its first use on. */
function marker(file: string): string {
  return `${file}.made`;
}

/**
 * Opens the data of a box for writing; it is made where there never was any.
 * @throws {DatabaseRefused} when it is damaged, not ours, from a newer version, or was there and is gone
 */
export function openData(file: string): Database {
  refuseLost(file);
  const db = openForWriting(file);
  if (!existsSync(marker(file))) mark(file);
  return db;
}

/**
 * The same for a mere look, which neither makes nor changes anything.
 * @returns undefined where there never was any data
 * @throws {DatabaseRefused} when the schema is an older one, too
 */
export function openDataToLook(file: string): Database | undefined {
  refuseLost(file);
  return existsSync(file) ? openToList(file) : undefined;
}

function mark(file: string): void {
  try {
    writeFileSync(marker(file), MADE, { flag: "wx" });
  } catch {
    // A disk that is full or read-only now: a later start marks it.
  }
}

/** The same for a service that starts: it looks for damage as far as a start can afford. */
export function openChecked(file: string): Database {
  const wasCut = sizeOf(`${file}-wal`) > 0;
  const db = openData(file);
  try {
    const most = wasCut ? CHECKED_AFTER_CUT_BYTES : CHECKED_BYTES;
    const checks =
      sizeOf(file) + sizeOf(`${file}-wal`) <= most
        ? ["quick_check(1)"]
        : CORE.map((table) => `quick_check(${table})`);
    for (const check of checks) {
      const found = db.pragma(check, { simple: true });
      if (found !== "ok") throw lost(file, `is damaged (${String(found).replaceAll("\n", " ")})`);
    }
    const bent = db.prepare(BENT_NUMBERS).pluck().get();
    if (bent !== undefined) throw lost(file, `is damaged (a number of its table ${bent})`);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Sentences about the sites that cannot be read: others count on, and these are as if they were not there. */
export function unreadableSites(db: Database): string[] {
  const rows = db
    .prepare("SELECT id, body FROM document WHERE kind = ? AND body IS NOT NULL")
    .all(SITES.name) as { id: string; body: string }[];
  return rows
    .filter(({ id, body }) => bodyOf(SITES, id, body) === undefined)
    .map(
      ({ id }) =>
        `The site of number ${id} is damaged, and counts and shows nothing. Restore a backup.`,
    );
}

/** The problem of the data that caused an error; undefined where the data is not to blame. */
export function unusable(error: unknown): Unusable | undefined {
  if (error instanceof DatabaseRefused && error.flaw !== undefined)
    return { flaw: error.flaw, message: error.message, problem: error.problem ?? error.message };
  // A table that is gone, or is another one.
  if (isDamage(error) || isSqliteError(error, "SQLITE_ERROR")) return damage(messageOf(error));
  return isRefusal(error, "read_failed") || isOutOfMemory(error)
    ? unreadable(error.message)
    : undefined;
}

/** The problem of data that a start could not read. */
function unreadable(reason: string): Unusable {
  const problem = `The data could not be read (${reason}).`;
  return { flaw: "unreadable", message: problem, problem };
}

/** Whether a worker has ended because its heap was full. */
function isOutOfMemory(error: unknown): error is Error {
  return error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
}

/** Damage that was met while the data was in use. */
export function damage(message: string): Unusable {
  const problem = `The data is damaged (${message}).`;
  return { flaw: "damaged", message: problem, problem };
}

/**
 * Lets the next start begin with no data. The database that is there is kept under another name.
 * @returns that name, without its folder; undefined when none was there
 */
export function startAnew(file: string, flaw: Flaw): string | undefined {
  const kept = existsSync(file) ? `${file}.${flaw}-${nextNumber(file, flaw)}` : undefined;
  if (kept !== undefined) moveAway(file, kept);
  rmSync(marker(file), { force: true });
  return kept && basename(kept);
}

const ADMIN_QUERY = {
  text: "SELECT body FROM document WHERE kind = $1 AND id = $2 AND body IS NOT NULL",
  values: [ADMIN_TOKEN.name, ONLY],
};

/** Hash of the admin token in a database that may be damaged, if it can be read. */
export function salvagedAdminHash(file: string): Uint8Array | null {
  try {
    const [row] = withDatabase(openForReading(file), (db) => run(db, ADMIN_QUERY)) as {
      body: string;
    }[];
    const hash = row && bodyOf(ADMIN_TOKEN, ONLY, row.body)?.hash;
    return hash === undefined ? null : Buffer.from(hash, "hex");
  } catch {
    return null;
  }
}

function refuseLost(file: string): void {
  if (!existsSync(marker(file))) return;
  if (!existsSync(file)) throw lost(file, "is gone");
  // SQLite takes an empty file for a database that is still to be filled.
  if (sizeOf(file) === 0 && sizeOf(`${file}-wal`) === 0) throw lost(file, "is empty");
}

function lost(file: string, how: string): DatabaseRefused {
  return new DatabaseRefused({ file, flaw: "damaged", needsBackup: true, says: `${FILE} ${how}.` });
}

function nextNumber(file: string, flaw: Flaw): number {
  const prefix = `${basename(file)}.${flaw}-`;
  const numbers = readdirSync(dirname(file))
    .filter((name) => name.startsWith(prefix))
    .map((name) => Number.parseInt(name.slice(prefix.length), 10));
  return Math.max(0, ...numbers.filter(Number.isFinite)) + 1;
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
