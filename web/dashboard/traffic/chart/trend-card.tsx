import { useMemo, useState } from "preact/hooks";
import type { Mark } from "../../../../appliance/base/text/marks.ts";
import { rangeName, zoneNote } from "../../../shared/dates.ts";
import { whole as wholeText } from "../../../shared/format.ts";
import { Help } from "../../../shared/help.tsx";
import { keepChoice, loadChoice } from "../../../shared/token.ts";
import { Chooser } from "../../controls.tsx";
import { type Metric, metricName } from "../figures.ts";
import type { Shown } from "../shown.ts";
import { TrendChart } from "./trend-chart.tsx";
import {
  hourlyOf,
  isByThisHour,
  isOfHours,
  type Line,
  lineText,
  type Total,
  type Trend,
  trendOf,
  type Unit,
  unitsOf,
  usualUnit,
  withMarks,
} from "./trend-model.ts";

interface TrendCardProps
  extends Pick<
    Shown,
    | "history"
    | "range"
    | "compared"
    | "metric"
    | "unit"
    | "bots"
    | "toggleBots"
    | "now"
    | "change"
    | "onKept"
  > {
  marks: readonly Mark[];
  /** whether the lines are drawn; before, they have their room */
  isDrawn: boolean;
}

export function TrendCard(props: TrendCardProps) {
  const { history, range, compared, metric, unit, bots, toggleBots, now } = props;
  const { change, onKept, marks, isDrawn } = props;
  const [isTable, setTable] = useState(false);
  const [off, setOff] = useState(() => (loadChoice("lines-off") ?? "").split(","));
  const toggle = ({ key }: Line) => {
    // The line of bots has the same switch as the page.
    if (key === "bot") return toggleBots();
    const changed = off.includes(key) ? off.filter((one) => one !== key) : [...off, key];
    setOff(changed);
    onKept(keepChoice("lines-off", changed.join(",")));
  };
  const whole = useMemo(
    () => withMarks(trendOf(history, { range, compared, metric, unit, bots, now }), history, marks),
    [history, range, compared, metric, unit, bots, now, marks],
  );
  const isOn = ({ key, isOther }: Pick<Line, "key" | "isOther">) => !isOther || !off.includes(key);
  const trend = useMemo(
    () => ({ ...whole, lines: whole.lines.filter(isOn), totals: whole.totals.filter(isOn) }),
    [whole, off],
  );
  const units = unitsOf(history, { range, metric });
  const beforeName = compared ? rangeName(compared.from, compared.to) : "";
  const title = titleOf(trend, metric, history);
  return (
    <section class="card trend" aria-labelledby="trend-title">
      <header>
        <h2 id="trend-title">{title}</h2>
        <Help of="dashboard#the-chart" about="Chart" />
        <ul class="legend" aria-label="Lines of the chart">
          {whole.lines.map((line) => (
            <li key={line.key} class={line.key}>
              {line.isOther ? (
                <button
                  type="button"
                  class="other"
                  aria-pressed={isOn(line)}
                  title={isOn(line) ? "Hide this line" : "Show this line"}
                  onClick={() => toggle(line)}
                >
                  {line.name}
                </button>
              ) : (
                line.name
              )}
            </li>
          ))}
          {trend.totals.map((total) => (
            <li key={`${total.key} total`} class={`${total.key} total`}>
              {totalText(total)}
            </li>
          ))}
          {trend.before && <li class="before">{beforeName}</li>}
        </ul>
        {units.length > 1 && (
          <Chooser
            label="Show by"
            value={trend.unit}
            options={units.map((one) => [one, UNIT_NAMES[one].toLowerCase()])}
            onChoose={(one) => change({ unit: one === usualUnit(range) ? null : one })}
          />
        )}
        <button
          type="button"
          class="quiet"
          aria-pressed={isTable}
          onClick={() => setTable(!isTable)}
        >
          Table
        </button>
      </header>
      <div class="drawing" hidden={isTable}>
        <TrendChart {...{ title, trend, beforeName, metric, isDrawn }} />
      </div>
      <TrendTable trend={trend} beforeName={beforeName} isShown={isTable} />
      {metric === "events" && isOfHours(range) && (
        <p class="hint">
          Events are not kept by the hour: these are the fourteen days up to the one chosen.
        </p>
      )}
      {trend.unit === "hour" && hourlyOf(metric) !== metric && (
        <p class="hint">By the hour only counts are kept; choose two days or more for this one.</p>
      )}
    </section>
  );
}

const UNIT_NAMES: Readonly<Record<Unit, string>> = {
  hour: "Hour",
  day: "Day",
  week: "Week",
  month: "Month",
};

const totalText = ({ name, total }: Total): string => `${name} ${wholeText(total)} that day`;

function titleOf(trend: Trend, metric: Metric, { where, zone }: Shown["history"]): string {
  const charted = trend.unit === "hour" ? hourlyOf(metric) : metric;
  return `${metricName(charted, where)} by ${trend.unit}${zoneNote(zone)}`;
}

interface TrendTableProps {
  trend: Trend;
  beforeName: string;
  isShown: boolean;
}

const STATES = { whole: "", open: " (so far)", future: " (not yet)" };

/** The chart's twin: always there for screen readers, shown to everyone on demand. */
function TrendTable({ trend, beforeName, isShown }: TrendTableProps) {
  const { lines, before, buckets } = trend;
  return (
    <div class={isShown ? "scroll" : "offscreen"} tabIndex={isShown ? 0 : undefined}>
      <table class="figures">
        <caption class="offscreen">Trend</caption>
        <thead>
          <tr>
            <th scope="col">{UNIT_NAMES[trend.unit]}</th>
            {lines.map((line) => (
              <th scope="col" key={line.key}>
                {line.name}
              </th>
            ))}
            {before && <th scope="col">{beforeName}</th>}
          </tr>
        </thead>
        <tbody>
          {buckets.map((bucket, i) => (
            <tr key={bucket.name}>
              <th scope="row">
                {bucket.name}
                {STATES[bucket.state]}
                {bucket.marks?.map(({ text }) => (
                  <small key={text} class="mark">
                    {text}
                  </small>
                ))}
              </th>
              {lines.map((line) => (
                <td key={line.key}>{lineText(line, line.values[i])}</td>
              ))}
              {before && (
                <td>
                  {lineText(before, before.values[i])}
                  {isByThisHour(trend, i) && <small> by this hour</small>}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
