import { dayOf } from "../../../appliance/base/calendar.ts";
import { longDay, rangeName } from "../../shared/dates.ts";
import { NO_FIGURE, whole } from "../../shared/format.ts";
import { hasApp } from "../history.ts";
import {
  delta,
  figureBefore,
  figureOf,
  figureText,
  gapsOf,
  METRIC_FACTS,
  type Metric,
  whyUnknown,
} from "./figures.ts";
import type { Shown } from "./shown.ts";

type TilesProps = Pick<Shown, "history" | "range" | "compared" | "metric" | "now" | "change">;

const OF_PAGES =
  "Visitors of these pages, a day each: someone who looks at two of them counts twice.";

/** The figures that are shown, in their order. */
const TILES: readonly Metric[] = [
  "events",
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
  const isOfPages = history.where.some(({ dimension }) => dimension === "path");
  const unknown = (name: Metric) => whyUnknown(history, name, range);
  const shown = TILES.filter((name) =>
    name === "app" ? hasApp(history) : name !== "events" || unknown(name) === null,
  );
  const compared = wanted !== null && wanted.to >= history.first ? wanted : null;
  const days = compared ? rangeName(compared.from, compared.to) : "";
  const nowName = rangeName(range.from, range.to);
  const beforeName = compared && range.to === dayOf(now) ? `${days} by this hour` : days;
  return (
    <section aria-label="Key figures">
      <div class={`tiles of-${shown.length + 1}`}>
        {shown.map((name) => (
          <Tile
            key={name}
            metric={name}
            unknown={unknown(name)}
            help={name === "uv" && isOfPages ? OF_PAGES : METRIC_FACTS[name].help}
            now={unknown(name) === null ? figureOf(history, name, range) : null}
            before={compared && figureBefore(history, name, { range, compared, now })}
            {...{ beforeName, nowName }}
            isCharted={metric === name}
            onPress={() => unknown(name) === null && change({ metric: name })}
          />
        ))}
        <NowTile views={history.live} />
      </div>
      {gapsOf(history, metric, range).map(({ from, to }) => (
        <p key={from} class="hint">
          {METRIC_FACTS[metric].name} of {rangeName(from, to)} are not known: they were imported
          from a tool that does not tell them.
        </p>
      ))}
      {compared && compared.from < history.first && (
        <p class="hint">
          Counting began on {longDay(history.first)}, so the days compared with ({days}) are not
          whole.
        </p>
      )}
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
      <span class="was">in 5 min</span>
    </div>
  );
}

interface TileProps {
  metric: Metric;
  /** why there is no figure; null where there is one */
  unknown: string | null;
  help: string;
  now: number | null;
  before: number | null;
  /** empty where nothing is compared, or nothing was counted yet */
  beforeName: string;
  nowName: string;
  isCharted: boolean;
  onPress: () => void;
}

function Tile({
  metric,
  unknown,
  help: usual,
  now,
  before,
  isCharted,
  onPress,
  ...names
}: TileProps) {
  const { beforeName, nowName } = names;
  const facts = METRIC_FACTS[metric];
  const help = unknown ?? usual;
  const change = delta(metric, now, before);
  const is = figureText(metric, now);
  const was = figureText(metric, before);
  return (
    <button
      type="button"
      class={`tile ${metric}`}
      aria-pressed={isCharted}
      aria-disabled={unknown !== null}
      title={
        beforeName === "" || unknown !== null
          ? help
          : `${help}\n${nowName}: ${is}\n${beforeName}: ${was}`
      }
      onClick={onPress}
    >
      <span class="name">{facts.name}</span>
      <span class="figure">{is}</span>
      <span class={`delta ${change.verdict}`}>
        {change.text}
        {beforeName !== "" && unknown === null && <span class="was">from {was}</span>}
      </span>
    </button>
  );
}
