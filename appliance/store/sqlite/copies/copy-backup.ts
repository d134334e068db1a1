import type { Day } from "../../../base/calendar.ts";
import { TIME_RUN } from "../../settling/day-marks.ts";
import { OWN_SOURCE } from "../../snapshot.ts";
import { NOT_OURS } from "../../transfer/counts.ts";
import { type Database, openForWriting, withDatabase } from "../database.ts";
import { DatabaseRefused, FILE } from "../refused.ts";
import { beginGeneration } from "../settle.ts";
import { prepared } from "../sql.ts";
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
export function copyBackup(
  from: Database,
  to: Database,
  { file, kinds, isOurs = false }: Backup,
): void {
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
    const sites = copyKept(from, to, kinds, { anew: isOurs ? "known" : true, off });
    copyRows(new RowCopier(from, to, sites, ofTable));
  } catch (error) {
    if (error instanceof RangeError) refuse(`some of what it has counted is ${NOT_OURS}`);
    throw error;
  }
  beginGeneration(to);
}

/** Runs `write` in one transaction, and syncs nothing: no other process knows the file yet. */
export function fill(file: string, write: (db: Database) => void): void {
  withDatabase(openForWriting(file), (db) => {
    db.pragma("journal_mode = MEMORY");
    db.pragma("synchronous = OFF");
    db.transaction(() => write(db))();
    // One file, that needs no log beside it to be read.
    db.pragma("journal_mode = DELETE");
  });
}

/** Copies all but documents. Sources go first, since others refer to them. */
function copyRows(copy: RowCopier): void {
  copy.table("meta");
  for (const { number, ...row } of copy.rows("source")) copy.addSource(number, row);
  copyLog(copy);
  copyMarks(copy, copyBlocks(copy));
  copy.table("past");
  copy.table("survey_day");
  // Responses are known elsewhere by the number they had there.
  for (const row of copy.rows("survey"))
    copy.add("survey", row.source === OWN_SOURCE ? { ...row, number: row.number ?? row.id } : row);
  copy.table("waiting_survey");
}

/**
 * Marks the days of blocks. A mark later than now becomes now, and so does a missing one: its day is the last to be
 * pruned.
 */
function copyMarks(copy: RowCopier, days: ReadonlySet<Day>): void {
  const now = prepared(copy.to, TIME_RUN).get() as { ms: number };
  const marks = new Map<unknown, number>();
  for (const { day, run_ms } of copy.rows("counted_day")) marks.set(day, Number(run_ms));
  for (const day of days)
    copy.add("counted_day", { day, run_ms: Math.min(now.ms, marks.get(day) ?? now.ms) });
}
