import { type DayRange, type Dimension, type History, sumByValue } from "../history.ts";
import { breakdownDimensions, type DimensionFacts, valueName } from "./dimensions.ts";

export interface Row {
  value: string;
  /** what the value is called, where its stored form is a code */
  name: string | null;
  count: number;
  /** of the dimension's total in the range, 0–1 */
  share: number;
  /** name and value in lower case, for the filter */
  search: string;
}

export interface Breakdown extends DimensionFacts {
  total: number;
  /** every value counted in the range, most frequent first */
  rows: Row[];
}

/** Every dimension with something counted in a range. */
export function breakdownsOf(history: History, range: DayRange): Breakdown[] {
  return breakdownDimensions(history.dimensions.keys()).flatMap((facts) => {
    const dimension = history.dimensions.get(facts.name);
    const rows = dimension ? rowsOf(dimension, history, range) : [];
    const total = rows.reduce((sum, row) => sum + row.count, 0);
    for (const row of rows) row.share = row.count / total;
    return rows.length === 0 ? [] : [{ ...facts, total, rows }];
  });
}

/** Rows of one dimension with their counts in a range; shares are left at 0. */
export function rowsOf(dimension: Dimension, history: History, range: DayRange): Row[] {
  const sums = sumByValue(dimension, history, range);
  const rows: Row[] = [];
  sums.forEach((count, i) => {
    if (count === 0) return;
    const value = dimension.values[i] ?? "";
    const name = valueName(dimension.name, value);
    const search = (name === null ? value : `${name}\n${value}`).toLowerCase();
    rows.push({ value, name, count, share: 0, search });
  });
  return rows.sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
}

/** The breakdowns with the rows that hold the text anywhere; those without a match are gone. */
export function filtered(breakdowns: Breakdown[], text: string): Breakdown[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return breakdowns;
  return breakdowns.flatMap((breakdown) => {
    const rows = breakdown.rows.filter((row) => row.search.includes(wanted));
    return rows.length === 0 ? [] : [{ ...breakdown, rows }];
  });
}

/** Where a value leads, when it is the address of a web page or site. */
export function linkOf(value: string): string | null {
  if (!/^https?:\/\/[^\s/]/i.test(value)) return null;
  return URL.canParse(value) ? value : null;
}
