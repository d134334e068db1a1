import { formatDay } from "../../base/calendar.ts";
import { OTHER } from "../../base/names.ts";
import type { SurveyQuery, VersionsQuery } from "../queries.ts";
import { type Accepts, type Answer, makeAnswer } from "../reads/answer.ts";
import type { CrossField, SurveyPayload, SurveysAnswer, SurveyVersions } from "../reports.ts";
import type { SurveyRows } from "./rows.ts";

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
  surveys: SurveyRows,
  { query, accepts }: { query: SurveyQuery; accepts: Accepts },
): Promise<Answer> {
  const { filter, cross } = query;
  const choices = new Choices();
  const names = new TopValues(GROUPS_WATCHED);
  await surveys.each(filter, ({ payload }) => {
    const response = JSON.parse(payload) as SurveyPayload;
    choices.see(response);
    for (const name of groupNames(response, cross)) names.add(name);
  });
  const slots = choices.slots();
  const room = Math.min(MAX_GROUPS, Math.ceil(MAX_CELLS / slots.size));
  const tally = new SurveyTally(slots, names.top(room), cross);
  await surveys.each(filter, ({ day, payload }) =>
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
  surveys: SurveyRows,
  { query, accepts }: { query: VersionsQuery; accepts: Accepts },
): Promise<Answer> {
  const [versions, labels] = await Promise.all([
    surveys.versions(query.site, MAX_VERSIONS),
    surveys.labels(query.site),
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

/** The most questions, and options of each. The rest becomes OTHER. */
export const MAX_QUESTIONS = 200;
const MAX_OPTIONS = 200;
const QUESTIONS_WATCHED = 2_000;
const CHOICES_WATCHED = 20_000;

/** The questions and chosen options, found in a first pass over all responses. */
class Choices {
  readonly #questions = new TopValues(QUESTIONS_WATCHED);
  readonly #choices = new TopValues(CHOICES_WATCHED);

  see({ a = {} }: SurveyPayload): void {
    for (const [question, answer] of Object.entries(a)) {
      this.#questions.add(question);
      for (const option of [answer].flat()) this.#choices.add(`${question}\n${option}`);
    }
  }

  /** The questions and options that have a place in the report. */
  slots(): Slots {
    const options = new Map<string, string[]>();
    for (const question of this.#questions.top(MAX_QUESTIONS)) options.set(question, []);
    for (const choice of this.#choices.top(2 * CHOICES_WATCHED)) {
      const [question = "", option = ""] = choice.split("\n");
      options.get(question)?.push(option);
    }
    return new Slots(options);
  }
}

interface Question {
  readonly name: string;
  readonly slots: ReadonlyMap<string, number>;
  readonly other: number;
}

/** Gives each option of each question a place in a list of counts. */
class Slots {
  readonly #questions = new Map<string, Question>();
  readonly #other: Question;
  #size = 0;

  constructor(options: ReadonlyMap<string, readonly string[]>) {
    for (const [name, all] of options) this.#questions.set(name, this.#question(name, all));
    this.#other = this.#questions.get(OTHER) ?? this.#question(OTHER, []);
  }

  get size(): number {
    return this.#size;
  }

  /** The places of the choices of a response, each once. */
  of({ a = {} }: SurveyPayload): Set<number> {
    const places = new Set<number>();
    for (const [name, answer] of Object.entries(a)) {
      const question = this.#questions.get(name) ?? this.#other;
      for (const option of [answer].flat())
        places.add(question.slots.get(option) ?? question.other);
    }
    return places;
  }

  /**
   * `{question: {option: n}}` of a list of counts, without options that were never chosen, as JSON.
   */
  json(counts: Uint32Array): string {
    const questions = [...this.#questions.values(), this.#other].map(({ name, slots, other }) => {
      const options = [...slots, [OTHER, other] as const]
        .filter(([, place]) => (counts[place] ?? 0) > 0)
        .map(([option, place]) => `${JSON.stringify(option)}:${counts[place]}`);
      return options.length > 0 ? `${JSON.stringify(name)}:{${options.join()}}` : "";
    });
    return `{${questions.filter((question) => question !== "").join()}}`;
  }

  #question(name: string, options: readonly string[]): Question {
    const slots = new Map(
      options.slice(0, MAX_OPTIONS).map((option) => [option, this.#size++] as const),
    );
    return { name, slots, other: this.#size++ };
  }
}

/**
 * Finds the most frequent names in a stream of any length in bounded memory: with twice as many names as it keeps,
 * it drops the rarest, and among equals the oldest. A frequent name stays, whatever names are made up in between.
 * Counts are only good for comparing.
 */
class TopValues {
  readonly #kept: number;
  readonly #counts = new Map<string, number>();

  constructor(kept: number) {
    this.#kept = kept;
  }

  add(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    if (this.#counts.size < 2 * this.#kept) return;
    const stay = this.#highest(this.#kept);
    for (const known of this.#counts.keys()) if (!stay.has(known)) this.#counts.delete(known);
  }

  /** The most frequent names, in the order of first arrival. */
  top(limit: number): string[] {
    const highest = this.#highest(limit);
    return [...this.#counts.keys()].filter((name) => highest.has(name));
  }

  #highest(limit: number): ReadonlySet<string> {
    const counts = Uint32Array.from(this.#counts.values()).sort();
    const least = counts.at(-limit) ?? 0;
    let equals = limit - counts.filter((n) => n > least).length;
    const highest = new Set<string>();
    for (const [name, n] of [...this.#counts].reverse())
      if (n > least || (n === least && equals-- > 0)) highest.add(name);
    return highest;
  }
}
