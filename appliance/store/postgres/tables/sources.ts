import { OWN_SOURCE, type SourceNumber } from "../../snapshot.ts";
import { deletionOf } from "../../sources.ts";
import type { WriteInput, WriteResult } from "../../writes.ts";
import type { Sql } from "../connection/connection.ts";
import { PASS_GENERATION } from "../settle.ts";

/** The source that is counted now: a server that took another's place counts under another. */
export async function ownSource(sql: Pick<Sql, "rows">): Promise<SourceNumber> {
  const [own] = await sql.rows<{ source: SourceNumber }>("SELECT source FROM generation");
  return own?.source ?? OWN_SOURCE;
}

export async function deleteSource(
  sql: Sql,
  { number }: WriteInput<"deleteSource">,
): Promise<WriteResult<"deleteSource">> {
  const { find, some, rest } = deletionOf(number);
  await sql.rows(PASS_GENERATION);
  if ((await sql.rows(find.text, find.values)).length === 0) return "unknown";
  for (const { text, values } of some) if ((await sql.rows(text, values)).length > 0) return "more";
  await sql.all(rest);
  return "done";
}
