import { Refusal } from "../base/refusal.ts";
import type { BatchData, CountGroup, SiteKey, Stamp, SurveyRow } from "./counting.ts";
import type { Increments } from "./counts/group.ts";
import { WaitingCounts } from "./waiting-counts.ts";

/** Surveys that may wait for a commit; more are refused. */
export const MAX_WAITING_SURVEYS = 256;
/** A commit holds about this much, so that neither its copy for the worker nor a retry is large. */
const SLICE_BYTES = 1024 * 1024;

/** Nothing was stored. */
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

/**
 * Hits that will share a commit, coalesced and bounded, with everybody who waits for it. A large
 * batch is committed in slices, and answered after the last.
 */
export class Batch {
  readonly #counts: WaitingCounts;
  /** What is being committed. */
  #slice: readonly CountGroup[] = [];
  /** What is being committed, in bytes. */
  #sliceBytes = 0;
  #wanted = false;
  #surveys: PendingSurvey[] = [];
  #withdraw: number[] = [];
  #withdrawOnCommit = false;
  readonly #releases: (() => void)[] = [];
  readonly #stored: Promise<void>;

  /** @param beside bytes that another batch holds of the memory for both */
  constructor(beside: () => number) {
    this.#counts = new WaitingCounts(beside);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#stored = promise;
    this.#releases.push(resolve);
  }

  /** Bytes of memory that its counts take, about. */
  get bytes(): number {
    return this.#counts.bytes + this.#sliceBytes;
  }

  /** Hits that are not committed. */
  get hits(): number {
    return this.#slice.reduce((sum, group) => sum + group.hits, this.#counts.hits);
  }

  /** Resolves when the hits of this batch may be answered. */
  get stored(): Promise<void> {
    return this.#stored;
  }

  /** True when a commit is due. */
  get wanted(): boolean {
    return this.#wanted;
  }

  add(site: SiteKey, stamp: Stamp, counts: Increments, view: boolean) {
    this.#counts.add(site, stamp, counts, view);
    this.#wanted = true;
  }

  /** @throws {Refusal} `storage_unavailable` when too many wait already */
  async addSurvey(row: SurveyRow): Promise<void> {
    if (this.#surveys.length >= MAX_WAITING_SURVEYS) throw storageUnavailable();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#surveys.push({ row, resolve, reject });
    this.#wanted = true;
    return promise;
  }

  /** Takes over what another batch could not commit, with those who wait for it. */
  absorb(other: Batch): void {
    this.#counts.absorb(other.#slice);
    this.#counts.absorb(other.#counts.take(Number.POSITIVE_INFINITY));
    this.#surveys.unshift(...(other.#withdrawOnCommit ? [] : other.#surveys));
    this.#withdraw.push(...other.#withdraw);
    this.#releases.push(...other.#releases);
    this.#wanted ||= other.#wanted;
  }

  /**
   * Answers everybody after the commit.
   * @param restOfDayMs tells how long the day still runs
   * @returns surveys to withdraw: their senders gave up
   */
  commit(surveyIds: readonly (number | null)[], restOfDayMs: () => number): readonly number[] {
    this.releaseHits();
    this.#surveys.forEach((survey, i) => {
      if (surveyIds[i] === null) survey.reject(surveysFull(restOfDayMs()));
      else survey.resolve();
    });
    return this.#withdrawOnCommit ? surveyIds.filter((id) => id !== null) : [];
  }

  /** Surveys to take back with this batch. */
  withdraw(surveyIds: readonly number[]): void {
    this.#withdraw.push(...surveyIds);
    this.#wanted ||= surveyIds.length > 0;
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
   * Takes out what the next commit is to hold; what was taken before is committed.
   * @param dated says whether a stamp names its hour by now; see Intake.
   */
  next(lowSpace: boolean, dated: (stamp: Stamp) => Stamp): BatchData {
    const before = this.#counts.bytes;
    this.#slice = this.#counts.take(SLICE_BYTES);
    this.#sliceBytes = before - this.#counts.bytes;
    // With the last slice, for that is when they are answered.
    const surveys = this.hasMore ? [] : this.#surveys;
    return {
      groups: this.#slice.map((group) => ({ ...group, stamp: dated(group.stamp) })),
      surveys: surveys.map(({ row }) => ({ ...row, stamp: dated(row.stamp) })),
      withdraw: this.hasMore ? [] : this.#withdraw,
      lowSpace,
    };
  }

  /** True when another commit has to follow. */
  get hasMore(): boolean {
    return !this.#counts.isEmpty;
  }
}
