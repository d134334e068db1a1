import { type DayRange, type History, seriesOf, valueByDay } from "../history.ts";
import { type Asked, wholeOf } from "./asked.ts";
import { addNumbers, bucketsOf, type Line, lineName, type Trend } from "./trend-model.ts";
import { valueLabel } from "./values.ts";

/** Values are not kept by the hour: of a single day there is only its place among others. */
const DAYS_UP_TO_ONE = 14;

const MAX_CHARACTERS = 40;

/** The days of the values asked for, with the whole they are a part of as a line behind them. */
export function askedTrend(
  history: History,
  { range, asked, now }: { range: DayRange; asked: Asked[]; now: number },
): Trend {
  const shown =
    range.from < range.to ? range : { from: range.to - DAYS_UP_TO_ONE + 1, to: range.to };
  const { unit, spans, buckets } = bucketsOf(shown, now);
  const inBuckets = (days: Float64Array) =>
    spans.map((span, i) => {
      if (buckets[i]?.state === "future") return null;
      return addNumbers(days.subarray(span.from - shown.from, span.to - shown.from + 1));
    });
  const lines = asked.map(
    (one): Line => ({
      key: `ask-${one.slot}`,
      name: shortened(valueLabel(one.dimension, one.value)),
      values: inBuckets(valueByDay(history, one, shown)),
    }),
  );
  const whole = wholeOf(asked[0]?.dimension ?? "");
  const values = inBuckets(seriesOf(history, whole, shown));
  const scale = scaleFor(values, lines);
  const name = `All ${lineName(whole).toLowerCase()}${scale === 1 ? "" : `, drawn at 1/${1 / scale}`}`;
  return { buckets, unit, lines, totals: [], before: { key: whole, name, values, scale } };
}

/** Its tile has the whole of a value; the chart has room for its beginning. */
function shortened(label: string): string {
  const characters = [...label];
  if (characters.length <= MAX_CHARACTERS) return label;
  return `${characters.slice(0, MAX_CHARACTERS - 1).join("")}…`;
}

/** A part in a hundred would be a flat line: the whole is made smaller, so that both have a shape. */
function scaleFor(whole: Line["values"], lines: Line[]): number {
  const most = (values: Line["values"]) => Math.max(0, ...values.map((value) => value ?? 0));
  const part = most(lines.flatMap(({ values }) => values));
  return part === 0 ? 1 : 1 / Math.max(1, Math.round(most(whole) / part));
}
