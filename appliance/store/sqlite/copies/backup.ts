import { closeSync, fstatSync, fsyncSync, lstatSync, renameSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { openNew } from "../../../base/system/files.ts";
import { asOwnerOf } from "../../../base/system/owner.ts";
import {
  checkIntegrity,
  type Database,
  isOfNewer,
  openForReading,
  openForWriting,
  syncFolderOf,
  withDatabase,
} from "../database.ts";
import { DatabaseRefused, FILE } from "../refused.ts";
import { copyBackup, fill } from "./copy-backup.ts";
import { type Kinds, keptKinds } from "./copy-documents.ts";
import { removeDatabase } from "./swap.ts";

/**
 * Copies a snapshot of the database `source` to `target`, while others write; without push tokens and
 * sessions. `target` appears complete and checked, or not at all, in the format of this version, so that
 * the version that made a backup can restore it.
 * @throws {DatabaseRefused}
 */
export async function backUp(source: string, target: string, kinds: Kinds): Promise<void> {
  if (isSameFile(source, target))
    throw new DatabaseRefused({
      file: target,
      says: `${FILE} is the data itself. Name another file.`,
    });
  const partial = `${target}.partial`;
  removeDatabase(partial);
  const made = openPartial(target, partial);
  try {
    const from = asOwnerOf(dirname(source), () => openForReading(source));
    // A newer version may have added data that must not leave the box.
    if (isOfNewer(from)) {
      from.exec("BEGIN");
      await fill(partial, from, (to) =>
        copyBackup(from, to, { file: source, kinds, isOurs: true }),
      );
    } else withDatabase(from, () => from.prepare("VACUUM INTO ?").run(partial));
    withDatabase(openForWriting(partial), (db) => leaveOutOwn(db, kinds));
    withDatabase(openForReading(partial), (db) => checkIntegrity(db, partial));
    fsyncSync(made);
    if (!isStill(made, partial))
      throw new DatabaseRefused({
        file: target,
        says: `Another program has changed ${FILE} meanwhile. Name a file in a folder of your own.`,
      });
    renameSync(partial, target);
    syncFolderOf(target);
  } finally {
    closeSync(made);
    removeDatabase(partial);
  }
}

function openPartial(target: string, partial: string): number {
  try {
    return openNew(partial);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new DatabaseRefused({
      file: target,
      says: `${FILE} cannot be written (${code}). Check that the folder exists and that this user may write in it.`,
    });
  }
}

/** Whether a file that is open has its name still. */
function isStill(file: number, path: string): boolean {
  const [one, other] = [fstatSync(file), lstatSync(path)];
  return one.ino === other.ino && one.dev === other.dev;
}

function leaveOutOwn(db: Database, kinds: Kinds): void {
  const kept = JSON.stringify(keptKinds(kinds).map(({ name }) => name));
  // Where rows are deleted one by one, SQLite moves others between pages, and may leave bytes of any behind. A table that is
  // emptied is overwritten, page by page.
  db.pragma("temp_store = MEMORY");
  // By name, and all there are: a newer release may have more.
  const columns = db
    .prepare(`SELECT '"' || name || '"' FROM pragma_table_info('document')`)
    .pluck()
    .all();
  db.transaction(() => {
    db.prepare(
      `CREATE TEMP TABLE kept AS SELECT ${columns} FROM document WHERE kind IN (SELECT value FROM json_each(?)) ORDER BY rowid`,
    ).run(kept);
    db.exec(
      `DELETE FROM document; INSERT INTO document (${columns}) SELECT ${columns} FROM kept ORDER BY rowid; DROP TABLE kept`,
    );
  })();
  // One file, that needs no log beside it to be read.
  db.pragma("journal_mode = DELETE");
}

function isSameFile(a: string, b: string): boolean {
  const [one, other] = [a, b].map((file) => statSync(file, { throwIfNoEntry: false }));
  return one !== undefined && one.ino === other?.ino && one.dev === other.dev;
}
