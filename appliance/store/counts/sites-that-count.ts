import type { SiteKey } from "../counting.ts";
import { LogTail } from "../log/tail.ts";
import type { Snapshot } from "../snapshot.ts";
import type { Rows } from "../sql.ts";

/** The days of responses are there before the responses, where these wait for a clock. */
const TABLES = ["block", "past", "survey", "survey_day"];
/** Sites that one statement names. */
const NAMED = 500;

/** The sites of these that have numbers or responses. */
export async function sitesThatCount(
  snapshot: Snapshot,
  rows: Rows,
  sites: readonly SiteKey[],
): Promise<SiteKey[]> {
  const counting = new Set<SiteKey>();
  for (let from = 0; from < sites.length; from += NAMED) {
    const named = sites.slice(from, from + NAMED).map(Number);
    for (const table of TABLES) {
      const text = `SELECT DISTINCT site FROM ${table} WHERE site IN (${named.join()})`;
      for (const { site } of await rows<{ site: SiteKey }>(text)) counting.add(site);
    }
  }
  if (sites.length === 0) return [];
  const tail = new LogTail();
  await tail.follow(snapshot);
  for (const site of sites) if (tail.pending(site) > 0) counting.add(site);
  await tail.counters(snapshot, new Set(sites), (site) => counting.add(site));
  return [...counting];
}
