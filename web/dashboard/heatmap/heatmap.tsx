import { useMemo, useState } from "preact/hooks";
import { WEEKDAYS } from "../../../appliance/base/calendar.ts";
import { zoneNote } from "../../shared/dates.ts";
import { ratio, whole } from "../../shared/format.ts";
import { hourlyOf } from "../traffic/chart/trend-model.ts";
import { METRIC_FACTS } from "../traffic/figures.ts";
import type { Shown } from "../traffic/shown.ts";
import { type HeatCell, heatmapOf } from "./heatmap-model.ts";

type HeatmapProps = Pick<Shown, "history" | "range" | "metric" | "now">;

const HOURS = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, "0"));

/** Day by hour. It is a table through and through, so it needs no twin for screen readers. */
export function Heatmap({ history, range, metric, now }: HeatmapProps) {
  const key = hourlyOf(metric);
  // Hours of events, and of days before the first known one, are unknown.
  const from = metric === "events" ? range.to + 1 : Math.max(range.from, history.since);
  const rows = useMemo(
    () => heatmapOf(history, { range: { from, to: range.to }, key, now }),
    [history, from, range.to, key, now],
  );
  const [at, setAt] = useState<{ weekday: number; hour: number } | null>(null);
  const cell = rows.flat().find(({ weekday, hour }) => weekday === at?.weekday && hour === at.hour);
  // One listener for all cells, for a finger as for a mouse.
  const point = (event: Event) => {
    const pointed = event.target instanceof Element && event.target.closest("td[data-hour]");
    if (!(pointed instanceof HTMLElement)) return;
    setAt({ weekday: Number(pointed.dataset.weekday), hour: Number(pointed.dataset.hour) });
  };
  return (
    <div class="heat">
      <p class="hint">
        {METRIC_FACTS[metric === "events" ? metric : key].name} by day and hour
        {zoneNote(history.zone)}
      </p>
      <table
        onPointerOver={point}
        onPointerDown={point}
        onPointerLeave={(event) => event.pointerType === "mouse" && setAt(null)}
      >
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
              {cells.map((of) => (
                <td
                  key={of.hour}
                  class={of.times === 0 ? "none" : of === cell ? "pointed" : ""}
                  data-weekday={of.weekday}
                  data-hour={of.hour}
                  style={of.times === 0 ? undefined : { "--heat": of.heat }}
                >
                  {of.times === 0 ? "–" : whole(of.count)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <p class="hint scale" aria-hidden="true">
        <span class="read">{cell ? cellText(cell, METRIC_FACTS[key].name) : ""}</span>
        quiet <i style={{ "--heat": 0.05 }} />
        <i style={{ "--heat": 0.3 }} />
        <i style={{ "--heat": 0.6 }} />
        <i style={{ "--heat": 1 }} /> busy
      </p>
    </div>
  );
}

/** `Friday 15:00: 1,234 visitors, 308.50 on average` */
function cellText({ weekday, hour, count, times }: HeatCell, name: string): string {
  const when = `${WEEKDAYS[weekday]} ${HOURS[hour]}:00`;
  if (times === 0) return `${when}: not in these days`;
  const what = name === "App pings" ? "app pings" : name.toLowerCase();
  const average = times > 1 ? `, ${ratio(count / times)} on average` : "";
  return `${when}: ${whole(count)} ${what}${average}`;
}
