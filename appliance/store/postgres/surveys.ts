import { dayOf, HOUR_MS } from "../../base/calendar.ts";
import type { Clock } from "../../base/clock.ts";
import {
  type BatchData,
  MAX_SURVEYS_PER_DAY,
  NOBODY,
  type SiteKey,
  type SurveyRow,
} from "../counting.ts";
import { maskedPayload } from "../counts/nobody.ts";
import type { Statement } from "../sql.ts";
import { numbers } from "./connection/numbers.ts";

/** Ids count from here, so that they stay exact as numbers for thirty years. */
const FIRST_ID_TIME = Date.UTC(2025, 0);
const IDS_PER_MS = 2 ** 13;

/** Draws ids: ascending, as the time does; no two nodes and no sequence have to agree on them. */
export class SurveyIds {
  readonly #clock: Pick<Clock, "now">;
  readonly #random: () => number;
  #last = 0;

  /** @param random 0–1 */
  constructor(clock: Pick<Clock, "now">, random: () => number) {
    this.#clock = clock;
    this.#random = random;
  }

  draw(): number {
    const ms = Math.max(0, this.#clock.now() - FIRST_ID_TIME);
    const drawn = Math.floor((ms + this.#random()) * IDS_PER_MS);
    this.#last = Math.max(this.#last + 1, drawn);
    return this.#last;
  }
}

/** Ids of responses: below zero they are of those that wait for the clock. */
type SurveyId = number;

interface SurveysOptions {
  /** Of each response, in order; the same however often they are sent. */
  readonly ids: readonly SurveyId[];
  /** Tells the sites that are there; others are written so that the time tells nothing. */
  readonly exists: (site: SiteKey) => boolean;
}

/**
 * The statements that write the responses of a batch, and take some back. Each response ends with a
 * statement that answers a row where the site still takes it on that day: see `takenIn`.
 */
export function surveyStatements(
  { surveys, withdraw }: Pick<BatchData, "surveys" | "withdraw">,
  options: SurveysOptions,
): Statement[] {
  return [
    ...withdrawals(withdraw),
    ...surveys.flatMap((survey, at) => statementsOf(survey, options.ids[at] ?? 0, options)),
  ];
}

/**
 * @param results of a transaction that ends with the statements of these responses
 * @returns for each its id, or null where the site takes no more that day
 */
export function takenIn(
  results: readonly (readonly object[])[],
  ids: readonly SurveyId[],
): (SurveyId | null)[] {
  const of = results.length - 2 * ids.length;
  return ids.map((id, at) => ((results[of + 2 * at + 1] ?? []).length > 0 ? id : null));
}

/** Answers the ids of those that are stored. */
export function storedOf(ids: readonly SurveyId[]): Statement {
  return {
    text: `SELECT id FROM survey WHERE id = ANY($1::bigint[])
           UNION ALL SELECT -id FROM waiting_survey WHERE id = ANY($2::bigint[])`,
    values: bySign(ids),
  };
}

function statementsOf(
  { site: asked, stamp, version, payload: sent }: SurveyRow,
  id: SurveyId,
  { exists: isThere }: SurveysOptions,
): Statement[] {
  const day = dayOf("hour" in stamp ? stamp.hour * HOUR_MS : stamp.savedClock);
  const exists = isThere(asked);
  const site = exists ? asked : NOBODY;
  const payload = exists ? sent : maskedPayload(sent);
  const count: Statement = { text: SURVEY_OF_DAY, values: [asked, day] };
  if ("hour" in stamp)
    return [count, { text: SURVEY, values: [asked, day, id, site, version, payload] }];
  const { boot, at, savedClock } = stamp;
  const values = [asked, day, -id, site, boot, at, savedClock, version, payload];
  return [count, { text: WAITING_SURVEY, values }];
}

function withdrawals(ids: readonly SurveyId[]): Statement[] {
  const [survey, waiting] = bySign(ids);
  return [
    { text: "DELETE FROM survey WHERE id = ANY($1::bigint[])", values: [survey] },
    { text: "DELETE FROM waiting_survey WHERE id = ANY($1::bigint[])", values: [waiting] },
  ].filter(({ values }) => values[0] !== "{}");
}

function bySign(ids: readonly SurveyId[]): [survey: string, waiting: string] {
  return [
    numbers(ids.filter((id) => id > 0)),
    numbers(ids.filter((id) => id < 0).map((id) => -id)),
  ];
}

const SURVEY_OF_DAY = `
  INSERT INTO survey_day (site, day, n) VALUES ($1, $2, 1)
  ON CONFLICT (site, day) DO UPDATE
  SET n = LEAST(survey_day.n + 1, ${MAX_SURVEYS_PER_DAY + 1})`;

const IS_TAKEN = `FROM survey_day
  WHERE site = $1::int AND day = $2::int AND n <= ${MAX_SURVEYS_PER_DAY}`;

const SURVEY = `
  INSERT INTO survey (id, site, source, version, day, payload)
  SELECT $3::bigint, $4::int, (SELECT source FROM generation), $5::bigint, $2::int, $6::text
  ${IS_TAKEN} RETURNING id`;

const WAITING_SURVEY = `
  INSERT INTO waiting_survey (id, site, boot, at, saved_clock, version, payload)
  SELECT $3::bigint, $4::int, $5::text, $6::bigint, $7::bigint, $8::bigint, $9::text ${IS_TAKEN}
  RETURNING id`;
