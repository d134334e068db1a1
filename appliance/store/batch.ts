import {
  type BatchData,
  type CountGroup,
  FIXED_DIMENSIONS,
  MAX_VALUES_PER_DAY,
  OTHER,
  type SiteKey,
  type Stamp,
  type SurveyRow,
} from "./counting.ts";

/** Bounds what waits in memory while nothing can be stored; see Batch. */
export const MAX_WAITING_VALUES = 100_000;
export const MAX_WAITING_GROUPS = 2_000;

/** Why a survey was not stored. */
export class StorageUnavailable extends Error {
  constructor() {
    super("Nothing can be stored at the moment. Try again in a few minutes.");
  }
}

interface PendingSurvey {
  readonly row: SurveyRow;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/**
 * Hits that will share a transaction, coalesced, with everybody who waits for its commit. Bounded:
 * past MAX_WAITING_VALUES new values count as OTHER, past MAX_WAITING_GROUPS a new hour joins the
 * one before.
 */
export class Batch {
  readonly #groups = new Map<SiteKey, Map<number, CountGroup>>();
  #lastGroup: CountGroup | undefined;
  #lastKey = Number.NaN;
  #groupCount = 0;
  #valueCount = 0;
  #wanted = false;
  #surveys: PendingSurvey[] = [];
  #withdraw: number[] = [];
  #withdrawOnCommit = false;
  readonly #settled: (() => void)[] = [];
  readonly #stored: Promise<void>;

  constructor() {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#stored = promise;
    this.#settled.push(resolve);
  }

  /** Resolves when the hits of this batch may be answered. */
  get stored(): Promise<void> {
    return this.#stored;
  }

  /** True when a commit is due. */
  get wanted(): boolean {
    return this.#wanted;
  }

  /** Asks for a commit though nothing may be there to write. */
  want(): void {
    this.#wanted = true;
  }

  add(site: SiteKey, stamp: Stamp, counts: readonly (readonly [string, string])[], view: boolean) {
    const group = this.#group(site, stamp);
    group.hits++;
    if (view) group.views++;
    for (const [dimension, value] of counts) this.#add(group, dimension, value, 1);
    this.#wanted = true;
  }

  addSurvey(row: SurveyRow): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#surveys.push({ row, resolve, reject });
    this.#wanted = true;
    return promise;
  }

  /** Takes over what another batch could not commit, with those who wait for it. */
  absorb(other: Batch): void {
    for (const groups of other.#groups.values())
      for (const group of groups.values()) {
        const mine = this.#group(group.site, group.stamp);
        mine.hits += group.hits;
        mine.views += group.views;
        for (const [dimension, values] of group.counts)
          for (const [value, n] of values) this.#add(mine, dimension, value, n);
      }
    this.#surveys.unshift(...(other.#withdrawOnCommit ? [] : other.#surveys));
    this.#withdraw.push(...other.#withdraw);
    this.#settled.push(...other.#settled);
    this.#wanted ||= other.#wanted;
  }

  /** Answers everybody after the commit. @returns surveys to withdraw: their senders gave up. */
  commit(surveyIds: readonly number[]): readonly number[] {
    this.releaseHits();
    for (const survey of this.#surveys) survey.resolve();
    return this.#withdrawOnCommit ? surveyIds : [];
  }

  /** Surveys to take back with this batch. */
  withdraw(surveyIds: readonly number[]): void {
    this.#withdraw.push(...surveyIds);
    this.#wanted ||= surveyIds.length > 0;
  }

  /** Lets hits be answered before they are stored. */
  releaseHits(): void {
    for (const resolve of this.#settled.splice(0)) resolve();
  }

  /** Refuses the surveys; those a worker is already committing are withdrawn if it succeeds. */
  refuseSurveys({ inFlight }: { inFlight: boolean }): void {
    for (const survey of this.#surveys) survey.reject(new StorageUnavailable());
    if (inFlight) this.#withdrawOnCommit = true;
    else this.#surveys = [];
  }

  /** @param settle says whether a stamp names its hour by now; see Intake. */
  data(lowSpace: boolean, settle: (stamp: Stamp) => Stamp): BatchData {
    return {
      groups: [...this.#groups.values()].flatMap((groups) =>
        [...groups.values()].map((group) => ({ ...group, stamp: settle(group.stamp) })),
      ),
      surveys: this.#surveys.map(({ row }) => ({ ...row, stamp: settle(row.stamp) })),
      withdraw: this.#withdraw,
      lowSpace,
    };
  }

  #group(site: SiteKey, stamp: Stamp): CountGroup {
    // Unsure stamps share a group by second: close enough to name the hour, and they coalesce.
    const key = "hour" in stamp ? stamp.hour : -1 - Math.floor(stamp.at / 1_000);
    if (this.#lastGroup?.site === site && this.#lastKey === key) return this.#lastGroup;
    let groups = this.#groups.get(site);
    if (groups === undefined) {
      groups = new Map();
      this.#groups.set(site, groups);
    }
    let group = groups.get(key);
    if (group === undefined && this.#groupCount >= MAX_WAITING_GROUPS)
      group = [...groups.values()].at(-1);
    if (group === undefined) {
      group = { site, stamp, hits: 0, views: 0, counts: new Map() };
      groups.set(key, group);
      this.#groupCount++;
    }
    this.#lastGroup = group;
    this.#lastKey = key;
    return group;
  }

  #add(group: CountGroup, dimension: string, value: string, n: number): void {
    let values = group.counts.get(dimension);
    if (values === undefined) {
      values = new Map();
      group.counts.set(dimension, values);
    }
    const before = values.get(value);
    if (before !== undefined) {
      values.set(value, before + n);
      return;
    }
    const room = values.size < MAX_VALUES_PER_DAY && this.#valueCount < MAX_WAITING_VALUES;
    if (!room && value !== OTHER && !FIXED_DIMENSIONS.has(dimension)) {
      this.#add(group, dimension, OTHER, n);
      return;
    }
    values.set(value, n);
    this.#valueCount++;
  }
}
