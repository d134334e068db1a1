import { rangeName } from "../../shared/dates.ts";
import { NO_FIGURE, percent, ratio, whole } from "../../shared/format.ts";
import { type DayRange, type History, seriesOf, valueByDay } from "../history.ts";
import type { ChangeView } from "../use-view.ts";
import { type Asked, isAsked, toggleAsked, wholeOf } from "./asked.ts";
import { titleOf } from "./dimensions.ts";
import { delta, share } from "./figures.ts";
import { addNumbers, lineName } from "./trend-model.ts";
import type { Star } from "./use-stars.ts";
import { valueLabel } from "./values.ts";

interface ValueTilesProps {
  history: History;
  range: DayRange;
  compared: DayRange | null;
  asked: Asked[];
  stars: Star[];
  change: ChangeView;
  toggleStar: (star: Star) => void;
}

/** A tile for every value that has a star or is in the chart; pressed, its days are charted. */
export function ValueTiles(props: ValueTilesProps) {
  const { asked, stars, change } = props;
  const unstarred = asked.filter(({ dimension, value }) =>
    stars.every((star) => star.dimension !== dimension || star.value !== value),
  );
  const values: Star[] = [...stars, ...unstarred];
  if (values.length === 0) return null;
  return (
    <section aria-label="Values" class="values">
      {asked.length > 0 && (
        <p class="asked-line" role="status">
          The chart shows {asked.length > 1 ? `${asked.length} values` : "one value"} against all{" "}
          {lineName(wholeOf(asked[0]?.dimension ?? "")).toLowerCase()}.{" "}
          <button type="button" class="quiet" onClick={() => change({ asked: [] })}>
            All traffic <kbd>Esc</kbd>
          </button>
        </p>
      )}
      <div class="value-tiles">
        {values.map((star) => (
          <ValueTile key={`${star.dimension}:${star.value}`} {...props} star={star} />
        ))}
      </div>
    </section>
  );
}

function ValueTile({ star, ...props }: ValueTilesProps & { star: Star }) {
  const { history, range, compared, asked, stars, change, toggleStar } = props;
  const { dimension, value } = star;
  const slot = asked.find((one) => isAsked(one, dimension, value))?.slot;
  const isStarred = stars.some((one) => one.dimension === dimension && one.value === value);
  const label = valueLabel(dimension, value);
  const count = countOf(history, star, range);
  const { change: moved, days } = movedOf(history, star, range, compared);
  return (
    <div class={`tile value-tile ${slot === undefined ? "" : `asked ask-${slot}`}`}>
      <button
        type="button"
        class="press"
        aria-pressed={slot !== undefined}
        title={`${value}\n${days}`.trim()}
        onClick={() => change({ asked: toggleAsked(asked, dimension, value) })}
      >
        <small class="dimension-name">{titleOf(dimension)}</small>
        <span class="name" dir="auto">
          {label}
        </span>
        <span class="figure">{whole(count)}</span>
        <span class={`delta ${moved.verdict}`}>
          {moved.text}
          <span class="was">{partOf(history, dimension, count, range)}</span>
        </span>
      </button>
      <button
        type="button"
        class="quiet star"
        aria-pressed={isStarred}
        aria-label={`Star ${value}`}
        title={isStarred ? "Take the tile away" : "Keep the tile"}
        onClick={() => toggleStar(star)}
      >
        {isStarred ? "★" : "☆"}
      </button>
    </div>
  );
}

const countOf = (history: History, star: Star, range: DayRange): number =>
  addNumbers(valueByDay(history, star, range));

/**
 * How a value moved. Its hours are not known, so a day that is not over is left out on both sides,
 * or it would always seem to fall.
 */
function movedOf(history: History, star: Star, range: DayRange, compared: DayRange | null) {
  if (!compared) return { change: delta("pv", null, null), days: "" };
  const open = Math.max(0, range.to - history.last + 1);
  const now = { from: range.from, to: range.to - open };
  const before = { from: compared.from, to: compared.to - open };
  if (now.to < now.from || before.from < history.first) {
    return { change: delta("pv", null, null), days: "There is nothing to compare with yet." };
  }
  const was = countOf(history, star, before);
  return {
    change: delta("pv", countOf(history, star, now), was),
    days: `${rangeName(before.from, before.to)}: ${whole(was)}${open > 0 ? " (without today)" : ""}`,
  };
}

/** Of an event how often a visitor did it, which makes it a goal (more than once is no percentage); of all else its share. */
function partOf(history: History, dimension: string, count: number, range: DayRange): string {
  if (dimension === "event" || dimension === "event_target") {
    const visitors = addNumbers(seriesOf(history, "uv", range));
    if (visitors === 0) return `${NO_FIGURE} per visitor`;
    return `${count > visitors ? ratio(count / visitors) : percent(count / visitors)} per visitor`;
  }
  const base = wholeOf(dimension);
  // Apps tell their country, too: they may be more than the views.
  const pings = dimension === "country" ? addNumbers(seriesOf(history, "app", range)) : 0;
  const part = share(count, addNumbers(seriesOf(history, base, range)) + pings);
  const name = `${lineName(base)}${pings > 0 ? ` and ${lineName("app")}` : ""}`.toLowerCase();
  return `${part === null ? NO_FIGURE : percent(part)} of ${name}`;
}
