import type { Day } from "../../base/calendar.ts";
import type { SiteKey } from "../counting.ts";
import type { Soon } from "../counts/source.ts";
import type { SurveyFilter, SurveyPosition } from "../queries.ts";
import type { SurveyLabels } from "../reports.ts";

export interface StoredSurvey {
  readonly id: number;
  readonly day: Day;
  /** JSON. */
  readonly payload: string;
}

/** Responses of one version: how many, and the day of the last one. */
export interface StoredVersion {
  readonly sv: number;
  readonly total: number;
  readonly last: Day;
}

/** The responses of an engine, as reports ask for them; all of one moment. */
export interface SurveySource {
  /** Visits all responses, oldest first. Holds a few at a time. */
  each(filter: SurveyFilter, visit: (response: StoredSurvey) => void): Soon<void>;
  /** The oldest responses after `after`, oldest first, at most `limit`. */
  page(
    filter: SurveyFilter,
    after: SurveyPosition | null,
    limit: number,
  ): Soon<readonly StoredSurvey[]>;
  /** The versions with the most responses, of equals the newer; at most `limit`. */
  versions(site: SiteKey, limit: number): Soon<readonly StoredVersion[]>;
  /** None where the owner gave none. */
  labels(site: SiteKey): Soon<SurveyLabels>;
}
