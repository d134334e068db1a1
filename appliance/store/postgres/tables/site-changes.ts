import { PASS_GENERATION } from "../../settling/statements.ts";
import type { Directory } from "../../sites/directory.ts";
import type { SiteChange } from "../../sites/draft.ts";
import { changeStatements, removalOf } from "../../sites/statements.ts";
import type { Statement } from "../../sql.ts";
import type { Sql, Transaction } from "../connection/sql.ts";
import { drawEpoch } from "../epoch.ts";
import { readRevisedDirectory } from "./directory.ts";

/**
 * Holds up everybody else who changes sites until the end of the transaction.
 * @returns the directory as it is then
 */
export async function lockDirectory(sql: Transaction): Promise<Directory> {
  await drawEpoch(sql);
  await sql.rows("SELECT directory FROM revision FOR UPDATE");
  const { directory } = await readRevisedDirectory(sql);
  return directory;
}

/** Makes changes to a locked directory. */
export async function carryOutLocked(sql: Sql, changes: readonly SiteChange[]): Promise<void> {
  if (changes.length === 0) return;
  const raise = changes.some(isOfDirectory)
    ? [{ text: "UPDATE revision SET directory = directory + 1" }]
    : [];
  await sql.all([...changes.flatMap(statementsOf), ...raise]);
}

/** Whether a change is of the directory, which all nodes know. */
function isOfDirectory({ kind }: SiteChange): boolean {
  return kind !== "labels" && kind !== "alarms";
}

function statementsOf(change: SiteChange): Statement[] {
  if (change.kind === "remove")
    return [
      ...removalOf(change.key),
      { text: "INSERT INTO erased_site (key, at) VALUES ($1, now())", values: [change.key] },
      { text: PASS_GENERATION },
    ];
  if (change.kind !== "add") return changeStatements(change);
  const { id, host, badge, declared, retired } = change.site;
  return [
    { text: "UPDATE revision SET last_site = last_site + 1" },
    {
      text: `INSERT INTO site (key, id, host, badge, declared, retired)
             SELECT last_site, $1::text, $2::text, $3::boolean, $4::boolean, $5::boolean
             FROM revision`,
      values: [id, host, badge, declared, retired],
    },
  ];
}
