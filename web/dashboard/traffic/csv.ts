import { formatDay } from "../../../appliance/base/calendar.ts";
import { conditionText } from "../../../appliance/base/text/condition.ts";
import { type CountsOf, countsOf, DIMENSIONS } from "../../../appliance/base/text/dimensions.ts";
import { harmless } from "../../../appliance/base/text/export-name.ts";
import { sourceName } from "../../../appliance/base/text/source-name.ts";
import { zoneNote } from "../../shared/dates.ts";
import { type DayRange, type History, isUntold, SERIES, seriesOf } from "../history.ts";
import { rowsOf } from "./breakdown-model.ts";

/** One cell, quoted wherever a separator, quote or line break is inside (RFC 4180). */
function cell(text: string): string {
  const safe = harmless(text);
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const line = (cells: string[]): string => `${cells.map(cell).join(",")}\r\n`;

/**
 * Every dimension of a range as `dimension,value,count,of`, bots included, followed by each counter by day, as
 * `<counter>_by_day,<day>,count,`; `of` is the kind of counts. Under conditions, with one source alone, or
 * where the zone of days is not that of the browser, each row names them.
 */
export function toCsv(history: History, range: DayRange): string {
  const { only, where, zone } = history;
  const more = [
    ...(zoneNote(zone) ? [["zone", zone] as const] : []),
    ...(only === null ? [] : [["source", sourceName(only)] as const]),
    ...(where.length === 0 ? [] : [["where", where.map(conditionText).join(" & ")] as const]),
  ];
  const heads = more.map(([head]) => head);
  const ends = more.map(([, end]) => end);
  const lines = [line(["dimension", "value", "count", "of", ...heads])];
  for (const dimension of history.dimensions.values()) {
    for (const row of rowsOf(dimension, history, range)) {
      const of = kindOf(dimension.name, history.of);
      lines.push(line([dimension.name, row.value, String(row.count), of, ...ends]));
    }
  }
  for (const name of SERIES) {
    seriesOf(history, name, range).forEach((count, i) => {
      const day = range.from + i;
      const text = isUntold(history, day, name) ? "" : String(count);
      lines.push(line([`${name}_by_day`, formatDay(day), text, "", ...ends]));
    });
  }
  return lines.join("");
}

/** The kind of counts that a list has; a counter has none. */
function kindOf(name: string, of: CountsOf): CountsOf | "" {
  const list = [...DIMENSIONS, "entry" as const].find((one) => one === name);
  if (list !== undefined) return countsOf(list, of);
  return name === "hour" || name === "dowhour" ? of : "";
}

/** The most characters of conditions in the name of a file; more would not help. */
const MAX_WHERE_CHARACTERS = 80;

/** `blog_2025-11-01_2025-11-20`, filtered of one source `blog_source-2_country-is-DE_2025-11-01_2025-11-20` */
export function exportName(
  { site, only, where }: Pick<History, "site" | "only" | "where">,
  range: DayRange,
): string {
  const source = only === null ? [] : [`source-${only.number}`];
  const asked = where
    .map(conditionText)
    .join("_")
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, "-");
  const days = [formatDay(range.from), formatDay(range.to)];
  return [site, ...source, [...asked].slice(0, MAX_WHERE_CHARACTERS).join(""), ...days]
    .filter((part) => part !== "")
    .join("_");
}
