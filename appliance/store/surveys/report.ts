import { formatDay } from "../../base/calendar.ts";
import { OTHER } from "../../base/names.ts";
import type { SurveyQuery, VersionsQuery } from "../queries.ts";
import { type Accepts, type Answer, makeAnswer } from "../reads/answer.ts";
import type { CrossField, SurveyPayload, SurveysAnswer, SurveyVersions } from "../reports.ts";
import { Choices, type Slots, TopValues } from "./answers.ts";
import type { SurveySource } from "./source.ts";

/** The most groups. The rest becomes OTHER. */
export const MAX_GROUPS = 200;
const GROUPS_WATCHED = 2_000;
/** The most cells, groups times options of all questions. Beyond it there are fewer groups. */
const MAX_CELLS = 400_000;
/** The newest comments of an answer. */
export const MAX_COMMENTS = 1_000;

/**
 * The body of `/surveys`. It passes over all responses twice, and holds none: first to find the most frequent
 * questions and options, then to count these.
 */
export async function surveySummary(
  source: SurveySource,
  { query, accepts }: { query: SurveyQuery; accepts: Accepts },
): Promise<Answer> {
  const { filter, cross } = query;
  const choices = new Choices();
  const names = new TopValues(GROUPS_WATCHED);
  await source.each(filter, ({ payload }) => {
    const response = JSON.parse(payload) as SurveyPayload;
    choices.see(response);
    for (const name of groupNames(response, cross)) names.add(name);
  });
  const slots = choices.slots();
  const room = Math.min(MAX_GROUPS, Math.ceil(MAX_CELLS / slots.size));
  const tally = new SurveyTally(slots, names.top(room), cross);
  await source.each(filter, ({ day, payload }) =>
    tally.add(formatDay(day), JSON.parse(payload) as SurveyPayload),
  );
  return makeAnswer(tally.json(query), accepts);
}

/** Counts of the responses of a group. */
class Group {
  total = 0;
  readonly counts: Uint32Array;

  constructor(size: number) {
    this.counts = new Uint32Array(size);
  }

  add(places: ReadonlySet<number>): void {
    this.total++;
    for (const place of places) this.counts[place] = (this.counts[place] ?? 0) + 1;
  }
}

class SurveyTally {
  readonly #slots: Slots;
  readonly #cross: CrossField;
  readonly #all: Group;
  readonly #groups: ReadonlyMap<string, Group>;
  readonly #otherGroup: Group;
  readonly #nps = { answered: 0, promoters: 0, detractors: 0 };
  readonly #comments: SurveysAnswer["comments"] = [];
  #short = 0;

  constructor(slots: Slots, groups: readonly string[], cross: CrossField) {
    this.#slots = slots;
    this.#cross = cross;
    this.#all = new Group(slots.size);
    this.#otherGroup = new Group(slots.size);
    this.#groups = new Map(groups.map((name) => [name, new Group(slots.size)]));
  }

  add(day: string, response: SurveyPayload): void {
    const places = this.#slots.of(response);
    this.#all.add(places);
    if (response.f === "short") this.#short++;
    const groups = groupNames(response, this.#cross).map(
      (name) => this.#groups.get(name) ?? this.#otherGroup,
    );
    for (const group of new Set(groups)) group.add(places);
    this.#addScore(response.a?.nps);
    if (response.c === undefined) return;
    this.#comments.push({ day, c: response.c });
    if (this.#comments.length >= 2 * MAX_COMMENTS) this.#comments.splice(0, MAX_COMMENTS);
  }

  json({ id, filter, cross }: SurveyQuery): string {
    const { answered, promoters, detractors } = this.#nps;
    const score = answered === 0 ? null : Math.round(((promoters - detractors) / answered) * 100);
    const groups = [...this.#groups, [OTHER, this.#otherGroup] as const]
      .filter(([, { total }]) => total > 0)
      .map(
        ([name, { total, counts }]) =>
          `${JSON.stringify(name)}:{"total":${total},"counts":${this.#slots.json(counts)}}`,
      );
    const parts = {
      site: JSON.stringify(id),
      sv: filter.version,
      total: this.#all.total,
      short: this.#short,
      counts: this.#slots.json(this.#all.counts),
      nps: JSON.stringify({
        score,
        answered,
        promoters,
        detractors,
      } satisfies SurveysAnswer["nps"]),
      cross: JSON.stringify(cross),
      groups: `{${groups.join()}}`,
      comments: JSON.stringify(this.#comments.slice(-MAX_COMMENTS).reverse()),
    } satisfies Record<keyof SurveysAnswer, string | number>;
    const members = Object.entries(parts).map(([name, json]) => `${JSON.stringify(name)}:${json}`);
    return `{${members.join()}}`;
  }

  #addScore(answer: string | string[] | undefined): void {
    if (typeof answer !== "string" || !/^(\d|10)$/.test(answer)) return;
    this.#nps.answered++;
    if (Number(answer) >= 9) this.#nps.promoters++;
    else if (Number(answer) <= 6) this.#nps.detractors++;
  }
}

function groupNames(response: SurveyPayload, cross: CrossField): string[] {
  if (cross === "f") return [response.f ?? "full"];
  const value = response[cross];
  if (value === undefined) return ["unknown"];
  return cross === "dv" ? value.split(",") : [value];
}

/** The most versions, those with the most responses. A version is named by the sender. */
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
