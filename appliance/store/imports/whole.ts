import { encodeBlock } from "../blocks/codec.ts";
import type { Month } from "../blocks/month.ts";
import { monthsBySource, monthsOf, pastOf } from "../copy/reading.ts";
import type { SiteKey } from "../counting.ts";
import type { BlockPieces, Snapshot } from "../snapshot.ts";
import { siteSources } from "../sources.ts";
import type { Rows } from "../sql.ts";

// All that there is of a site, of all its sources together, for an export.

/** The months with content, ascending. */
export async function monthsOfSite(
  snapshot: Snapshot,
  rows: Rows,
  site: SiteKey,
): Promise<Month[]> {
  const sources = await siteSources(rows, site);
  const numbers = sources.map(({ number }) => number);
  const months = await monthsBySource(snapshot, site, numbers);
  return [...new Set([...months.values()].flat())].sort((a, b) => a - b);
}

/** A month of a site as one block; null where there is nothing. */
export async function monthOfSite(
  snapshot: Snapshot,
  site: SiteKey,
  month: Month,
): Promise<BlockPieces | null> {
  const range = { from: month, to: month };
  const which = { site, source: undefined };
  const [found] = await monthsOf(snapshot, which, range, "detail");
  return found === undefined ? null : encodeBlock(found.block);
}

/** A response of a survey, and its place in the order of all. */
interface SurveyOfSite {
  readonly id: number;
  readonly day: number;
  /** JSON. */
  readonly payload: string;
}

/** The responses of a site after a place, in their order. */
export function surveysOfSite(
  rows: Rows,
  {
    site,
    after,
    limit,
  }: { readonly site: SiteKey; readonly after: number; readonly limit: number },
): Promise<SurveyOfSite[]> {
  return rows<SurveyOfSite>(
    "SELECT id, day, payload FROM survey WHERE site = $1 AND id > $2 ORDER BY id LIMIT $3",
    [site, after, limit],
  );
}

/** Counters of days that are no longer kept, by name. */
export async function pastOfSite(rows: Rows, site: SiteKey): Promise<Record<string, number>> {
  return Object.fromEntries(await pastOf(rows, { site, source: undefined }));
}
