import { COUNTABLE } from "../../base/bounds.ts";
import { firstDayOf } from "../blocks/month.ts";
import type { SoundRules } from "../blocks/sound.ts";
import { type Batch, decodeBatch } from "../log/batch.ts";
import { flawOfBatch } from "../log/flaw.ts";
import { isShortText, isTime, LAST_MONTH } from "./values.ts";

/** The rules that counts from elsewhere are judged by. */
export interface CountRules extends SoundRules {
  /** Of all that is counted. */
  readonly sum: Sum;
}

const SECOND_MS = 1_000;
export const NOT_OURS = "not as Tallydeck writes it";

/** Sums up what is counted in all that comes from elsewhere. */
export class Sum {
  #sum = 0;
  readonly #most: number;

  constructor(most: number = COUNTABLE.together) {
    this.#most = most;
  }

  /** @returns false once it is more than can be counted */
  add(n: number): boolean {
    this.#sum += n;
    return this.#sum <= this.#most;
  }
}

/**
 * A batch that a stranger may have made.
 * @throws as `refuse` where no hits could have made it
 */
export function soundBatch(body: Uint8Array, { refuse }: CountRules): Batch {
  let batch: Batch;
  try {
    batch = decodeBatch(body);
  } catch (error) {
    if (error instanceof RangeError) return refuse(NOT_OURS);
    throw error;
  }
  const { undated, moments, texts } = batch;
  const lastHour = 24 * firstDayOf(LAST_MONTH + 1) - 1;
  // Those of a batch that is not dated are seconds of a clock that began at its zero.
  const isMoment = (moment: number) =>
    undated === undefined
      ? moment <= lastHour
      : isTime(Math.round(undated.savedZero) + moment * SECOND_MS);
  if (!texts.every(isShortText) || !moments.every(isMoment)) refuse(NOT_OURS);
  const flaw = flawOfBatch(batch);
  if (flaw !== undefined) refuse(`a batch that ${flaw}`);
  return batch;
}
