interface Row {
  readonly measure: string;
  readonly result: string;
  /** Empty for a result without a goal. */
  readonly goal: string;
  readonly verdict: string;
}

/** Findings of a part. Each line is printed at once, and each figure again in the table at the end. */
export class Report {
  readonly part: string;
  readonly rows: Row[] = [];
  /** The reasons that the part has failed, in sentences. */
  readonly problems: string[] = [];

  constructor(part: string) {
    this.part = part;
    console.log(`${part} ...`);
  }

  figure(measure: string, result: string | number): void {
    this.#add({ measure, result: `${result}`, goal: "", verdict: "" });
  }

  /** A figure that should be so small; one that is larger is no failure. */
  atMost(measure: string, value: number, unit: string, limit: number): void {
    this.#goal(measure, value, unit, `<= ${limit}`, value <= limit);
  }

  /** A figure that should be so large. */
  atLeast(measure: string, value: number, unit: string, limit: number): void {
    this.#goal(measure, value, unit, `>= ${limit}`, value >= limit);
  }

  /** A line beside the figures, which the table leaves out. */
  note(line: string): void {
    console.log(`  ${line}`);
  }

  problem(sentence: string): void {
    this.problems.push(sentence);
    this.note(sentence);
  }

  #goal(measure: string, value: number, unit: string, goal: string, isMet: boolean): void {
    this.#add({
      measure,
      result: `${value.toFixed(value < 10 ? 2 : 0)} ${unit}`.trim(),
      goal: `${goal} ${unit}`.trim(),
      verdict: isMet ? "met" : "missed",
    });
  }

  #add(row: Row): void {
    this.rows.push(row);
    this.note(`${row.measure}: ${row.result}`);
  }
}

/** The figures as a table in Markdown, then the problems. */
export function summaryOf(reports: readonly Report[]): string {
  const rows = reports.flatMap(({ part, rows }) => rows.map((row) => ({ part, ...row })));
  const hasGoals = rows.some(({ goal }) => goal !== "");
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const head = ["part", "measure", "result", ...(hasGoals ? ["goal", ""] : [])];
  const problems = reports.flatMap(({ part, problems }) =>
    problems.map((problem) => `${part}: ${problem}`),
  );
  return [
    ...(rows.length > 0 ? [line(head), `|${"---|".repeat(head.length)}`] : []),
    ...rows.map(({ part, measure, result, goal, verdict }) =>
      line([part, measure, result, ...(hasGoals ? [goal, verdict] : [])]),
    ),
    ...problems.map((problem) => `\n${problem}`),
  ].join("\n");
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** The value that `share` of them do not exceed; NaN of none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
