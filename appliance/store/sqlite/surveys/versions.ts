import { type Day, formatDay } from "../../../base/calendar.ts";
import { type Accepts, type Answer, makeAnswer } from "../../answer.ts";
import type { VersionsQuery } from "../../queries.ts";
import type { SurveyVersions } from "../../reports.ts";
import type { Database } from "../database.ts";
import { surveyLabels } from "../tables/survey-labels.ts";

/** Whoever posts a response names its version: so many with the most responses are told. */
export const MAX_VERSIONS = 100;

/** The body of `/surveys/versions`. */
export function surveyVersions(
  db: Database,
  { query, accepts }: { query: VersionsQuery; accepts: Accepts },
): Answer {
  const rows = db
    .prepare(
      `SELECT version AS sv, count(*) AS total, max(day) AS last FROM survey
       WHERE site = ? GROUP BY version ORDER BY total DESC, version DESC LIMIT ?`,
    )
    .all(query.site, MAX_VERSIONS) as { sv: number; total: number; last: Day }[];
  const body: SurveyVersions = {
    site: query.id,
    versions: rows
      .sort((a, b) => b.sv - a.sv)
      .map(({ sv, total, last }) => ({ sv, total, last: formatDay(last) })),
    labels: surveyLabels(db, query),
  };
  return makeAnswer(JSON.stringify(body), accepts);
}
