import { type ChangedDocuments, changesSince, type Revision } from "../../changes.ts";
import type { SiteKey } from "../../counting.ts";
import { sitesThatCount } from "../../counts/sites-that-count.ts";
import { type Directory, DirectoryBook } from "../../sites/directory.ts";
import { DIRECTORY_KINDS } from "../../sites/kinds.ts";
import type { SitesPlace } from "../../sites/writes.ts";
import type { Database } from "../database.ts";
import { BYTES } from "../slices.ts";
import { ofOneMoment, SqliteSnapshot } from "../snapshot.ts";
import { changeFile, documents } from "./documents.ts";
import { perform, rowsOf } from "./table.ts";

/** The directory as of now. */
export function readDirectory(db: Database): Directory {
  const book = new DirectoryBook();
  return book.at(takeFileChanges(db, -1, (changed) => book.take(changed)));
}

/** Tells in parts what has changed of the directory since a revision. @returns the revision of now */
export function takeFileChanges(
  db: Database,
  since: number,
  take: (changed: ChangedDocuments) => void,
): Revision {
  const n = db.transaction(() => perform(db, changesSince(DIRECTORY_KINDS, since, take)))();
  return { n, epoch: null };
}

/** A file, as far as sites are changed there: each change is a transaction of its own. */
export function fileSites(db: Database): SitesPlace {
  return {
    directory: () => readDirectory(db),
    change: (wanted) => db.transaction(() => changeFile(db, wanted)).immediate(),
    documents: (kind) => documents(db, { kind }),
    counting: (sites) =>
      ofOneMoment(db, () => sitesThatCount(new SqliteSnapshot(db), rowsOf(db), sites)),
  };
}

/** Sites whose blocks take the most, that first. */
export function largestSites(db: Database, limit: number): { key: SiteKey; id: string }[] {
  return db
    .prepare(
      `SELECT key, id FROM site LEFT JOIN block ON block.site = key GROUP BY key
       ORDER BY sum(${BYTES}) DESC, key LIMIT ?`,
    )
    .all(limit) as { key: SiteKey; id: string }[];
}
