import { longDay, rangeName } from "../../shared/dates.ts";
import type { DayRange, History } from "../history.ts";
import type { Compare } from "../period.ts";
import type { ChangeView } from "../use-view.ts";
import {
  addUp,
  delta,
  figure,
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
  change: ChangeView;
}

/** The figures of the range with how they moved; a tile pressed is the one charted. */
export function Tiles({ history, range, compared, metric, change }: TilesProps) {
  const now = addUp(sumsByDay(history, range));
  const before = addUp(sumsByDay(history, compared));
  const hasApp = history.series.app.some((n) => n > 0);
  const isKnown = compared.to >= history.first;
  const beforeName = rangeName(compared.from, compared.to);
  return (
    <section aria-label="Key figures">
      <div class={`tiles of-${hasApp ? 8 : 7}`}>
        {METRICS.filter((name) => name !== "app" || hasApp).map((name) => (
          <Tile
            key={name}
            metric={name}
            now={figure(name, now)}
            before={isKnown ? figure(name, before) : null}
            beforeName={isKnown ? beforeName : ""}
            isCharted={metric === name}
            onPress={() => change({ metric: metric === name ? null : name })}
          />
        ))}
      </div>
      {isKnown && compared.from < history.first && (
        <p class="hint">
          Counting began on {longDay(history.first)}, so the days compared with ({beforeName}) are
          not whole.
        </p>
      )}
    </section>
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
