import { type Day, formatDay } from "../calendar.ts";

const ENDINGS = { plausible: "zip", csv: "csv.gz", jsonl: "jsonl.gz" } as const;

export type ExportFormat = keyof typeof ENDINGS;

export const EXPORT_FORMATS: readonly ExportFormat[] = ["plausible", "csv", "jsonl"];

export function exportFormatOf(text: unknown): ExportFormat | undefined {
  return EXPORT_FORMATS.find((format) => format === text);
}

/** The name of a site's export: `blog_20260131.zip`. @param today the day on which it is made */
export function exportName(site: string, today: Day, format: ExportFormat): string {
  return `${site}_${formatDay(today).replaceAll("-", "")}.${ENDINGS[format]}`;
}
/** The mark by which Excel reads a CSV as UTF-8; other programs pass over it. */
export const BYTE_ORDER_MARK = "\ufeff";

/**
 * A text for a cell of a spreadsheet. Visitors choose such texts, and spreadsheets run one that begins like a formula, in
 * some languages also with the wide signs; an apostrophe makes them show it.
 */
export function harmless(text: string): string {
  return /^[=+\-@＝＋－＠\t\r\n]/.test(text) ? `'${text}` : text;
}
