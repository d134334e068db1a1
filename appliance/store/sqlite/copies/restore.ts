import { closeSync, existsSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { copyNew } from "../../../base/system/files.ts";
import { actAsOwnerOf } from "../../../base/system/owner.ts";
import {
  type Database,
  emptyWal,
  isSqliteError,
  openForReading,
  openForWriting,
  openUntrusted,
  withDatabase,
} from "../database.ts";
import { DatabaseRefused, FILE } from "../refused.ts";
import { copyBackup, fill } from "./copy-backup.ts";
import { copyLeft, type Kinds, wholeKinds } from "./copy-documents.ts";
import { removeDatabase, resumeSwap, swapIn } from "./swap.ts";

/** A copy may be so many times larger than its source, since its indices are filled in another order. */
const GROWTH = 3;
const SPARE_PAGES = 1_024;
// Ids of responses are skipped, more than were used since a backup. Those after it had the next ones, and `tallydeck copy`
// may have copied them to another database: an id must never be used twice. Restores in tens of thousands are possible.
const NO_SURVEY = `INSERT INTO sqlite_sequence (name, seq)
  SELECT 'survey', 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'survey')`;
const PASS_BY = `UPDATE sqlite_sequence SET seq = seq + ${2 ** 32} WHERE name = 'survey'`;

/**
 * Makes `target`, a new database of ours, from the backup `source`, of which nothing is taken as it is: see `copyBackup`.
 * @throws {DatabaseRefused} when `source` is damaged, not ours or from a newer version
 */
export async function copyIn(source: string, target: string, kinds: Kinds): Promise<void> {
  removeDatabase(target);
  try {
    const from = openUntrusted(source);
    await fill(target, from, async (to, db) => {
      const pages = Math.ceil((statSync(source).size * GROWTH) / pageSize(db)) + SPARE_PAGES;
      db.pragma(`max_page_count = ${pages}`);
      await copyBackup(from, to, { file: source, kinds });
      await to.rows(NO_SURVEY);
      await to.rows(PASS_BY);
    });
  } catch (error) {
    if (isSqliteError(error, "SQLITE_FULL"))
      throw new DatabaseRefused({
        file: source,
        says: `There is not enough space to take ${FILE} in.`,
      });
    if (isSqliteError(error, "SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_ERROR"))
      throw new DatabaseRefused({
        file: source,
        flaw: "damaged",
        says: `${FILE} is damaged. Choose another backup.`,
      });
    throw error;
  }
}

/** Copies documents that a restore does not replace from `box` to `incoming`, as far as `box` can be read. */
export async function keepOwn(box: string, incoming: string, kinds: Kinds): Promise<void> {
  if (!existsSync(box)) return;
  try {
    // Opening it for writing updates its schema, and moves the newest data from its log into the file.
    withDatabase(openForWriting(box), emptyWal);
    const from = openForReading(box);
    await fill(incoming, from, (to) => copyLeft(from, to, kinds));
  } catch (error) {
    // A restore has to work when the data of the box is unreadable.
    const unreadable = isSqliteError(error, "SQLITE_NOTADB", "SQLITE_CORRUPT", "SQLITE_ERROR");
    if (!unreadable && !(error instanceof DatabaseRefused)) throw error;
  }
}

/**
 * Replaces the database `target`, which no process may have open, by a backup. If a step fails, the old data is
 * in its place as before; it is kept until a start with the new data has succeeded.
 * @param kinds all kinds of documents; `tryStart` reads a database as a start does; with `isWhole` it takes also what is
 * the machine's own, where the backup has it
 * @throws {DatabaseRefused} when `source` is damaged, not ours, from a newer version, or more than a start can read
 */
export async function restore(
  source: string,
  target: string,
  {
    kinds,
    tryStart,
    isWhole = false,
  }: { kinds: Kinds; tryStart: (file: string) => Promise<void>; isWhole?: boolean },
): Promise<void> {
  if (!existsSync(source))
    throw new DatabaseRefused({ file: source, says: `There is no file ${FILE}.` });
  const upload = `${target}.upload`;
  const incoming = `${target}.incoming`;
  // A copy from the card of a box that was not stopped has its newest data in the log.
  const files = ["", "-wal"].filter((end) => existsSync(source + end));
  const opened = files.map((end) => ({ end, file: openSync(source + end, "r") }));
  const back = actAsOwnerOf(dirname(target));
  try {
    resumeSwap(target);
    // Read where nothing of it can change, and where SQLite may put files beside it.
    removeDatabase(upload);
    for (const { end, file } of opened) copyNew(file, upload + end);
    await copyIn(upload, incoming, isWhole ? wholeKinds(kinds) : kinds);
    await keepOwn(target, incoming, kinds);
    await tryStart(incoming);
    swapIn(incoming, target);
  } catch (error) {
    if (!(error instanceof DatabaseRefused)) throw error;
    // The message names the file that people know, not our copy of it.
    throw [upload, incoming].includes(error.about.file) ? error.named(source) : error;
  } finally {
    removeDatabase(upload);
    removeDatabase(incoming);
    back();
    for (const { file } of opened) closeSync(file);
  }
}

function pageSize(db: Database): number {
  return db.pragma("page_size", { simple: true }) as number;
}
