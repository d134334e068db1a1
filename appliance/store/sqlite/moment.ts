import type { Soon } from "../counts/source.ts";
import type { Database } from "./database.ts";

/** Runs what reads in one transaction: it is all of one moment. */
export async function ofOneMoment<T>(db: Database, read: () => Soon<T>): Promise<T> {
  db.exec("BEGIN");
  try {
    return await read();
  } finally {
    // Some errors have ended it already.
    if (db.inTransaction) db.exec("COMMIT");
  }
}
