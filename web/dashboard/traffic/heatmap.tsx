import { useMemo } from "preact/hooks";
import { counted, ratio, whole } from "../../shared/format.ts";
import type { DayRange, History } from "../history.ts";
import { type HeatCell, heatmapOf, WEEKDAYS } from "./heatmap-model.ts";

interface HeatmapProps {
  history: History;
  range: DayRange;
  now: number;
}

const HOURS = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, "0"));

/** Day by hour. It is a table through and through, so it needs no twin for screen readers. */
export function Heatmap({ history, range, now }: HeatmapProps) {
  const rows = useMemo(() => heatmapOf(history, range, now), [history, range, now]);
  return (
    <section class="card heat" aria-labelledby="heat-title">
      <header>
        <h2 id="heat-title">Pageviews by day and hour (UTC)</h2>
      </header>
      <table>
        <thead>
          <tr>
            <td />
            {HOURS.map((hour, i) => (
              <th scope="col" key={hour}>
                <span class={i % 6 === 0 ? "" : "offscreen"}>{hour}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells) => (
            <tr key={cells[0]?.weekday}>
              <th scope="row">{WEEKDAYS[cells[0]?.weekday ?? 0]?.slice(0, 3)}</th>
              {cells.map((cell) => (
                <Cell key={cell.hour} cell={cell} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p class="hint scale" aria-hidden="true">
        quiet <i style={{ "--heat": 0.05 }} />
        <i style={{ "--heat": 0.3 }} />
        <i style={{ "--heat": 0.6 }} />
        <i style={{ "--heat": 1 }} /> busy
      </p>
    </section>
  );
}

function Cell({ cell }: { cell: HeatCell }) {
  const hour = HOURS[cell.hour];
  if (cell.times === 0) {
    return (
      <td class="none" title={`${WEEKDAYS[cell.weekday]} ${hour}:00: not in these days`}>
        <span class="offscreen">–</span>
      </td>
    );
  }
  const average = cell.times > 1 ? `, ${ratio(cell.views / cell.times)} on average` : "";
  return (
    <td
      style={{ "--heat": cell.heat }}
      title={`${WEEKDAYS[cell.weekday]} ${hour}:00: ${counted(cell.views, "pageview")}${average}`}
    >
      <span class="offscreen">{whole(cell.views)}</span>
    </td>
  );
}
