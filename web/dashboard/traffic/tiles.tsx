import { dayOf, hourName, hourOf } from "../../../appliance/base/calendar.ts";
import { TIMES } from "../../../appliance/base/reading.ts";
import { longDay, rangeName, weekdayAndDay } from "../../shared/dates.ts";
import { brief, NO_FIGURE, percent, whole } from "../../shared/format.ts";
import { type DayRange, hasApp } from "../history.ts";
import {
  addUp,
  type ComparedFigures,
  comparedFigures,
  delta,
  figureOf,
  figureText,
  gapsOf,
  METRIC_FACTS,
  type Metric,
  metricName,
  share,
  sumsByDay,
  whyUnknown,
} from "./figures.ts";
import type { Shown } from "./shown.ts";

type TilesProps = Pick<Shown, "history" | "range" | "compared" | "metric" | "now" | "change">;

const OF_PAGES =
  "Visitors of these pages, a day each: someone who looks at two of them counts twice.";

/** The figures that lead, in their order; and those in the strip beside or below them. */
const LEADING: readonly Metric[] = ["events", "uv", "pv", "sessions"];
const OTHERS: readonly Metric[] = [
  "viewsPerVisit",
  "bounceRate",
  "engagementRate",
  "returning",
  "interaction",
  "time",
  "app",
];

/** Figures that are shown where their dimension has any value. */
const LISTED: Partial<Record<Metric, string>> = { returning: "again", time: "time" };

/** The figures of the range with how they moved; the tile that is pressed is charted. */
export function Tiles({ history, range, compared: wanted, metric, now, change }: TilesProps) {
  const isOfPages = history.where.some(({ dimension }) => dimension === "path");
  const unknown = (name: Metric) => whyUnknown(history, name, range);
  const isShown = (name: Metric) =>
    name === "app"
      ? hasApp(history)
      : LISTED[name] !== undefined
        ? history.dimensions.has(LISTED[name])
        : name !== "events" || unknown(name) === null;
  const compared = wanted !== null && wanted.from >= history.first ? wanted : null;
  const figuresOf = (name: Metric) =>
    compared && unknown(name) === null
      ? comparedFigures(history, name, { range, compared, now })
      : null;
  const helpOf = (name: Metric) => {
    if (name === "uv" && isOfPages) return OF_PAGES;
    const { help } = METRIC_FACTS[name];
    if (name !== "time") return help;
    const sums = addUp(sumsByDay(history, range));
    const told = TIMES.reduce((all, one) => all + sums[one], 0);
    return `${help} ${percent(share(told, sums.pv) ?? 0)} of the views told it.`;
  };
  const leading = LEADING.filter(isShown);
  const tile = (name: Metric) => (
    <Tile
      key={name}
      metric={name}
      name={metricName(name, history.where)}
      unknown={unknown(name)}
      help={helpOf(name)}
      now={unknown(name) === null ? figureOf(history, name, range) : null}
      compared={figuresOf(name)}
      isCharted={metric === name}
      onPress={() => unknown(name) === null && change({ metric: name })}
    />
  );
  return (
    <section aria-label="Key figures">
      <div class="tiles" style={{ "--leading": leading.length }}>
        {leading.map(tile)}
        <div class="strip">
          {OTHERS.filter(isShown).map(tile)}
          <NowTile views={history.live} />
        </div>
      </div>
      {gapsOf(history, metric, range).map(({ from, to }) => (
        <p key={from} class="hint">
          {METRIC_FACTS[metric].name} of {rangeName(from, to)} are not known: they were imported
          from a tool that does not tell them.
        </p>
      ))}
      {wanted && <Baseline {...{ history, range, compared: wanted, now }} of={figuresOf(metric)} />}
    </section>
  );
}

/** The live views, which do not depend on the range, and are not in the chart. */
function NowTile({ views }: { views: number | null }) {
  const help =
    views === null
      ? "Of the last five minutes all views are known together, and none apart."
      : "Pages opened in the last five minutes. It is asked for every few seconds.";
  return (
    <div class="tile now" title={help}>
      <span class="name">Now</span>
      <span class="figure">{views === null ? NO_FIGURE : whole(views)}</span>
      <span class="was">views in 5 min</span>
    </div>
  );
}

interface BaselineProps extends Pick<Shown, "history" | "range" | "now"> {
  compared: DayRange;
  /** the charted figure; null where it is not compared */
  of: ComparedFigures | null;
}

/** The days that all figures are compared with, or why they are not. */
function Baseline({ history, range, compared, now, of }: BaselineProps) {
  const isDay = compared.from === compared.to;
  const name = (isDay ? weekdayAndDay : longDay)(compared.to);
  const days = isDay ? name : rangeName(compared.from, compared.to);
  if (compared.from < history.first)
    return (
      <p class="hint">
        Nothing is compared: counting began on {longDay(history.first)}, and not all of {days} was
        counted.
      </p>
    );
  const isOfTwo = range.hour !== undefined;
  const isRunning = range.to === dayOf(now);
  if (of === null && isRunning && (isDay || isOfTwo))
    return <p class="hint">Today is not compared: the hours of {days} are not known.</p>;
  if (of === null) return null;
  const hour = hourName(hourOf(now) + 1);
  return (
    <p class="hint">
      Compared with {isOfTwo && "the same hours of "}
      {days}
      {isRunning &&
        !isOfTwo &&
        !of.isWithoutToday &&
        `, ${isDay ? "" : "its last day "}by ${hour}:00`}
      .{of.isWithoutToday && ` Today is left out: the hours of ${name} are not known.`}
    </p>
  );
}

interface TileProps {
  metric: Metric;
  name: string;
  /** why there is no figure; null where there is one */
  unknown: string | null;
  help: string;
  now: number | null;
  /** null where nothing is compared */
  compared: ComparedFigures | null;
  isCharted: boolean;
  onPress: () => void;
}

function Tile({ metric, name, unknown, help, now, compared, isCharted, onPress }: TileProps) {
  const change = delta(metric, compared?.now ?? null, compared?.before ?? null);
  return (
    <button
      type="button"
      class={`tile ${metric}`}
      aria-pressed={isCharted}
      aria-disabled={unknown !== null}
      title={unknown ?? help}
      onClick={onPress}
    >
      <span class="name">{name}</span>
      <span class="figure">
        <Figure metric={metric} value={now} />
      </span>
      <span class={`delta ${change.verdict}`}>
        {change.verdict !== "none" && (
          <>
            {change.text}
            <span class="was">
              from <Figure metric={metric} value={compared?.before ?? null} />
            </span>
          </>
        )}
      </span>
    </button>
  );
}

/** The least count that is as wide as a tile of a phone. */
const WIDE = 1e7;

/** A figure that fits in a tile; one that is shortened for it is whole in its title. */
export function Figure({ metric, value }: { metric: Metric; value: number | null }) {
  if (value === null || value < WIDE) return <>{figureText(metric, value)}</>;
  return <span title={whole(value)}>{brief(value)}</span>;
}
