import type { SiteKey } from "../counting.ts";
import { BatchEncoder, isOfLaterFormat, readBatch, recordsOf, sitesOf } from "./batch.ts";

/** A batch of no records. */
export const EMPTY_BATCH: Uint8Array = new BatchEncoder().encode();

/**
 * A batch without the records of a site, and without texts that only those had.
 * @returns the same bytes where it has none, or is of a later format, and undefined where nothing is left, or
 * can be read
 */
export function eraseSite(body: Uint8Array, site: SiteKey): Uint8Array | undefined {
  // Its records of sites that are gone are left out by a reader of that format.
  if (isOfLaterFormat(body)) return body;
  const batch = readBatch(body);
  if (batch === undefined) return undefined;
  if (!batch.sites.includes(site)) return body;
  const left = new BatchEncoder(batch.undated);
  for (const record of recordsOf(batch)) if (record.site !== site) left.add(record);
  return left.records > 0 ? left.encode() : undefined;
}

/** A batch without the records of sites that are gone. @returns as `eraseSite` does */
export function eraseGone(
  body: Uint8Array,
  exists: (site: SiteKey) => boolean,
): Uint8Array | undefined {
  let left: Uint8Array | undefined = body;
  for (const site of sitesOf(body))
    if (left !== undefined && !exists(site)) left = eraseSite(left, site);
  return left;
}
