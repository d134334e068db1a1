import { EMPTY_BATCH } from "../../log/erase.ts";
import { OWN_SOURCE } from "../../snapshot.ts";
import { nowAs, RESPONSES, type Responses, SOURCES, type SourceRow } from "../../sources.ts";
import type { WriteInput, WriteResult } from "../../writes.ts";
import type { Database } from "../database.ts";
import { passGeneration } from "../settle.ts";

const BLOCKS_PER_STEP = 50;
const ROWS_PER_STEP = 500;

export function sources(db: Database): SourceRow[] {
  return [nowAs(OWN_SOURCE), ...(db.prepare(SOURCES).all() as SourceRow[])];
}

export function responses(db: Database): Responses[] {
  return db.prepare(RESPONSES).all() as Responses[];
}

/** Removes some of it; the row that names it goes last. */
export function deleteSource(
  db: Database,
  { number }: WriteInput<"deleteSource">,
): WriteResult<"deleteSource"> {
  if (db.prepare("SELECT 1 FROM source WHERE number = ?").get(number) === undefined)
    return "unknown";
  const some = (table: string, limit: number) =>
    db
      .prepare(
        `DELETE FROM ${table} WHERE rowid IN
           (SELECT rowid FROM ${table} WHERE source = ? LIMIT ${limit})`,
      )
      .run(number).changes > 0;
  const isMore = some("block", BLOCKS_PER_STEP) || some("survey", ROWS_PER_STEP);
  passGeneration(db);
  if (isMore) return "more";
  db.prepare("UPDATE log SET body = ? WHERE source = ?").run(EMPTY_BATCH, number);
  db.prepare("DELETE FROM past WHERE source = ?").run(number);
  db.prepare("DELETE FROM source WHERE number = ?").run(number);
  return "done";
}
