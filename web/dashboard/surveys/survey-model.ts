import { OTHER } from "../../../appliance/base/names.ts";
import type { CrossField, SurveysAnswer } from "../../../appliance/collector/wire.ts";

export const CROSS_NAMES: Record<CrossField, string> = {
  os: "System",
  dv: "Model",
  v: "App version",
  f: "Form",
};

interface OptionRow {
  option: string;
  count: number;
  /** of all responses, 0–1 */
  share: number;
}

export interface Question {
  id: string;
  answers: number;
  options: OptionRow[];
}

const sum = (counts: Record<string, number>): number =>
  Object.values(counts).reduce((total, n) => total + n, 0);

/** Numbers stand in their order, words by how often they were chosen, and all others last. */
function ordered(options: OptionRow[]): OptionRow[] {
  const isScale = options.every(({ option }) => option === OTHER || /^\d+$/.test(option));
  return options.sort(
    (a, b) =>
      otherLast(a.option, b.option) ||
      (isScale
        ? Number(a.option) - Number(b.option)
        : b.count - a.count || (a.option < b.option ? -1 : 1)),
  );
}

function otherLast(a: string, b: string): number {
  return Number(a === OTHER) - Number(b === OTHER);
}

/** What was asked and chosen; who may choose several options makes shares that pass 100 % together. */
export function questionsOf({ counts, total }: SurveysAnswer): Question[] {
  return Object.entries(counts).map(([id, table]) => {
    const options = Object.entries(table).map(([option, count]) => ({
      option,
      count,
      share: count / total,
    }));
    return { id, answers: sum(table), options: ordered(options) };
  });
}

interface CrossTable {
  groups: { name: string; total: number }[];
  /** a row per option, a cell per group */
  rows: { option: string; cells: { count: number; share: number }[] }[];
}

/** One question by group; shares are of the group's responses. */
export function crossTable(survey: SurveysAnswer, question: Question): CrossTable {
  const groups = Object.entries(survey.groups)
    .map(([name, { total, counts }]) => {
      const table = new Map(Object.entries(counts[question.id] ?? {}));
      return { name, total, table };
    })
    .sort((a, b) => otherLast(a.name, b.name) || b.total - a.total || (a.name < b.name ? -1 : 1));
  return {
    groups: groups.map(({ name, total }) => ({ name, total })),
    rows: question.options.map(({ option }) => ({
      option,
      cells: groups.map(({ table, total }) => {
        const count = table.get(option) ?? 0;
        return { count, share: count / total };
      }),
    })),
  };
}
