import { dayOf, HOUR_MS } from "../../base/calendar.ts";
import {
  type BatchData,
  type CountGroup,
  MAX_SURVEYS_PER_DAY,
  NOBODY,
  type SurveyRow,
} from "../counting.ts";
import { groupsOf, isCounter, type Waiting, waitingCounts } from "../counts/group.ts";
import { masked, maskedPayload } from "../counts/nobody.ts";
import { Columns, numbers } from "./columns.ts";
import type { Statement } from "./connection.ts";
import { type DayTally, Tallies } from "./tally.ts";
import type { IdOf } from "./values/values.ts";

type Unsure = Extract<CountGroup["stamp"], { boot: string }>;
type Exists = (site: number) => boolean;

/** A batch as it is written: what is counted by day, and what waits for the clock. */
export class BatchRows {
  readonly tallies: readonly DayTally[];
  readonly #batch: BatchData;
  readonly #waiting = new Columns<[number, number, string, number, number, number, string]>();
  readonly #node: number;
  readonly #exists: Exists;

  /** @param exists tells the sites that are there; others are written so that the time tells nothing */
  constructor(batch: BatchData, node: number, exists: Exists) {
    this.#batch = batch;
    this.#node = node;
    this.#exists = exists;
    const tallies = new Tallies();
    for (const sent of batch.log.flatMap(groupsOf)) {
      // Nobody's are masked already.
      const group = exists(sent.site) || sent.site === NOBODY ? sent : masked(sent);
      if ("hour" in group.stamp) tallies.add(group, group.stamp.hour);
      else this.#wait(group, group.stamp);
    }
    this.tallies = tallies.all();
  }

  /** What it takes to write all of it. Surveys have the ids drawn for them, in order. */
  statements(idOf: IdOf, surveyIds: readonly number[]): Statement[] {
    return [
      ...countStatements(this.#node, this.tallies, idOf),
      ...(this.#waiting.size > 0 ? [{ text: WAIT, values: this.#waiting.values() }] : []),
      ...withdrawals(this.#batch.withdraw),
      ...this.#batch.surveys.flatMap((survey, at) => this.#survey(survey, surveyIds[at] ?? 0)),
    ];
  }

  #wait(group: CountGroup, { boot, at, savedClock }: Unsure): void {
    const data = JSON.stringify(waitingCounts(group));
    this.#waiting.add(group.site, this.#node, boot, at, savedClock, group.hits, data);
  }

  /** The last of them answers a row where the site still takes responses on that day. */
  #survey({ site: asked, stamp, version, payload: sent }: SurveyRow, id: number): Statement[] {
    const day = dayOf("hour" in stamp ? stamp.hour * HOUR_MS : stamp.savedClock);
    const exists = this.#exists(asked);
    const site = exists ? asked : NOBODY;
    const payload = exists ? sent : maskedPayload(sent);
    const count: Statement = { text: SURVEY_OF_DAY, values: [asked, day] };
    if ("hour" in stamp)
      return [count, { text: SURVEY, values: [asked, day, id, site, version, payload] }];
    const data: Waiting = { kind: "survey", version, payload };
    const { boot, at, savedClock } = stamp;
    const values = [asked, day, -id, site, this.#node, boot, at, savedClock, JSON.stringify(data)];
    return [count, { text: WAITING_SURVEY, values }];
  }
}

/** What it takes to add tallies to what a node has counted. */
export function countStatements(
  node: number,
  tallies: readonly DayTally[],
  idOf: IdOf,
): Statement[] {
  const counts = new Columns<[number, number, number, number]>();
  const totals = new Columns<[number, string, number, number]>();
  for (const tally of tallies) {
    const { site, day } = tally;
    // Several values may be counted as OTHER, and a statement must not meet a row twice.
    const byId = new Map<number, number>();
    for (const [dimension, values] of tally.counts) {
      let sum = 0;
      for (const [text, n] of values) {
        const id = idOf(tally, dimension, text);
        byId.set(id, (byId.get(id) ?? 0) + n);
        sum += n;
      }
      if (isCounter(dimension)) totals.add(site, dimension, day, sum);
    }
    for (const [id, n] of byId) counts.add(site, day, id, n);
  }
  return [
    ...(counts.size > 0 ? [{ text: COUNT, values: [node, ...counts.values()] }] : []),
    ...(totals.size > 0 ? [{ text: DAY_TOTAL, values: [node, ...totals.values()] }] : []),
  ];
}

/** Below zero it is one that waits for the clock. */
function withdrawals(ids: readonly number[]): Statement[] {
  const of = (list: number[]) => [numbers(list)];
  return [
    {
      text: "DELETE FROM survey WHERE id = ANY($1::bigint[])",
      values: of(ids.filter((id) => id > 0)),
    },
    {
      text: "DELETE FROM waiting WHERE id = ANY($1::bigint[])",
      values: of(ids.filter((id) => id < 0).map((id) => -id)),
    },
  ].filter(({ values }) => values[0] !== "{}");
}

export const COUNT = `
  INSERT INTO count (site, day, node, value, n)
  SELECT site, day, $1::bigint, value, n
  FROM unnest($2::int[], $3::int[], $4::bigint[], $5::bigint[]) AS w (site, day, value, n)
  ON CONFLICT (site, day, node, value) DO UPDATE SET n = count.n + excluded.n`;

export const DAY_TOTAL = `
  INSERT INTO day_total (site, counter, day, node, n)
  SELECT site, counter, day, $1::bigint, n
  FROM unnest($2::int[], $3::text[], $4::int[], $5::bigint[]) AS w (site, counter, day, n)
  ON CONFLICT (site, counter, day, node) DO UPDATE SET n = day_total.n + excluded.n`;

const WAIT = `
  INSERT INTO waiting (site, node, boot, at, saved_clock, hits, data)
  SELECT * FROM unnest($1::int[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::text[])`;

const SURVEY_OF_DAY = `
  INSERT INTO survey_day (site, day, n) VALUES ($1, $2, 1)
  ON CONFLICT (site, day) DO UPDATE
  SET n = LEAST(survey_day.n + 1, ${MAX_SURVEYS_PER_DAY + 1})`;

const IS_TAKEN = `FROM survey_day
  WHERE site = $1::int AND day = $2::int AND n <= ${MAX_SURVEYS_PER_DAY}`;

const SURVEY = `
  INSERT INTO survey (id, site, version, day, payload)
  SELECT $3::bigint, $4::int, $5::bigint, $2::int, $6::text ${IS_TAKEN} RETURNING id`;

const WAITING_SURVEY = `
  INSERT INTO waiting (id, site, node, boot, at, saved_clock, hits, data)
  SELECT $3::bigint, $4::int, $5::bigint, $6::text, $7::bigint, $8::bigint, 0, $9::text ${IS_TAKEN}
  RETURNING id`;
