import { Refusal } from "../../base/refusal.ts";
import type { BatchData, Stamp, SurveyRow } from "../counting.ts";

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
  #surveys: PendingSurvey[] = [];
  #withdraw: number[] = [];
  #withdrawOnCommit = false;
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

  /** Whether it has surveys to store, or to take back. */
  get wanted(): boolean {
    return this.#surveys.length + this.#withdraw.length > 0;
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
    this.#surveys.unshift(...(other.#withdrawOnCommit ? [] : other.#surveys));
    this.#withdraw.push(...other.#withdraw);
    this.#releases.push(...other.#releases);
  }

  /**
   * Answers all requests after the commit.
   * @param restOfDayMs milliseconds until the day ends
   * @returns ids of surveys to withdraw, since their senders gave up
   */
  commit(surveyIds: readonly (number | null)[], restOfDayMs: () => number): readonly number[] {
    this.releaseHits();
    this.#surveys.forEach((survey, i) => {
      if (surveyIds[i] === null) survey.reject(surveysFull(restOfDayMs()));
      else survey.resolve();
    });
    return this.#withdrawOnCommit ? surveyIds.filter((id) => id !== null) : [];
  }

  /** Surveys to take back with this group. */
  withdraw(surveyIds: readonly number[]): void {
    this.#withdraw.push(...surveyIds);
  }

  /** Lets hits be answered before they are stored. */
  releaseHits(): void {
    for (const resolve of this.#releases.splice(0)) resolve();
  }

  /** Refuses the surveys; those a worker is already committing are withdrawn if it succeeds. */
  refuseSurveys({ inFlight }: { inFlight: boolean }): void {
    for (const survey of this.#surveys) survey.reject(storageUnavailable());
    if (inFlight) this.#withdrawOnCommit = true;
    else this.#surveys = [];
  }

  /**
   * The surveys of the group for a commit, and those to take back.
   * @param dated says whether a stamp names its hour by now; see Intake.
   */
  data(dated: (stamp: Stamp) => Stamp): Pick<BatchData, "surveys" | "withdraw"> {
    return {
      surveys: this.#surveys.map(({ row }) => ({ ...row, stamp: dated(row.stamp) })),
      withdraw: this.#withdraw,
    };
  }
}
