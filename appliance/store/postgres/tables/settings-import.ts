import type { SiteKey } from "../../counting.ts";
import { LogTail } from "../../log/tail.ts";
import type { BeforeImport } from "../../rows.ts";
import { addedBy, importSites, undoImportOfSites } from "../../sites/settings-import.ts";
import type { WriteInput } from "../../writes.ts";
import type { Sql, Transaction } from "../connection/sql.ts";
import { PostgresSnapshot } from "../snapshot.ts";
import { carryOutLocked, lockDirectory } from "./site-changes.ts";

/** Adds and changes the sites that settings name, by their rules. Documents belong to a box. */
export async function importFleetSettings(
  sql: Transaction,
  { sites }: WriteInput<"importSettings">,
): Promise<BeforeImport> {
  const { before, changes } = importSites(await lockDirectory(sql), sites);
  await carryOutLocked(sql, changes);
  return { documents: [], sites: before };
}

/** Puts back what was there before an import. @returns the sites that stay as they are */
export async function undoFleetImport(
  sql: Transaction,
  { sites }: BeforeImport,
): Promise<string[]> {
  const directory = await lockDirectory(sql);
  const counting = await withNumbers(sql, addedBy(sites, directory));
  const { stay, changes } = undoImportOfSites(directory, sites, counting);
  await carryOutLocked(sql, changes);
  return stay;
}

async function withNumbers(sql: Sql, sites: readonly SiteKey[]): Promise<Set<SiteKey>> {
  const tables = ["block", "past", "survey", "waiting_survey"];
  const has = tables.map((table) => `EXISTS (SELECT 1 FROM ${table} WHERE site = asked.key)`);
  const rows = await sql.rows<{ key: SiteKey }>(
    `SELECT asked.key FROM unnest($1::int[]) AS asked (key) WHERE ${has.join(" OR ")}`,
    [sites],
  );
  const counting = new Set(rows.map(({ key }) => key));
  const tail = new LogTail();
  const snapshot = new PostgresSnapshot(sql);
  await tail.follow(snapshot);
  for (const site of sites) {
    const left = await tail.blocks(snapshot, site, Number.POSITIVE_INFINITY);
    if (tail.pending(site) > 0 || left.size > 0) counting.add(site);
  }
  return counting;
}
