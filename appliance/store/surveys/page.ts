import { formatDay } from "../../base/calendar.ts";
import { type Accepts, type Answer, makeAnswer } from "../answer.ts";
import type { SurveyPageQuery } from "../queries.ts";
import type { ExportPage, SurveyPayload } from "../reports.ts";
import { sealCursor } from "./cursor.ts";
import type { SurveySource } from "./source.ts";

const PAGE_ROWS = 100;

/** The body of `/surveys/export`: the responses after `after`, oldest first. */
export async function surveyPage(
  source: SurveySource,
  { query, accepts }: { query: SurveyPageQuery; accepts: Accepts },
): Promise<Answer> {
  const { id, filter, after, secret } = query;
  // One more than a page tells whether another one follows.
  const rows = await source.page(filter, after, PAGE_ROWS + 1);
  const page = rows.slice(0, PAGE_ROWS);
  const last = page.at(-1);
  const cursor =
    rows.length > PAGE_ROWS && last
      ? sealCursor(secret, filter, { day: last.day, row: last.id })
      : null;
  const responses = page.map(({ day, payload }) => ({
    day: formatDay(day),
    // Those that were stored first left it out when it was empty.
    a: {},
    ...(JSON.parse(payload) as SurveyPayload),
  }));
  const body: ExportPage = { site: id, sv: filter.version, responses, cursor };
  return makeAnswer(JSON.stringify(body), accepts);
}
