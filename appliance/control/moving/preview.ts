import { type Day, formatDay, parseDay } from "../../base/calendar.ts";
import type { ImportTotals, UploadPreview } from "./upload-view.ts";

type DayCounts = Readonly<Record<string, number>>;

/** The answer of `tallydeck import --json`. */
interface ImportAnswer extends Pick<UploadPreview, "format" | "zone" | "isZoneGuessed"> {
  readonly days: Readonly<Record<string, DayCounts>>;
  readonly notBrought: Record<string, number>;
  readonly notes: string[];
  readonly leftOut: UploadPreview["leftOut"];
  readonly replaces: UploadPreview["replaces"];
  readonly brings: readonly string[];
  readonly fresh: number;
}

/** @param input is of our own command line */
export function previewOf(input: unknown): UploadPreview {
  const answer = input as ImportAnswer;
  const { format, zone, isZoneGuessed, notBrought, notes, leftOut, replaces, fresh } = answer;
  const days = new Map(
    Object.entries(answer.days).map(([day, counts]) => [parseDay(day) as Day, counts]),
  );
  const [first = 0, last = 0] = [Math.min(...days.keys()), Math.max(...days.keys())];
  const [from, to] = [answer.brings[0], answer.brings.at(-1)];
  return {
    format,
    zone,
    isZoneGuessed,
    notBrought,
    notes,
    leftOut,
    replaces,
    from: formatDay(first),
    to: formatDay(last),
    days: days.size,
    totals: totalsOf([...days.values()].map((counts) => new Map(Object.entries(counts)))),
    perDay: Array.from({ length: last - first + 1 }, (_, at) => {
      const counts = days.get(first + at);
      return counts?.pv ?? counts?.sessions ?? 0;
    }),
    brings:
      from === undefined || to === undefined
        ? null
        : { from, to, days: answer.brings.length, fresh },
  };
}

/** The sums of days, by counter. */
export function totalsOf(days: readonly ReadonlyMap<string, number>[]): ImportTotals {
  const sum = (counter: string) =>
    days.reduce((all, counts) => all + (counts.get(counter) ?? 0), 0) || null;
  return { views: sum("pv"), visitors: sum("uv"), sessions: sum("sessions") };
}
