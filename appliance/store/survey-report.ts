import type { SiteKey } from "./counting.ts";
import type { Connection } from "./database.ts";
import { type Day, formatDay } from "./day.ts";

/** A survey response as it is stored: validated, and without anything that was off its shape. */
export interface SurveyPayload {
  sv: number;
  v?: string;
  os?: string;
  ov?: string;
  /** Model ids, comma separated. */
  dv?: string;
  a?: Record<string, string | string[]>;
  c?: string;
  f?: "short";
}

/** By what responses are grouped: OS, model, app version, or form. */
export const CROSS_FIELDS = ["os", "dv", "v", "f"] as const;
export type CrossField = (typeof CROSS_FIELDS)[number];

/** Which responses; days are inclusive, null leaves that end open. */
export interface SurveyFilter {
  readonly site: SiteKey;
  readonly version: number;
  readonly from: Day | null;
  readonly to: Day | null;
}

/** Where a page of the export ended. */
export interface SurveyPosition {
  readonly day: Day;
  readonly row: number;
}

/** Question → option → responses. */
type OptionCounts = Record<string, Record<string, number>>;

interface Row {
  id: number;
  day: Day;
  payload: string;
}

/** The body of `/surveys` as JSON. */
export function surveySummary(
  db: Connection,
  { id, cross, ...filter }: SurveyFilter & { id: string; cross: CrossField },
): string {
  const counts: OptionCounts = Object.create(null);
  const groups: Record<string, { total: number; counts: OptionCounts }> = Object.create(null);
  const nps = { answered: 0, promoters: 0, detractors: 0 };
  const comments: { day: string; c: string }[] = [];
  let total = 0;
  let short = 0;

  for (const row of rowsAfter(db, filter, null, -1)) {
    const response = JSON.parse(row.payload) as SurveyPayload;
    total++;
    if (response.f === "short") short++;
    addAnswers(counts, response);
    for (const name of groupNames(response, cross)) {
      groups[name] ??= { total: 0, counts: Object.create(null) as OptionCounts };
      groups[name].total++;
      addAnswers(groups[name].counts, response);
    }
    addScore(nps, response.a?.nps);
    if (response.c !== undefined) comments.push({ day: formatDay(row.day), c: response.c });
  }

  const { answered, promoters, detractors } = nps;
  const score = answered === 0 ? null : Math.round(((promoters - detractors) / answered) * 100);
  return JSON.stringify({
    site: id,
    sv: filter.version,
    total,
    short,
    counts,
    // Adding 0 turns the -0 of a rounded small negative into 0.
    nps: { score: score === null ? null : score + 0, answered, promoters, detractors },
    cross,
    groups,
    comments: comments.reverse(),
  });
}

/** At most `limit` responses after `after`, oldest first, and where the next page begins. */
export function surveyPage(
  db: Connection,
  { after, limit, ...filter }: SurveyFilter & { after: SurveyPosition | null; limit: number },
): { responses: object[]; next: SurveyPosition | null } {
  // One more than asked tells whether another page follows.
  const rows = [...rowsAfter(db, filter, after, limit + 1)];
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    responses: page.map(({ day, payload }) => ({ day: formatDay(day), ...JSON.parse(payload) })),
    next: rows.length > limit && last ? { day: last.day, row: last.id } : null,
  };
}

function rowsAfter(
  db: Connection,
  { site, version, from, to }: SurveyFilter,
  after: SurveyPosition | null,
  limit: number,
): IterableIterator<Row> {
  return db
    .prepare(
      `SELECT id, day, payload FROM survey
       WHERE site = :site AND version = :version
         AND day BETWEEN :from AND :to AND (day, id) > (:day, :row)
       ORDER BY day, id LIMIT :limit`,
    )
    .iterate({
      site,
      version,
      from: from ?? 0,
      to: to ?? Number.MAX_SAFE_INTEGER,
      day: after?.day ?? -1,
      row: after?.row ?? 0,
      limit,
    }) as IterableIterator<Row>;
}

function groupNames(response: SurveyPayload, cross: CrossField): string[] {
  if (cross === "f") return [response.f ?? "full"];
  const value = response[cross];
  if (value === undefined) return ["unknown"];
  return cross === "dv" ? value.split(",") : [value];
}

function addAnswers(counts: OptionCounts, { a }: SurveyPayload): void {
  for (const [question, answer] of Object.entries(a ?? {})) {
    counts[question] ??= Object.create(null) as Record<string, number>;
    for (const option of [answer].flat())
      counts[question][option] = (counts[question][option] ?? 0) + 1;
  }
}

function addScore(
  nps: { answered: number; promoters: number; detractors: number },
  answer: string | string[] | undefined,
): void {
  if (typeof answer !== "string" || !/^(\d|10)$/.test(answer)) return;
  nps.answered++;
  if (Number(answer) >= 9) nps.promoters++;
  else if (Number(answer) <= 6) nps.detractors++;
}
