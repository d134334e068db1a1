import { BareHits } from "../intake/bare-hits.ts";
import { type Batch, BatchEncoder, decodeBatch, recordsOf } from "./batch.ts";

/** No zone has hours that begin between two of these; in seconds. */
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
  // Hits of so many sites that they do not fit a batch stay as they are.
  for (const record of bare.records()) if (!encoder.add(record)) return body;
  return encoder.encode();
}

/** The records of several batches of one clock, as few batches as take them. */
export function together(batches: readonly Batch[]): Uint8Array[] {
  const bodies: Uint8Array[] = [];
  const encoder = new BatchEncoder(batches[0]?.undated);
  const close = () => {
    if (encoder.records > 0) bodies.push(encoder.encode());
    encoder.clear();
  };
  for (const batch of batches)
    for (const record of recordsOf(batch)) {
      if (encoder.add(record)) continue;
      close();
      encoder.add(record);
    }
  close();
  return bodies;
}
