import type { SiteKey } from "../../counting.ts";
import type { SurveyLabels } from "../../reports.ts";
import type { Database } from "../database.ts";

/** The labels of a site's surveys; none where the owner gave none. */
export function surveyLabels(db: Database, { site }: { site: SiteKey }): SurveyLabels {
  const json = db.prepare("SELECT labels FROM survey_labels WHERE site = ?").pluck().get(site);
  return json === undefined ? {} : (JSON.parse(json as string) as SurveyLabels);
}

/** Takes the place of the labels before. */
export function saveSurveyLabels(db: Database, site: SiteKey, labels: SurveyLabels): void {
  db.prepare(
    `INSERT INTO survey_labels (site, labels) VALUES (?, ?)
     ON CONFLICT DO UPDATE SET labels = excluded.labels`,
  ).run(site, JSON.stringify(labels));
}

export function removeSurveyLabels(db: Database, site: SiteKey): void {
  db.prepare("DELETE FROM survey_labels WHERE site = ?").run(site);
}
