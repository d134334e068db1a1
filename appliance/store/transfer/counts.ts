import { COUNTABLE } from "../../base/bounds.ts";
import type { SoundRules } from "../blocks/sound.ts";
import type { Batch } from "../log/batch.ts";
import { type Dimension, KINDS, mostValues, READING, readEventValue } from "../log/record.ts";
import { isShortText, isTime, LAST_BELIEVED_DAY } from "./values.ts";

/** The rules that counts from elsewhere are judged by. */
export interface CountRules extends SoundRules {
  /** The sum of all counts. */
  readonly sum: Sum;
}

const SECOND_MS = 1_000;
export const NOT_OURS = "not as Tallydeck writes it";

/** Sums up counts from elsewhere, within a limit. */
export class Sum {
  #sum = 0;
  readonly #most: number;

  constructor(most: number = COUNTABLE.together) {
    this.#most = most;
  }

  /** @returns false beyond the limit */
  add(n: number): boolean {
    this.#sum += n;
    return this.#sum <= this.#most;
  }
}

/** Judges a batch that a stranger may have made. @throws as `refuse` where no hits could have made it */
export function refuseUnsound(batch: Batch, { refuse }: CountRules): void {
  const { undated, moments, texts } = batch;
  const lastHour = 24 * (LAST_BELIEVED_DAY + 1) - 1;
  // Moments of an undated batch are seconds of a clock that began at its zero.
  const isMoment = (moment: number) =>
    undated === undefined
      ? moment <= lastHour
      : isTime(Math.round(undated.savedZero) + moment * SECOND_MS);
  if (!texts.every(isShortText) || !moments.every(isMoment)) refuse(NOT_OURS);
  const flaw = flawOfBatch(batch);
  if (flaw !== undefined) refuse(`a batch that ${flaw}`);
}

const INTERACTION = KINDS.indexOf("interaction");
/** Hits that are left out are interactions, too: earlier releases know no other kind that counts nothing more. */
const OF_INTERACTIONS: ReadonlySet<Dimension> = new Set(["hi", "left_out"]);
const EVENT = KINDS.indexOf("event");

/**
 * The flaw of a batch that no hits could have made, as a sentence's end: `a batch that …`. Folded,
 * it would make blocks that `soundBlock` refuses.
 */
function flawOfBatch({
  records,
  times,
  kinds,
  flags,
  slots,
  texts: all,
}: Batch): string | undefined {
  if (times.some((n) => n === 0 || n > COUNTABLE.times)) return "counts more than anybody can";
  const slotsOf = Map.groupBy(slots, ({ dimension }) => dimension);
  const isOff = (text = 0) => text > 0 && readEventValue(all[text - 1] as string) === undefined;
  for (let row = 0; row < records; row++) {
    const has = (dimension: Dimension) =>
      slotsOf.get(dimension)?.some(({ texts }) => texts[row] !== 0) === true;
    if (kinds[row] === EVENT && !has(flags[row] === READING ? "time" : "event"))
      return "has an event without a name";
    // A view's own marks are of no event.
    if (kinds[row] === EVENT && flags[row] !== 0 && flags[row] !== READING)
      return "has an event with marks of a view";
  }
  for (const [dimension, ofDimension] of slotsOf) {
    for (let row = 0; row < records; row++) {
      let values = 0;
      for (const { texts } of ofDimension) if (texts[row] !== 0) values++;
      if (values > mostValues(dimension)) return "has several values where a hit has one";
      if (dimension === "event_value" && ofDimension.some(({ texts }) => isOff(texts[row])))
        return "has an event that carries no number";
      if (values > 0 && kinds[row] === INTERACTION && !OF_INTERACTIONS.has(dimension))
        return "has an interaction with more than its latency";
    }
  }
  return undefined;
}
