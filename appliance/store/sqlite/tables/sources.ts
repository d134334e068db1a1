import { deletionOf } from "../../sources.ts";
import type { WriteInput, WriteResult } from "../../writes.ts";
import type { Database } from "../database.ts";
import { passGeneration } from "../settle.ts";
import { run } from "./table.ts";

export function deleteSource(
  db: Database,
  { number }: WriteInput<"deleteSource">,
): WriteResult<"deleteSource"> {
  const { find, some, rest } = deletionOf(number);
  if (run(db, find).length === 0) return "unknown";
  passGeneration(db);
  if (some.some((statement) => run(db, statement).length > 0)) return "more";
  for (const statement of rest) run(db, statement);
  return "done";
}
