import type { DayContent } from "../../store/desk.ts";

type Cell = string | number;

/** A line of a table: texts in quotes, numbers without. */
export function csvLine(cells: readonly Cell[]): string {
  const quoted = cells.map((cell) =>
    typeof cell === "number" ? `${cell}` : `"${cell.replaceAll('"', '""')}"`,
  );
  return `${quoted.join(",")}\n`;
}

export function sumOf({ counters }: DayContent, name: keyof DayContent["counters"]): number {
  return (counters[name] ?? []).reduce((sum, n) => sum + n, 0);
}
