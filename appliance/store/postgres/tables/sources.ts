import { EMPTY_BATCH } from "../../log/erase.ts";
import { OWN_SOURCE, type SourceNumber } from "../../snapshot.ts";
import { nowAs, RESPONSES, type Responses, SOURCES, type SourceRow } from "../../sources.ts";
import type { WriteInput, WriteResult } from "../../writes.ts";
import type { Sql } from "../connection/connection.ts";
import { PASS_GENERATION } from "../settle.ts";

const BLOCKS_PER_STEP = 200;
const ROWS_PER_STEP = 1_000;

export async function sources(sql: Sql): Promise<SourceRow[]> {
  const [own] = await sql.rows<{ source: SourceNumber }>("SELECT source FROM generation");
  return [nowAs(own?.source ?? OWN_SOURCE), ...(await sql.rows<SourceRow>(SOURCES))];
}

export function responses(sql: Sql): Promise<Responses[]> {
  return sql.rows<Responses>(RESPONSES);
}

/** Removes some of it; the row that names it goes last. */
export async function deleteSource(
  sql: Sql,
  { number }: WriteInput<"deleteSource">,
): Promise<WriteResult<"deleteSource">> {
  await sql.rows(PASS_GENERATION);
  const known = await sql.rows("SELECT 1 AS one FROM source WHERE number = $1", [number]);
  if (known.length === 0) return "unknown";
  for (const statement of SOME) if ((await sql.rows(statement, [number])).length > 0) return "more";
  await sql.all([
    { text: "UPDATE log SET body = $2 WHERE source = $1", values: [number, EMPTY_BATCH] },
    { text: "DELETE FROM past WHERE source = $1", values: [number] },
    { text: "DELETE FROM source WHERE number = $1", values: [number] },
  ]);
  return "done";
}

const SOME = [
  `DELETE FROM block WHERE (site, month, source, part) IN
     (SELECT site, month, source, part FROM block WHERE source = $1 LIMIT ${BLOCKS_PER_STEP})
   RETURNING 1 AS gone`,
  `DELETE FROM survey WHERE id IN (SELECT id FROM survey WHERE source = $1 LIMIT ${ROWS_PER_STEP})
   RETURNING 1 AS gone`,
];
