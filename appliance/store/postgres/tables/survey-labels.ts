import type { SiteKey } from "../../counting.ts";
import type { SurveyLabels } from "../../reports.ts";
import type { Sql } from "../connection/connection.ts";

/** The labels of a site's surveys; none where the owner gave none. */
export async function surveyLabels(sql: Sql, { site }: { site: SiteKey }): Promise<SurveyLabels> {
  const [row] = await sql.rows<{ labels: string }>(
    "SELECT labels FROM survey_labels WHERE site = $1",
    [site],
  );
  return row === undefined ? {} : (JSON.parse(row.labels) as SurveyLabels);
}
