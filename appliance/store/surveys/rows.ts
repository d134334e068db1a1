import type { Day } from "../../base/calendar.ts";
import { bodyOf } from "../../base/documents.ts";
import { LAST_DAY } from "../blocks/month.ts";
import type { SiteKey } from "../counting.ts";
import { documentOfSite } from "../documents.ts";
import type { SurveyFilter, SurveyPosition } from "../queries.ts";
import type { SurveyLabels } from "../reports.ts";
import { SURVEY_LABELS } from "../sites/kinds.ts";
import type { Rows } from "../sql.ts";

interface StoredSurvey {
  readonly id: number;
  readonly day: Day;
  /** JSON. */
  readonly payload: string;
}

/** Responses of one version: how many, and the day of the last one. */
interface StoredVersion {
  readonly sv: number;
  readonly total: number;
  readonly last: Day;
}

/** Responses in memory at a time, a few megabytes at most. */
const PAGE = 500;

/** The responses of a database, for reports. Use it in one transaction. */
export class SurveyRows {
  readonly #rows: Rows;

  constructor(rows: Rows) {
    this.#rows = rows;
  }

  /** Visits all responses, oldest first. Holds a few at a time. */
  async each(filter: SurveyFilter, visit: (response: StoredSurvey) => void): Promise<void> {
    for (let after: SurveyPosition | null = null; ; ) {
      const page: readonly StoredSurvey[] = await this.page(filter, after, PAGE);
      for (const response of page) visit(response);
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) return;
      after = { day: last.day, row: last.id };
    }
  }

  /** The oldest responses after `after`, oldest first, at most `limit`. */
  page(
    { site, version, from, to }: SurveyFilter,
    after: SurveyPosition | null,
    limit: number,
  ): Promise<readonly StoredSurvey[]> {
    return this.#rows(
      `SELECT id, day, payload FROM survey
       WHERE site = $1 AND version = $2
         AND day BETWEEN $3 AND $4 AND (day, id) > (CAST($5 AS int), CAST($6 AS bigint))
       ORDER BY day, id LIMIT $7`,
      [site, version, from ?? 0, to ?? LAST_DAY, after?.day ?? -1, after?.row ?? 0, limit],
    );
  }

  /** The versions with the most responses, of equals the newer; at most `limit`. */
  versions(site: SiteKey, limit: number): Promise<readonly StoredVersion[]> {
    return this.#rows(
      `SELECT version AS sv, count(*) AS total, max(day) AS last FROM survey
       WHERE site = $1 GROUP BY version ORDER BY total DESC, version DESC LIMIT $2`,
      [site, limit],
    );
  }

  /** Whether there is any response. */
  async any(site: SiteKey): Promise<boolean> {
    return (await this.#rows("SELECT 1 FROM survey WHERE site = $1 LIMIT 1", [site])).length > 0;
  }

  /** None where the owner gave none, or a card has bent them. */
  async labels(site: SiteKey): Promise<SurveyLabels> {
    const body = await documentOfSite(this.#rows, site, SURVEY_LABELS.name);
    return (body !== null && bodyOf(SURVEY_LABELS, String(site), body)) || {};
  }
}
