import { Refusal } from "../../base/refusal.ts";
import type { Stamp, SurveyRow } from "../counting.ts";

/** Surveys that may wait for a commit; more are refused. */
export const MAX_WAITING_SURVEYS = 256;

/** The refusal when nothing was stored. */
export function storageUnavailable(): Refusal {
  return new Refusal(
    "storage_unavailable",
    "Nothing can be stored at the moment. Try again in a few minutes.",
  );
}

/** The site has taken all survey responses that it takes on a day; how long it still runs. */
function surveysFull(restOfDayMs: number): Refusal {
  return new Refusal(
    "surveys_full",
    "This site has taken all the responses that it takes on one day. Try again tomorrow.",
    { retryAfter: restOfDayMs / 1_000 },
  );
}

interface PendingSurvey {
  readonly row: SurveyRow;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Surveys that share a commit, and the requests that wait for it, those of hits included. */
export class CommitGroup {
  readonly #surveys: PendingSurvey[] = [];
  readonly #releases: (() => void)[] = [];
  readonly #stored: Promise<void>;

  constructor() {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#stored = promise;
    this.#releases.push(resolve);
  }

  /** Resolves when the hits of this group may be answered. */
  get stored(): Promise<void> {
    return this.#stored;
  }

  /** Whether it has surveys to store. */
  get wanted(): boolean {
    return this.#surveys.length > 0;
  }

  /** @throws {Refusal} `storage_unavailable` when too many wait already */
  async addSurvey(row: SurveyRow): Promise<void> {
    if (this.#surveys.length >= MAX_WAITING_SURVEYS) throw storageUnavailable();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#surveys.push({ row, resolve, reject });
    return promise;
  }

  /** Takes over the surveys and waiting requests of a group that could not be committed. */
  absorb(other: CommitGroup): void {
    this.#surveys.unshift(...other.#surveys);
    this.#releases.push(...other.#releases);
  }

  /**
   * Answers all requests after the commit.
   * @param taken whether each survey was taken
   * @param restOfDayMs milliseconds until the day ends
   */
  commit(taken: readonly boolean[], restOfDayMs: () => number): void {
    this.releaseHits();
    this.#surveys.forEach((survey, i) => {
      if (taken[i]) survey.resolve();
      else survey.reject(surveysFull(restOfDayMs()));
    });
  }

  /** Lets hits be answered before they are stored. */
  releaseHits(): void {
    for (const resolve of this.#releases.splice(0)) resolve();
  }

  /** Refuses the surveys. One that a worker is committing may be stored all the same. */
  refuseSurveys(): void {
    for (const { reject } of this.#surveys.splice(0)) reject(storageUnavailable());
  }

  /**
   * The surveys of the group for a commit.
   * @param dated says whether a stamp names its hour by now; see Intake.
   */
  rows(dated: (stamp: Stamp) => Stamp): SurveyRow[] {
    return this.#surveys.map(({ row }) => ({ ...row, stamp: dated(row.stamp) }));
  }
}
