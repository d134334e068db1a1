import type { PassedOver } from "../counts/block-reading.ts";
import { BOX_READS, Reads } from "../reads/reads.ts";
import { dataVersion } from "./database.ts";
import type { SqliteDb } from "./db.ts";

/** The questions to a file. @param passedOver is called for blocks that cannot be read */
export function fileReads(db: SqliteDb, passedOver?: PassedOver): Reads {
  const state = async () => ({ version: dataVersion(db.file), server: "" });
  return new Reads(db, { state, ofBox: BOX_READS }, passedOver);
}
