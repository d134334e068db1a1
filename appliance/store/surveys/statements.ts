import { dayOf, HOUR_MS } from "../../base/calendar.ts";
import type { DayZone } from "../../base/day-zone.ts";
import { MAX_SURVEYS_PER_DAY, NOBODY, type SiteKey, type SurveyRow } from "../counting.ts";
import { maskedPayload } from "../counts/nobody.ts";
import type { Sql, Statement } from "../sql.ts";

/** The id of a new row; null where the database numbers its rows itself. */
type NewId = number | null;

/**
 * Stores a response. The second statement returns a row with its id where the site takes more on that day.
 * @param isThere whether a site exists; a response for another one is written like any other, so that the time of
 *   the answer shows nothing
 */
export function takeSurvey(
  { site: asked, stamp, version, payload: sent }: SurveyRow,
  id: NewId,
  isThere: (site: SiteKey) => boolean,
): readonly [count: Statement, add: Statement] {
  const day = dayOf("hour" in stamp ? stamp.hour * HOUR_MS : stamp.savedClock);
  const exists = asked !== NOBODY && isThere(asked);
  const site = exists ? asked : NOBODY;
  const payload = exists ? sent : maskedPayload(sent);
  const count: Statement = { text: SURVEY_OF_DAY, values: [asked, day] };
  if ("hour" in stamp)
    return [count, { text: SURVEY, values: [asked, day, id, site, version, payload] }];
  const { boot, at, savedClock } = stamp;
  const values = [asked, day, site, boot, at, savedClock, version, payload];
  return [count, { text: WAITING_SURVEY, values }];
}

/** Counts one too many, by which a later statement sees that there is. */
const SURVEY_OF_DAY = `
  INSERT INTO survey_day (site, day, n) VALUES ($1, $2, 1)
  ON CONFLICT (site, day) DO UPDATE
  SET n = survey_day.n + 1 WHERE survey_day.n <= ${MAX_SURVEYS_PER_DAY}`;

const IS_TAKEN = `FROM survey_day WHERE site = $1 AND day = $2 AND n <= ${MAX_SURVEYS_PER_DAY}`;

const SURVEY = `
  INSERT INTO survey (id, site, source, version, day, payload)
  SELECT CAST($3 AS bigint), CAST($4 AS int), (SELECT source FROM generation), CAST($5 AS bigint),
    day, CAST($6 AS text)
  ${IS_TAKEN} RETURNING id`;

const WAITING_SURVEY = `
  INSERT INTO waiting_survey (site, boot, at, saved_clock, version, payload)
  SELECT $3, $4, $5, $6, $7, $8 ${IS_TAKEN} RETURNING id`;

/** Deletes the numbers of responses of past days, which only limit a running day. @param today by an own day */
export function forgetSurveyDays(today: number): Statement {
  return { text: "DELETE FROM survey_day WHERE day < $1", values: [today - 1] };
}

/** Responses that are filed in a step, few enough to delay no hit. */
export const FILED_AT_ONCE = 100;

interface WaitingSurvey {
  readonly id: number;
  readonly site: SiteKey;
  readonly version: number;
  readonly payload: string;
  /** The boot's monotonic time, and the time of the unsure clock, in ms. */
  readonly at: number;
  readonly savedClock: number;
  /** Epoch ms at the boot's monotonic zero; null where that is not known. */
  readonly zero: number | null;
}

/** Columns of a response that waited, to which its `zero` is added. */
export const WAITED = 'waiting_survey.id, site, version, payload, at, saved_clock AS "savedClock"';

/**
 * Files responses under the day of their arrival.
 * @param due removes some responses that are due, and returns their columns
 * @returns false when there was none to file
 */
export async function fileSurveys(sql: Sql, due: Statement, zone: DayZone): Promise<boolean> {
  const rows = await sql.rows<WaitingSurvey>(due.text, due.values);
  const waited = rows.toSorted((a, b) => a.id - b.id);
  await sql.all(
    waited.map(({ site, version, payload, at, savedClock, zero }) => ({
      text: FILE,
      values: [site, version, zone.today(zero === null ? savedClock : zero + at), payload],
    })),
  );
  return rows.length > 0;
}

const FILE = `
  INSERT INTO survey (site, source, version, day, payload)
  SELECT key, (SELECT source FROM generation), $2, $3, $4 FROM site WHERE key = $1`;
