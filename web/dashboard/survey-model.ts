import type { AnswerCounts, CrossKey, SurveysAnswer } from "../shared/wire.ts";

export const CROSS_NAMES: Record<CrossKey, string> = {
  os: "System",
  dv: "Model",
  v: "App version",
  f: "Form",
};

export interface OptionRow {
  option: string;
  count: number;
  /** of all answers to the question, 0–1 */
  share: number;
}

export interface Question {
  id: string;
  answers: number;
  options: OptionRow[];
}

const sum = (counts: Record<string, number>): number =>
  Object.values(counts).reduce((total, n) => total + n, 0);

/** Numbers stand in their order, words by how often they were chosen. */
function ordered(options: OptionRow[]): OptionRow[] {
  const isScale = options.every(({ option }) => /^\d+$/.test(option));
  return options.sort((a, b) =>
    isScale
      ? Number(a.option) - Number(b.option)
      : b.count - a.count || (a.option < b.option ? -1 : 1),
  );
}

export function questionsOf(counts: AnswerCounts): Question[] {
  return Object.entries(counts).map(([id, table]) => {
    const answers = sum(table);
    const options = Object.entries(table).map(([option, count]) => ({
      option,
      count,
      share: count / answers,
    }));
    return { id, answers, options: ordered(options) };
  });
}

export interface CrossTable {
  groups: { name: string; total: number; answers: number }[];
  /** a row per option, a cell per group */
  rows: { option: string; cells: { count: number; share: number }[] }[];
}

/** One question by group; shares are of the group's answers to it. */
export function crossTable(survey: SurveysAnswer, question: Question): CrossTable {
  const groups = Object.entries(survey.groups)
    .map(([name, { total, counts }]) => {
      const table = new Map(Object.entries(counts[question.id] ?? {}));
      return { name, total, table, answers: [...table.values()].reduce((all, n) => all + n, 0) };
    })
    .sort((a, b) => b.total - a.total || (a.name < b.name ? -1 : 1));
  return {
    groups: groups.map(({ name, total, answers }) => ({ name, total, answers })),
    rows: question.options.map(({ option }) => ({
      option,
      cells: groups.map(({ table, answers }) => {
        const count = table.get(option) ?? 0;
        return { count, share: answers > 0 ? count / answers : 0 };
      }),
    })),
  };
}
