import { OTHER } from "../../base/names.ts";
import type { SurveyPayload } from "../reports.ts";

/** The most questions, and options of each. The rest becomes OTHER. */
export const MAX_QUESTIONS = 200;
const MAX_OPTIONS = 200;
const QUESTIONS_WATCHED = 2_000;
const CHOICES_WATCHED = 20_000;

/** The questions and chosen options, found in a first pass over all responses. */
export class Choices {
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
export class Slots {
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
export class TopValues {
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
