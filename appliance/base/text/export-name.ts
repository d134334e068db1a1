import { type Day, formatDay } from "../calendar.ts";

const ENDINGS = { plausible: "zip", csv: "csv.gz", jsonl: "jsonl.gz" } as const;

export type ExportFormat = keyof typeof ENDINGS;

/** The formats in which a site is exported. */
export const EXPORT_FORMATS: readonly ExportFormat[] = ["plausible", "csv", "jsonl"];

export function exportFormatOf(text: unknown): ExportFormat | undefined {
  return EXPORT_FORMATS.find((format) => format === text);
}

/** The name of a site's export: `blog_20260131.zip`. @param today the day on which it is made */
export function exportName(site: string, today: Day, format: ExportFormat): string {
  return `${site}_${formatDay(today).replaceAll("-", "")}.${ENDINGS[format]}`;
}
