import { COUNTABLE } from "../../base/bounds.ts";
import type { Batch } from "./batch.ts";
import { type Dimension, KINDS, MAX_DEVICES } from "./record.ts";

const INTERACTION = KINDS.indexOf("interaction");
const EVENT = KINDS.indexOf("event");

/**
 * The flaw of a batch that no hits could have made, as a sentence's end: `a batch that …`. Folded,
 * it would make blocks that `soundBlock` refuses.
 */
export function flawOfBatch({ records, times, kinds, slots }: Batch): string | undefined {
  if (times.some((n) => n === 0 || n > COUNTABLE.times)) return "counts more than anybody can";
  const slotsOf = Map.groupBy(slots, ({ dimension }) => dimension);
  for (let row = 0; row < records; row++) {
    const has = (dimension: Dimension) =>
      slotsOf.get(dimension)?.some(({ texts }) => texts[row] !== 0) === true;
    if (kinds[row] === EVENT && !has("event")) return "has an event without a name";
  }
  for (const [dimension, ofDimension] of slotsOf) {
    const most = dimension === "app_device" ? MAX_DEVICES : 1;
    for (let row = 0; row < records; row++) {
      let values = 0;
      for (const { texts } of ofDimension) if (texts[row] !== 0) values++;
      if (values > most) return "has several values where a hit has one";
      if (values > 0 && kinds[row] === INTERACTION && dimension !== "hi")
        return "has an interaction with more than its latency";
    }
  }
  return undefined;
}
