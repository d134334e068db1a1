import type { SiteKey } from "../../counting.ts";
import type { SurveyFilter, SurveyPosition } from "../../queries.ts";
import type { SurveyLabels } from "../../reports.ts";
import type { StoredSurvey, StoredVersion, SurveySource } from "../../surveys/source.ts";
import type { Database } from "../database.ts";

/** The responses in a file. To be asked in a transaction. */
export class SqliteSurveys implements SurveySource {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  each(filter: SurveyFilter, visit: (response: StoredSurvey) => void): void {
    for (const response of this.#after(filter, null, -1)) visit(response);
  }

  page(filter: SurveyFilter, after: SurveyPosition | null, limit: number): StoredSurvey[] {
    return [...this.#after(filter, after, limit)];
  }

  versions(site: SiteKey, limit: number): StoredVersion[] {
    return this.#db
      .prepare(
        `SELECT version AS sv, count(*) AS total, max(day) AS last FROM survey
         WHERE site = ? GROUP BY version ORDER BY total DESC, version DESC LIMIT ?`,
      )
      .all(site, limit) as StoredVersion[];
  }

  labels(site: SiteKey): SurveyLabels {
    const labels = this.#db
      .prepare("SELECT labels FROM survey_labels WHERE site = ?")
      .pluck()
      .get(site);
    return labels === undefined ? {} : (JSON.parse(labels as string) as SurveyLabels);
  }

  /** All where `limit` is below 0. */
  #after(
    { site, version, from, to }: SurveyFilter,
    after: SurveyPosition | null,
    limit: number,
  ): IterableIterator<StoredSurvey> {
    return this.#db
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
}
