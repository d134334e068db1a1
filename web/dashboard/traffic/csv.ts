import { formatDay } from "../../../appliance/base/calendar.ts";
import { sourceName } from "../../../appliance/base/text/source-name.ts";
import type { SiteSource } from "../../../appliance/collector/wire.ts";
import { type DayRange, type History, SERIES, seriesOf } from "../history.ts";
import { rowsOf } from "./breakdown-model.ts";

/**
 * One cell. Spreadsheets run a text that begins like a formula; a leading apostrophe makes them
 * show it instead. Quoted wherever a separator, quote or line break is inside (RFC 4180).
 */
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const line = (cells: string[]): string => `${cells.map(cell).join(",")}\r\n`;

/**
 * Every dimension of a range as `dimension,value,count`, bots always included, followed by each
 * counter day by day, as `<counter>_by_day,<day>,count`. Where one source is shown alone, each row
 * says which.
 */
export function toCsv(history: History, range: DayRange): string {
  const { only } = history;
  const source = only === null ? [] : [sourceName(only)];
  const lines = [line(["dimension", "value", "count", ...(only === null ? [] : ["source"])])];
  for (const dimension of history.dimensions.values()) {
    for (const row of rowsOf(dimension, history, range)) {
      lines.push(line([dimension.name, row.value, String(row.count), ...source]));
    }
  }
  for (const name of SERIES) {
    seriesOf(history, name, range).forEach((count, i) => {
      lines.push(line([`${name}_by_day`, formatDay(range.from + i), String(count), ...source]));
    });
  }
  return lines.join("");
}

/** `blog_2025-11-01_2025-11-20`, of one source `blog_source-2_2025-11-01_2025-11-20` */
export function exportName(site: string, range: DayRange, only: SiteSource | null): string {
  const source = only === null ? [] : [`source-${only.number}`];
  return [site, ...source, formatDay(range.from), formatDay(range.to)].join("_");
}
