import type { Day } from "../../../base/calendar.ts";
import type { SurveyFilter, SurveyPosition } from "../../queries.ts";
import type { Database } from "../database.ts";

interface StoredSurvey {
  readonly id: number;
  readonly day: Day;
  readonly payload: string;
}

/** Responses after `after`, oldest first, at most `limit` of them; all where that is below 0. */
export function surveyRows(
  db: Database,
  { site, version, from, to }: SurveyFilter,
  after: SurveyPosition | null,
  limit: number,
): IterableIterator<StoredSurvey> {
  return db
    .prepare(
      `SELECT id, day, payload FROM survey
       WHERE site = :site AND version = :version
         AND day BETWEEN :from AND :to AND (day, id) > (:day, :row)
       ORDER BY day, id LIMIT :limit`,
    )
    .iterate({
      site,
      version,
      from: from ?? 0,
      to: to ?? Number.MAX_SAFE_INTEGER,
      day: after?.day ?? -1,
      row: after?.row ?? 0,
      limit,
    }) as IterableIterator<StoredSurvey>;
}
