import { type Change, changeScript, type DocumentRow } from "../changes.ts";
import type { SiteKey } from "../counting.ts";
import { sitesThatCount } from "../counts/sites-that-count.ts";
import { monthBlocks, takeMonth, takeRest } from "../imports/imports.ts";
import type { QueryInput } from "../queries.ts";
import { alarmSince } from "../sites/alarms.ts";
import { type Directory, directoryScript } from "../sites/directory.ts";
import type { SitesPlace } from "../sites/writes.ts";
import { deleteSource } from "../sources.ts";
import type { EngineWriteName, WriteInput, WriteResult } from "../writes.ts";
import type { Database } from "./database.ts";
import { putBlock } from "./settle.ts";
import { BYTES } from "./slices.ts";
import { ofOneMoment, SqliteSnapshot } from "./snapshot.ts";
import { perform, rowsOf, run } from "./sql.ts";

/** All documents of a kind, oldest first. */
export function documents(db: Database, { kind }: QueryInput<"documents">): DocumentRow[] {
  return db
    .prepare(
      `SELECT id, body, revision, coalesce(octet_length(file), 0) AS size FROM document
       WHERE kind = ? AND body IS NOT NULL ORDER BY rowid`,
    )
    .all(kind) as DocumentRow[];
}

export function documentFile(
  db: Database,
  { kind, id }: QueryInput<"documentFile">,
): Uint8Array | null {
  const find = db.prepare("SELECT file FROM document WHERE kind = ? AND id = ?").pluck();
  return (find.get(kind, id) as Uint8Array | null | undefined) ?? null;
}

/** Makes a change, in the caller's transaction. @returns and @throws as `changeScript` */
export function changeFile(db: Database, wanted: Change): boolean {
  return perform(db, changeScript(wanted));
}

/** The directory as of now. */
export function readDirectory(db: Database): Directory {
  return db.transaction(() => perform(db, directoryScript(null)))();
}

/** A file as the place of sites. Each change is a transaction of its own. */
export function fileSites(db: Database): SitesPlace {
  return {
    directory: () => readDirectory(db),
    change: (wanted) => db.transaction(() => changeFile(db, wanted)).immediate(),
    documents: (kind) => documents(db, { kind }),
    counting: (sites) =>
      ofOneMoment(db, () => sitesThatCount(new SqliteSnapshot(db), rowsOf(db), sites)),
  };
}

/** Sites by the size of their blocks, the largest first. */
export function largestSites(db: Database, limit: number): { key: SiteKey; id: string }[] {
  return db
    .prepare(
      `SELECT key, id FROM site LEFT JOIN block ON block.site = key GROUP BY key
       ORDER BY sum(${BYTES}) DESC, key LIMIT ?`,
    )
    .all(limit) as { key: SiteKey; id: string }[];
}

const TOUCH = `INSERT INTO meta (key, value) VALUES ('touched', $1)
  ON CONFLICT (key) DO UPDATE SET value = excluded.value`;

/** The changes of a file, each in a transaction of the caller's. */
export const WRITES: {
  readonly [W in EngineWriteName]: (db: Database, input: WriteInput<W>) => WriteResult<W>;
} = {
  change: changeFile,
  changeDocuments: (db, wanted) => void changeFile(db, { documents: [wanted] }),
  touch: (db, now) => void run(db, { text: TOUCH, values: [now] }),
  saveAlarmSince: (db, input) => void run(db, alarmSince(input)),
  deleteSource: (db, input) => perform(db, deleteSource(input)),
  importRest: (db, input) => perform(db, takeRest(input, [])),
  importMonth(db, input) {
    const source = perform(db, takeMonth(input));
    for (const block of source === undefined ? [] : monthBlocks(input, source)) putBlock(db, block);
    return source !== undefined;
  },
};
