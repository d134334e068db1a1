import { checkIntegrity, type Database, openForReading, storageProblem } from "../database.ts";
import { documents, readDirectory } from "../documents.ts";
import { DatabaseRefused } from "../refused.ts";

/** The contents of a file, or a sentence about why they are unknown. */
type Examined =
  | { readonly sites: number; readonly bodies: readonly unknown[] }
  | { readonly problem: string };

/**
 * Looks through a whole file, and changes nothing. No sentence names the file.
 * @param kind of documents whose bodies are wanted
 */
export function examine(file: string, kind: string): Examined {
  let db: Database | undefined;
  try {
    db = openForReading(file);
    checkIntegrity(db, file);
    return {
      sites: readDirectory(db).sites.length,
      bodies: documents(db, { kind }).map(({ body }) => JSON.parse(body)),
    };
  } catch (error) {
    if (error instanceof DatabaseRefused) return { problem: error.named("the database").message };
    return { problem: storageProblem(error) ?? "unreadable" };
  } finally {
    db?.close();
  }
}
