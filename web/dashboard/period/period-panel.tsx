import { type Day, formatDay, parseDay } from "../../../appliance/base/calendar.ts";
import type { Choice } from "../../../appliance/base/input/selection.ts";
import type { DayRange, History } from "../history.ts";
import { Calendar } from "./calendar.tsx";
import { choiceOf, isSame, MAX_RANGE_DAYS, presetsOf } from "./period.ts";

export interface PeriodProps {
  history: History;
  range: DayRange;
  choice: Choice;
  onChoose: (choice: Choice) => void;
}

/** Named periods, a calendar, and two fields for dates. */
export function PeriodPanel({ history, range, choice, onChoose }: PeriodProps) {
  const { first, last } = history;
  const chooseDays = (one: Day, other: Day) => onChoose(choiceOf(one, other, history));
  return (
    <>
      <ul class="presets">
        {presetsOf(history.last).map((preset) => (
          <li key={preset.name}>
            <button
              type="button"
              aria-pressed={isSame(preset.choice, choice)}
              title={preset.key && `Key: ${preset.key.toUpperCase()}`}
              onClick={() => onChoose(preset.choice)}
            >
              {preset.name}
            </button>
          </li>
        ))}
      </ul>
      <div>
        <Calendar {...{ range, first, last }} onChoose={chooseDays} />
        <Days {...{ history, range }} onChoose={chooseDays} />
      </div>
    </>
  );
}

interface DaysProps {
  history: History;
  range: DayRange;
  onChoose: (one: number, other: number) => void;
}

/** Both ends to type, in either order. */
function Days({ history, range, onChoose }: DaysProps) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (!(event.currentTarget instanceof HTMLFormElement)) return;
    const form = new FormData(event.currentTarget);
    const [from, to] = ["from", "to"].map((end) => parseDay(String(form.get(end))));
    if (from !== undefined && to !== undefined) onChoose(from, to);
  };
  const bounds = {
    min: formatDay(history.first - MAX_RANGE_DAYS),
    max: formatDay(history.last),
    required: true,
  };
  return (
    <form class="typed-days" onSubmit={submit}>
      <label>
        <span>From</span>
        <input type="date" name="from" defaultValue={formatDay(range.from)} {...bounds} />
      </label>
      <label>
        <span>To</span>
        <input type="date" name="to" defaultValue={formatDay(range.to)} {...bounds} />
      </label>
      <button type="submit">Show</button>
    </form>
  );
}
