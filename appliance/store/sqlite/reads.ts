import type { DocumentRow } from "../changes.ts";
import type { SiteKey } from "../counting.ts";
import type { PassedOver } from "../counts/block-reading.ts";
import type { LocalQueryName, QueryInput, QueryResult } from "../queries.ts";
import { Reads } from "../reads/reads.ts";
import { BLOCK_BYTES } from "../shared-snapshot.ts";
import type { Rows } from "../sql.ts";
import { dataVersion } from "./database.ts";
import type { SqliteDb } from "./db.ts";

/** The questions to a file. @param passedOver is called for blocks that cannot be read */
export function fileReads(db: SqliteDb, passedOver?: PassedOver): Reads {
  const state = async () => ({ version: dataVersion(db.file), server: "" });
  return new Reads(db, { state, ofBox: BOX_READS }, passedOver);
}

/** The questions to the data that belongs to this box. */
export const BOX_READS: {
  readonly [Q in LocalQueryName]: (rows: Rows, input: QueryInput<Q>) => Promise<QueryResult<Q>>;
} = {
  largestSites: (rows, { limit }) =>
    rows<{ key: SiteKey; id: string }>(
      `SELECT key, id FROM site LEFT JOIN block ON block.site = key GROUP BY key
       ORDER BY sum(${BLOCK_BYTES}) DESC, key LIMIT $1`,
      [limit],
    ),
  documents: (rows, { kind }) =>
    rows<DocumentRow>(
      `SELECT id, body, revision, coalesce(octet_length(file), 0) AS size FROM document
       WHERE kind = $1 AND body IS NOT NULL ORDER BY rowid`,
      [kind],
    ),
  async documentFile(rows, { kind, id }) {
    const [row] = await rows<{ file: Uint8Array | null }>(
      "SELECT file FROM document WHERE kind = $1 AND id = $2",
      [kind, id],
    );
    return row?.file ?? null;
  },
};
