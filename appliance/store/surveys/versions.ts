import { formatDay } from "../../base/calendar.ts";
import { type Accepts, type Answer, makeAnswer } from "../answer.ts";
import type { VersionsQuery } from "../queries.ts";
import type { SurveyVersions } from "../reports.ts";
import type { SurveySource } from "./source.ts";

/** The sender of a response names its version: so many with the most responses are told. */
export const MAX_VERSIONS = 100;

/** The body of `/surveys/versions`. */
export async function surveyVersions(
  source: SurveySource,
  { query, accepts }: { query: VersionsQuery; accepts: Accepts },
): Promise<Answer> {
  const [versions, labels] = await Promise.all([
    source.versions(query.site, MAX_VERSIONS),
    source.labels(query.site),
  ]);
  const body: SurveyVersions = {
    site: query.id,
    versions: [...versions]
      .sort((a, b) => b.sv - a.sv)
      .map(({ sv, total, last }) => ({ sv, total, last: formatDay(last) })),
    labels,
  };
  return makeAnswer(JSON.stringify(body), accepts);
}
