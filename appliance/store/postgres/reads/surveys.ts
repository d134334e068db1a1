import type { SiteKey } from "../../counting.ts";
import type { SurveyFilter, SurveyPosition } from "../../queries.ts";
import type { SurveyLabels } from "../../reports.ts";
import type { StoredSurvey, StoredVersion, SurveySource } from "../../surveys/source.ts";
import type { Sql } from "../connection/connection.ts";

/** So many are held at a time: some megabytes at most. */
const ROWS = 500;
const LAST_DAY = 2 ** 31 - 1;

/** The responses in a database, all read in one transaction. */
export class PostgresSurveys implements SurveySource {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async each(filter: SurveyFilter, visit: (response: StoredSurvey) => void): Promise<void> {
    for (let after: SurveyPosition | null = null; ; ) {
      const page: readonly StoredSurvey[] = await this.page(filter, after, ROWS);
      for (const response of page) visit(response);
      const last = page.at(-1);
      if (last === undefined || page.length < ROWS) return;
      after = { day: last.day, row: last.id };
    }
  }

  page(
    { site, version, from, to }: SurveyFilter,
    after: SurveyPosition | null,
    limit: number,
  ): Promise<StoredSurvey[]> {
    return this.#sql.rows(
      `SELECT id, day, payload FROM survey
       WHERE site = $1 AND version = $2
         AND day BETWEEN $3 AND $4 AND (day, id) > ($5::int, $6::bigint)
       ORDER BY day, id LIMIT $7`,
      [site, version, from ?? 0, to ?? LAST_DAY, after?.day ?? -1, after?.row ?? 0, limit],
    );
  }

  versions(site: SiteKey, limit: number): Promise<StoredVersion[]> {
    return this.#sql.rows(
      `SELECT version AS sv, count(*) AS total, max(day) AS last FROM survey
       WHERE site = $1 GROUP BY version ORDER BY total DESC, version DESC LIMIT $2`,
      [site, limit],
    );
  }

  async labels(site: SiteKey): Promise<SurveyLabels> {
    const [row] = await this.#sql.rows<{ labels: string }>(
      "SELECT labels FROM survey_labels WHERE site = $1",
      [site],
    );
    return row === undefined ? {} : (JSON.parse(row.labels) as SurveyLabels);
  }
}
