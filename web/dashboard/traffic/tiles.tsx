import { dayOf } from "../../../appliance/base/calendar.ts";
import { longDay, rangeName } from "../../shared/dates.ts";
import { whole } from "../../shared/format.ts";
import { type DayRange, type History, hasApp } from "../history.ts";
import type { ChangeView } from "../use-view.ts";
import {
  addUp,
  delta,
  figure,
  figureBefore,
  figureText,
  METRIC_FACTS,
  type Metric,
  sumsByDay,
} from "./figures.ts";

interface TilesProps {
  history: History;
  range: DayRange;
  /** null when nothing is compared */
  compared: DayRange | null;
  /** null while values are charted */
  metric: Metric | null;
  /** the server's clock in epoch milliseconds */
  now: number;
  change: ChangeView;
}

/** The figures that are shown, in their order. */
const TILES: readonly Metric[] = [
  "uv",
  "pv",
  "sessions",
  "viewsPerVisit",
  "bounceRate",
  "engagementRate",
  "interaction",
  "app",
];

/** The figures of the range with how they moved; the tile that is pressed is charted. */
export function Tiles({ history, range, compared: wanted, metric, now, change }: TilesProps) {
  const sums = addUp(sumsByDay(history, range));
  const shown = TILES.filter((name) => name !== "app" || hasApp(history));
  const compared = wanted !== null && wanted.to >= history.first ? wanted : null;
  const days = compared ? rangeName(compared.from, compared.to) : "";
  const beforeName = compared && range.to === dayOf(now) ? `${days} by this hour` : days;
  return (
    <section aria-label="Key figures">
      <div class={`tiles of-${shown.length + (history.live === null ? 0 : 1)}`}>
        {shown.map((name) => (
          <Tile
            key={name}
            metric={name}
            now={figure(name, sums)}
            before={compared && figureBefore(history, name, { range, compared, now })}
            beforeName={beforeName}
            isCharted={metric === name}
            onPress={() => change({ metric: name })}
          />
        ))}
        {history.live !== null && <NowTile views={history.live} />}
      </div>
      {compared && compared.from < history.first && (
        <p class="hint">
          Counting began on {longDay(history.first)}, so the days compared with ({days}) are not
          whole.
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
  /** empty where nothing is compared, or nothing was counted yet */
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
