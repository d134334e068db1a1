import type { SiteKey } from "../counting.ts";
import { type Batch, BatchEncoder, isOfLaterFormat, readBatch, sitesOf } from "./batch.ts";
import { type Dimension, type HitRecord, KINDS } from "./record.ts";

/**
 * A batch without the records of a site, and without texts that only those had.
 * @returns the same bytes where it has none, or is of a later format, and undefined where nothing is left, or
 * can be read
 */
export function eraseSite(body: Uint8Array, site: SiteKey): Uint8Array | undefined {
  // Its records of sites that are gone are left out by whoever can read it.
  if (isOfLaterFormat(body)) return body;
  const batch = readBatch(body);
  if (batch === undefined) return undefined;
  if (!batch.sites.includes(site)) return body;
  const left = new BatchEncoder(batch.undated);
  for (let row = 0; row < batch.records; row++)
    if (batch.sites[row] !== site) left.add(recordAt(batch, row));
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

/** A record of a batch, as an encoder takes it. */
export function recordAt(batch: Batch, row: number): HitRecord {
  const at = (column: ArrayLike<number>) => column[row] as number;
  return {
    site: at(batch.sites),
    kind: KINDS[at(batch.kinds)] as HitRecord["kind"],
    flags: at(batch.flags),
    moment: at(batch.moments),
    times: at(batch.times),
    values: slotsTogether(batch).flatMap(({ dimension, texts }): [Dimension, string][] => {
      const text = batch.texts[at(texts) - 1];
      return text === undefined ? [] : [[dimension, text]];
    }),
  };
}

/** Those of one dimension one after the other: an encoder takes several values of a record only so. */
function slotsTogether({ slots }: Batch): Batch["slots"] {
  return [...Map.groupBy(slots, ({ dimension }) => dimension).values()].flat();
}
