import type { SiteKey } from "../counting.ts";
import { BareHits } from "../intake/bare-hits.ts";
import {
  type Batch,
  BatchEncoder,
  datedBatch,
  decodeBatch,
  isOfLaterFormat,
  isUndated,
  readBatch,
  recordsOf,
  sitesOf,
} from "./batch.ts";

/** A batch of no records. */
export const EMPTY_BATCH: Uint8Array = new BatchEncoder().encode();

/**
 * A batch without the records of a site, and without texts that only those had.
 * @returns the same bytes where it has none, or is of a later format, and undefined where nothing is left, or
 * can be read
 */
export function eraseSite(body: Uint8Array, site: SiteKey): Uint8Array | undefined {
  // A reader of that format skips records of erased sites itself.
  if (isOfLaterFormat(body)) return body;
  const batch = readBatch(body);
  if (batch === undefined) return undefined;
  if (!batch.sites.includes(site)) return body;
  const left = new BatchEncoder(batch.undated);
  for (const record of recordsOf(batch)) if (record.site !== site) left.add(record);
  return left.records > 0 ? left.encode() : undefined;
}

/** Removes the records of sites that are gone from a batch. @returns as `eraseSite` does */
export function eraseGone(
  body: Uint8Array,
  exists: (site: SiteKey) => boolean,
): Uint8Array | undefined {
  let left: Uint8Array | undefined = body;
  for (const site of sitesOf(body))
    if (left !== undefined && !exists(site)) left = eraseSite(left, site);
  return left;
}

/**
 * Dates a batch of this boot, if it waits for the clock.
 * @param dating as those of `datedBatch`
 * @returns as few batches as take its records
 */
export function dateBatch(
  body: Uint8Array,
  ...dating: [zero: number, zoneHour: (epochMs: number) => number]
): Uint8Array[] {
  return isUndated(body) ? together([datedBatch(decodeBatch(body), ...dating)]) : [body];
}

/** The seconds of a step at which hours of all zones begin. */
const QUARTER_HOUR = 900;

/** A batch of the same hits without their texts, and, where they wait for the clock, by the quarter of an hour. */
export function withoutTexts(body: Uint8Array): Uint8Array {
  const batch = decodeBatch(body);
  const bare = new BareHits();
  for (const record of recordsOf(batch)) {
    const moment =
      batch.undated === undefined ? record.moment : record.moment - (record.moment % QUARTER_HOUR);
    bare.add({ ...record, moment });
  }
  const encoder = new BatchEncoder(batch.undated);
  // Hits of very many sites may not fit a batch even without texts: then they stay as they are.
  for (const record of bare.records()) if (!encoder.add(record)) return body;
  return encoder.encode();
}

/**
 * The records of several batches of one clock, as few batches as take them.
 * @param of the records of a batch that are taken: all unless given
 */
export function together(
  batches: readonly Batch[],
  of: typeof recordsOf = recordsOf,
): Uint8Array[] {
  const bodies: Uint8Array[] = [];
  const encoder = new BatchEncoder(batches[0]?.undated);
  const close = () => {
    if (encoder.records > 0) bodies.push(encoder.encode());
    encoder.clear();
  };
  for (const batch of batches)
    for (const record of of(batch)) {
      if (encoder.add(record)) continue;
      close();
      encoder.add(record);
    }
  close();
  return bodies;
}
