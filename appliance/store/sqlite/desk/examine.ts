import { readDirectory } from "../../sites/directory.ts";
import { checkIntegrity, openForReading, storageProblem } from "../database.ts";
import { SqliteDb } from "../db.ts";
import { BOX_READS } from "../documents.ts";
import { DatabaseRefused } from "../refused.ts";

/** The contents of a file, or a sentence about why they are unknown. */
type Examined =
  | { readonly sites: number; readonly bodies: readonly unknown[] }
  | { readonly problem: string };

/**
 * Looks through a whole file, and changes nothing. No sentence names the file.
 * @param kind of documents whose bodies are wanted
 */
export async function examine(file: string, kind: string): Promise<Examined> {
  let db: SqliteDb | undefined;
  try {
    db = new SqliteDb(openForReading(file));
    checkIntegrity(db.file, file);
    return await db.transaction(
      async (sql) => ({
        sites: (await readDirectory(sql)).sites.length,
        bodies: (await BOX_READS.documents(sql.rows, { kind })).map(({ body }) => JSON.parse(body)),
      }),
      { read: true },
    );
  } catch (error) {
    if (error instanceof DatabaseRefused) return { problem: error.named("the database").message };
    return { problem: storageProblem(error) ?? "unreadable" };
  } finally {
    await db?.close();
  }
}
