import { parseDay } from "../../../../appliance/base/calendar.ts";
import type { SiteImport, UploadPreview } from "../../../../appliance/control/wire.ts";
import { rangeName } from "../../../shared/dates.ts";
import { counted } from "../../../shared/format.ts";

/** `3–9 Nov 2025` of two days like `2025-11-03`. */
export function daysName({ from, to }: { from: string; to: string }): string {
  return rangeName(parseDay(from) ?? 0, parseDay(to) ?? 0);
}

/** `90 views, 30 visitors, 36 sessions`, as far as they are known. */
export function totalsText({ views, visitors, sessions }: SiteImport["totals"]): string {
  return [
    ...(views === null ? [] : [counted(views, "view")]),
    ...(visitors === null ? [] : [counted(visitors, "visitor")]),
    ...(sessions === null ? [] : [counted(sessions, "session")]),
  ].join(", ");
}

type LeftOut = keyof UploadPreview["leftOut"];

const WHY: Readonly<Record<LeftOut, string>> = {
  counted: "on which something was counted here",
  after: "after the first one that was counted here: name them below to fill gaps",
  unnamed: "that you left out",
  today: "that are not over",
  retention: "older than this machine keeps: RETENTION_DAYS in its configuration says how many",
};

/** Sentences about what stays out. */
export function leftOutLines({ leftOut, notBrought }: UploadPreview): string[] {
  return [
    ...Object.entries(leftOut).map(([why, n]) => `${counted(n, "day")} ${WHY[why as LeftOut]}`),
    ...Object.entries(notBrought).map(([what, n]) => `${n.toLocaleString("en")} ${what}`),
  ];
}

/** The days that an import takes from others: their number, and a sentence. */
export function replacedBy({ replaces }: UploadPreview): { days: number; text: string } {
  const days = replaces.reduce((sum, one) => sum + one.days, 0);
  const names = replaces.map(({ name }) => name).join(", ");
  return { days, text: `${counted(days, "day")} of these came with ${names} before.` };
}
