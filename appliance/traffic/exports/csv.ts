import { harmless } from "../../base/text/export-name.ts";
import type { DayContent } from "../../store/desk.ts";
import type { ExportedSite } from "./site.ts";
import { csvLine, sumOf } from "./tables.ts";

const COLUMNS = ["day", "dimension", "value", "views", "visitors", "sessions"];
/** Counters that are no column, in rows of their own. */
const COUNTERS = ["bounce", "engaged", "app", "crawler", "synthetic"] as const;

/** One flat table: a row for each day in all, and for each value of each dimension on it. */
export async function* csvExport(
  site: ExportedSite,
  onShare: (share: number) => void,
): AsyncGenerator<string> {
  yield csvLine(COLUMNS);
  for await (const { day, content, share } of site.days()) {
    onShare(share);
    yield rowsOf(day, content);
  }
}

function rowsOf(day: string, content: DayContent): string {
  const [pv, uv, sessions] = (["pv", "uv", "sessions"] as const).map((name) =>
    sumOf(content, name),
  );
  const lines = [csvLine([day, "all", "", pv ?? 0, uv ?? 0, sessions ?? 0])];
  for (const name of COUNTERS) {
    const n = sumOf(content, name);
    if (n > 0) lines.push(csvLine([day, name, "", n, 0, 0]));
  }
  for (const [dimension, rows] of Object.entries(content.values))
    for (const [text, ...counts] of rows)
      lines.push(csvLine([day, dimension, harmless(text), ...counts]));
  return lines.join("");
}
