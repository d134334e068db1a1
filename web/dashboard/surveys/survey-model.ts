import { entryOf } from "../../../appliance/base/input/json.ts";
import { OTHER } from "../../../appliance/base/names.ts";
import type {
  CrossField,
  SurveyLabels,
  SurveysAnswer,
  SurveyVersions,
} from "../../../appliance/traffic/collector/wire.ts";
import { percent, whole } from "../../shared/format.ts";

export const CROSS_NAMES: Record<CrossField, string> = {
  os: "System",
  dv: "Model",
  v: "App version",
  f: "Form",
};

interface OptionRow {
  option: string;
  /** the owner's name for it; its id where there is none */
  name: string;
  count: number;
  /** of all responses, 0–1 */
  share: number;
}

export interface SurveyQuestion {
  id: string;
  /** as of an option */
  name: string;
  answers: number;
  options: OptionRow[];
}

/** With fewer responses, one more or less would move a percentage by over five points. */
export const FEW = 20;
/** A version is in use with this share of the responses of the most frequent one. */
const IN_USE = 0.1;

/** The text beside a count for its part of a whole: `12.5%`, and of a small whole `of 3`. */
export function partText(count: number, all: number): string {
  return all < FEW ? `of ${whole(all)}` : percent(count / all);
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

/**
 * The questions and the options that were chosen; where several may be chosen, the shares pass 100
 * % together.
 */
export function questionsOf(
  { sv, counts, total }: SurveysAnswer,
  labels: SurveyLabels = {},
): SurveyQuestion[] {
  const questions = entryOf(labels, String(sv)) ?? {};
  return Object.entries(counts).map(([id, table]) => {
    const label = entryOf(questions, id);
    const options = Object.entries(table).map(([option, count]) => ({
      option,
      name: entryOf(label?.options ?? {}, option) ?? option,
      count,
      share: count / total,
    }));
    return { id, name: label?.name ?? id, answers: sum(table), options: ordered(options) };
  });
}

interface CrossTable {
  groups: { name: string; total: number }[];
  /** a row per option, a cell per group */
  rows: { option: string; name: string; cells: { count: number; share: number }[] }[];
}

/** One question by group; shares are of the group's responses. */
export function crossTable(survey: SurveysAnswer, question: SurveyQuestion): CrossTable {
  const groups = Object.entries(survey.groups)
    .map(([name, { total, counts }]) => {
      const table = new Map(Object.entries(counts[question.id] ?? {}));
      return { name, total, table };
    })
    .sort((a, b) => otherLast(a.name, b.name) || b.total - a.total || (a.name < b.name ? -1 : 1));
  return {
    groups: groups.map(({ name, total }) => ({ name, total })),
    rows: question.options.map(({ option, name }) => ({
      option,
      name,
      cells: groups.map(({ table, total }) => {
        const count = table.get(option) ?? 0;
        return { count, share: count / total };
      }),
    })),
  };
}

/**
 * The version that is shown unless another is chosen: the newest that is in use. Every client may
 * post a response of any version, so a few of a high one are not enough.
 */
export function versionInUse(versions: SurveyVersions["versions"]): number {
  const most = Math.max(0, ...versions.map(({ total }) => total));
  return versions.find(({ total }) => total >= IN_USE * most)?.sv ?? 1;
}
