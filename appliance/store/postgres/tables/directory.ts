import type { Directory } from "../../sites/directory.ts";
import { directoryIn, directoryQuery } from "../../sites/statements.ts";
import type { Sql } from "../connection/sql.ts";

/** The directory, and the revision that it is of. */
interface Revised {
  readonly directory: Directory;
  readonly revision: number;
}

const DIRECTORY = directoryQuery("revision");

export async function readRevisedDirectory(sql: Sql): Promise<Revised> {
  const rows = await sql.rows<{ readonly revision: number }>(DIRECTORY);
  return { directory: directoryIn(rows), revision: rows[0]?.revision ?? 0 };
}
