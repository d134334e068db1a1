import { rangeName } from "../../shared/dates.ts";
import { NO_FIGURE, percent, ratio, whole } from "../../shared/format.ts";
import { isAsked, toggled } from "../filters/where.ts";
import {
  addNumbers,
  type DayRange,
  type History,
  SERIES_OF,
  type SeriesName,
  seriesOf,
  spellingsOf,
  valueByDay,
} from "../history.ts";
import { lineName } from "./chart/trend-model.ts";
import { titleOf } from "./dimensions.ts";
import { delta, share } from "./figures.ts";
import type { Shown } from "./shown.ts";
import { Figure } from "./tiles.tsx";
import type { Star } from "./use-stars.ts";
import { valueLabel } from "./values.ts";

type ValueTilesProps = Pick<
  Shown,
  "history" | "range" | "compared" | "where" | "stars" | "change" | "toggleStar"
>;

/** A tile for every value that has a star; pressed, the page is filtered by it. */
export function ValueTiles(props: ValueTilesProps) {
  const { stars } = props;
  if (stars.length === 0) return null;
  return (
    <section aria-label="Values" class="values">
      <div class="value-tiles">
        {stars.map((star) => (
          <ValueTile key={`${star.dimension}:${star.value}`} {...props} star={star} />
        ))}
      </div>
    </section>
  );
}

function ValueTile({ star, ...props }: ValueTilesProps & { star: Star }) {
  const { history, range, compared, where, change, toggleStar } = props;
  const { dimension, value } = star;
  const pressed = where.some((one) => isAsked(one, dimension, value));
  const label = valueLabel(dimension, value);
  const count = countOf(history, star, range);
  const { change: moved, days } = movedOf(history, star, range, compared);
  return (
    <div class={`tile value-tile ${pressed ? "pressed" : ""}`}>
      <button
        type="button"
        class="press"
        aria-pressed={pressed}
        title={`${value}\n${days}`.trim()}
        onClick={() =>
          change({
            where: toggled(where, dimension, value, spellingsOf(history, dimension, value)),
          })
        }
      >
        <small class="dimension-name">{titleOf(dimension)}</small>
        <span class="name" dir="auto">
          {label}
        </span>
        <span class="figure">
          <Figure metric="pv" value={count} />
        </span>
        <span class={`delta ${moved.verdict}`}>
          {moved.text}
          <span class="was">{partOf(history, dimension, count, range)}</span>
        </span>
      </button>
      <button
        type="button"
        class="quiet star"
        aria-pressed={true}
        aria-label={`Star ${value}`}
        title="Take the tile away"
        onClick={() => toggleStar(star)}
      >
        ★
      </button>
    </div>
  );
}

/** The counter that a value's days are seen against. */
function wholeOf({ of }: History, dimension: string): SeriesName {
  if (dimension.startsWith("app_")) return "app";
  if (dimension === "bot_kind") return "bot";
  return SERIES_OF[dimension === "entry" ? "sessions" : of];
}

const countOf = (history: History, star: Star, range: DayRange): number =>
  addNumbers(valueByDay(history, star, range));

/**
 * The change of a value. Its hours are not known, so an unfinished day is left out on both sides,
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

/** The count per visitor of an event, as a percentage or a factor; the share of other values. */
function partOf(history: History, dimension: string, count: number, range: DayRange): string {
  if (dimension === "event" || dimension === "event_target") {
    const visitors = addNumbers(seriesOf(history, "uv", range));
    if (visitors === 0) return `${NO_FIGURE} per visitor`;
    return `${count > visitors ? ratio(count / visitors) : percent(count / visitors)} per visitor`;
  }
  const base = wholeOf(history, dimension);
  // Apps have countries, too, so their sum may exceed the views.
  const pings =
    dimension === "country" && base === "pv" ? addNumbers(seriesOf(history, "app", range)) : 0;
  const part = share(count, addNumbers(seriesOf(history, base, range)) + pings);
  const name = `${lineName(base)}${pings > 0 ? ` and ${lineName("app")}` : ""}`.toLowerCase();
  return `${part === null ? NO_FIGURE : percent(part)} of ${name}`;
}
