import { randomInt } from "node:crypto";
import { OWN_SOURCE } from "../../snapshot.ts";
import type { Transaction } from "../../sql.ts";
import { NOT_OURS } from "../../transfer/counts.ts";
import { type Database, isSqliteError, openForWriting } from "../database.ts";
import { SqliteDb } from "../db.ts";
import { DatabaseRefused, FILE } from "../refused.ts";
import { copyBlocks, copyLog } from "./copy-counts.ts";
import { copyKept, type Kinds } from "./copy-documents.ts";
import { RowCopier } from "./row-copier.ts";

interface Backup {
  readonly file: string;
  readonly kinds: Kinds;
  /** The data is of this box, written by a later release: fields that it added to documents are dropped. */
  readonly isOurs?: boolean;
}

/**
 * Copies a backup, row by row, and only the known columns of known tables. Sites, sources, batches, blocks and waiting
 * responses get new numbers. Not copied are counts of sites that are being erased, and what a database numbers itself:
 * its changes, its generation, and how far its log is folded.
 * @param from opened by `openUntrusted`
 * @param to a new database of ours
 * @throws {DatabaseRefused} naming the table with an invalid row
 */
export async function copyBackup(
  from: Database,
  to: Transaction,
  { file, kinds, isOurs = false }: Backup,
): Promise<void> {
  const refuse = (why: string): never => {
    throw new DatabaseRefused({
      file,
      flaw: "damaged",
      says: `${FILE} cannot be used: ${why}. Choose another backup.`,
    });
  };
  const ofTable = (table: string, why: string) => refuse(`a row of its table ${table} is ${why}`);
  const off = (why: string) => ofTable("document", why);
  try {
    const sites = await copyKept(from, to, kinds, { anew: isOurs ? "known" : true, off });
    await copyRows(new RowCopier(from, to, sites, ofTable));
  } catch (error) {
    if (error instanceof RangeError) refuse(`some of what it has counted is ${NOT_OURS}`);
    if (isSqliteError(error, "SQLITE_CONSTRAINT")) refuse("a row of it is there twice");
    throw error;
  }
  // At random: none that is known of another database.
  await to.rows("UPDATE generation SET n = $1", [randomInt(2 ** 40)]);
}

/**
 * Runs `write` in one transaction, and syncs nothing: no other process knows the file yet.
 * @param from is read, and closed
 */
export async function fill(
  file: string,
  from: Database,
  write: (to: Transaction, db: Database) => Promise<void>,
): Promise<void> {
  try {
    const db = openForWriting(file);
    db.pragma("journal_mode = MEMORY");
    db.pragma("synchronous = OFF");
    const to = new SqliteDb(db);
    await to
      .transaction((sql) => write(sql, db))
      .finally(() => {
        // One file, that needs no log beside it to be read.
        db.pragma("journal_mode = DELETE");
        db.close();
      });
  } finally {
    from.close();
  }
}

/** A mark later than now becomes now, and so does a missing one: its day is the last to be pruned. */
const MARK = "UPDATE counted_day SET run_ms = min(run_ms, $2) WHERE day = $1";

/** Copies all but documents. Sources go first, since others refer to them. */
async function copyRows(copy: RowCopier): Promise<void> {
  await copy.table("meta");
  for (const row of copy.rows("source")) await copy.addSource(row);
  await copyLog(copy);
  await copyBlocks(copy);
  for (const { day, run_ms } of copy.rows("counted_day")) await copy.to.rows(MARK, [day, run_ms]);
  await copy.table("past");
  await copy.table("survey_day");
  for (const row of copy.rows("survey")) {
    // Responses are known elsewhere by the number they had there.
    const number = row.number ?? (row.source === OWN_SOURCE ? row.id : null);
    await copy.add("survey", { ...row, number });
  }
  await copy.table("waiting_survey");
}
