import { useEffect, useRef } from "preact/hooks";
import { formatDay, parseDay } from "../../appliance/base/calendar.ts";
import { download } from "../shared/download.ts";
import type { DayRange, History } from "./history.ts";
import { type Compare, MAX_RANGE_DAYS, PERIODS, shifted } from "./period.ts";
import { exportName, toCsv } from "./traffic/csv.ts";
import type { ChangeView } from "./use-view.ts";
import type { View } from "./view.ts";

interface ControlsProps {
  history: History;
  range: DayRange;
  view: View;
  bots: boolean;
  toggleBots: () => void;
  change: ChangeView;
}

export function Controls({ history, range, view, bots, toggleBots, change }: ControlsProps) {
  const { choice, compare, tab } = view;
  return (
    <div class="controls">
      <fieldset class="segments">
        <legend class="offscreen">Period</legend>
        {PERIODS.map(({ id, name, key }) => (
          <button
            key={id}
            type="button"
            aria-pressed={choice.period === id}
            title={`Key: ${key.toUpperCase()}`}
            onClick={() => change({ choice: { period: id, end: null } })}
          >
            {name}
          </button>
        ))}
      </fieldset>
      <fieldset class="dates">
        <legend class="offscreen">Days, UTC</legend>
        <Shift {...{ view, history, change }} direction={-1} />
        <DayInput {...{ history, range, change }} end="from" />
        <span aria-hidden="true">–</span>
        <DayInput {...{ history, range, change }} end="to" />
        <Shift {...{ view, history, change }} direction={1} />
      </fieldset>
      {tab === "traffic" && (
        <>
          <label class="choice">
            <span>Compare with</span>
            <select
              value={compare}
              onChange={(event) => change({ compare: event.currentTarget.value as Compare })}
            >
              <option value="prior">days before</option>
              <option value="year">year before</option>
            </select>
          </label>
          <span class="spacer" />
          <span class="together">
            <label class="switch" title="Key: B">
              <input
                type="checkbox"
                role="switch"
                aria-checked={bots}
                checked={bots}
                onChange={toggleBots}
              />{" "}
              Bots
            </label>
            <button
              type="button"
              onClick={() =>
                download(`${exportName(history.site, range)}.csv`, "text/csv", [
                  toCsv(history, range),
                ])
              }
            >
              Export CSV
            </button>
          </span>
        </>
      )}
    </div>
  );
}

interface ShiftProps {
  view: View;
  history: History;
  change: ChangeView;
  direction: -1 | 1;
}

function Shift({ view, history, change, direction }: ShiftProps) {
  const choice = shifted(view.choice, direction, history);
  return (
    <button
      type="button"
      class="quiet"
      aria-label={direction < 0 ? "One period earlier" : "One period later"}
      title={direction < 0 ? "Key: ←" : "Key: →"}
      disabled={choice === null}
      onClick={() => choice && change({ choice })}
    >
      {direction < 0 ? "‹" : "›"}
    </button>
  );
}

interface DayInputProps {
  history: History;
  range: DayRange;
  change: ChangeView;
  end: "from" | "to";
}

/** One end of the range. Setting it beyond the other end moves that one along. */
function DayInput({ history, range, change, end }: DayInputProps) {
  const input = useRef<HTMLInputElement>(null);
  const shown = formatDay(range[end]);
  // While somebody types into its parts, the browser's date field must not be written to.
  useEffect(() => {
    if (input.current && input.current.value !== shown) input.current.value = shown;
  }, [shown]);
  const set = (text: string) => {
    const day = parseDay(text);
    // Half-typed years such as 0002 are dates too.
    if (day === undefined || day > history.last || day < history.first - MAX_RANGE_DAYS) return;
    const from = end === "from" ? day : Math.min(range.from, day);
    const to = end === "to" ? day : Math.max(range.to, day);
    if (from !== range.from || to !== range.to) change({ choice: { period: "custom", from, to } });
  };
  return (
    <input
      ref={input}
      type="date"
      aria-label={end === "from" ? "From day" : "To day"}
      defaultValue={shown}
      max={formatDay(history.last)}
      onChange={(event) => set(event.currentTarget.value)}
    />
  );
}
