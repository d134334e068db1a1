import { dayOf } from "../../../appliance/base/calendar.ts";
import { longDay, rangeName } from "../../shared/dates.ts";
import { whole } from "../../shared/format.ts";
import type { DayRange, History } from "../history.ts";
import type { Compare } from "../period.ts";
import type { ChangeView } from "../use-view.ts";
import {
  addUp,
  delta,
  figure,
  figureBefore,
  figureText,
  METRIC_FACTS,
  METRICS,
  type Metric,
  sumsByDay,
} from "./figures.ts";

interface TilesProps {
  history: History;
  range: DayRange;
  compared: DayRange;
  compare: Compare;
  metric: Metric | null;
  /** the server's clock in epoch milliseconds */
  now: number;
  change: ChangeView;
}

/** The figures of the range with how they moved; a tile pressed is the one charted. */
export function Tiles({ history, range, compared, metric, now, change }: TilesProps) {
  const sums = addUp(sumsByDay(history, range));
  const hasApp = history.series.app.some((n) => n > 0);
  const isKnown = compared.to >= history.first;
  const isRunning = range.to === dayOf(now);
  const beforeName = `${rangeName(compared.from, compared.to)}${isRunning ? " by this hour" : ""}`;
  return (
    <section aria-label="Key figures">
      <div class={`tiles of-${(hasApp ? 8 : 7) + (history.live === null ? 0 : 1)}`}>
        {history.live !== null && <NowTile views={history.live} />}
        {METRICS.filter((name) => name !== "app" || hasApp).map((name) => (
          <Tile
            key={name}
            metric={name}
            now={figure(name, sums)}
            before={figureBefore(history, name, { range, compared, now })}
            beforeName={isKnown ? beforeName : ""}
            isCharted={metric === name}
            onPress={() => change({ metric: metric === name ? null : name })}
          />
        ))}
      </div>
      {isKnown && compared.from < history.first && (
        <p class="hint">
          Counting began on {longDay(history.first)}, so the days compared with (
          {rangeName(compared.from, compared.to)}) are not whole.
        </p>
      )}
    </section>
  );
}

/** Of this moment, whatever the range is: it is no figure of the chart. */
function NowTile({ views }: { views: number }) {
  return (
    <div
      class="tile now"
      title="Pages opened in the last five minutes. It is asked for each minute."
    >
      <span class="name">Now</span>
      <span class="figure">{whole(views)}</span>
      <span class="was">in 5 min</span>
    </div>
  );
}

interface TileProps {
  metric: Metric;
  now: number | null;
  before: number | null;
  /** empty where nothing was counted yet */
  beforeName: string;
  isCharted: boolean;
  onPress: () => void;
}

function Tile({ metric, now, before, beforeName, isCharted, onPress }: TileProps) {
  const facts = METRIC_FACTS[metric];
  const change = delta(metric, now, before);
  const was = figureText(metric, before);
  return (
    <button
      type="button"
      class={`tile ${metric}`}
      aria-pressed={isCharted}
      title={beforeName === "" ? facts.help : `${facts.help}\n${beforeName}: ${was}`}
      onClick={onPress}
    >
      <span class="name">{facts.name}</span>
      <span class="figure">{figureText(metric, now)}</span>
      <span class={`delta ${change.verdict}`}>
        {change.text}
        {beforeName !== "" && <span class="was">from {was}</span>}
      </span>
    </button>
  );
}
