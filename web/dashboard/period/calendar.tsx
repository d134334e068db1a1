import { useLayoutEffect, useRef, useState } from "preact/hooks";
import {
  type Day,
  mondayOf,
  monthStart,
  nextMonthStart,
} from "../../../appliance/base/calendar.ts";
import { monthName, weekdayAndDay } from "../../shared/dates.ts";
import type { DayRange } from "../history.ts";

interface CalendarProps {
  range: DayRange;
  /** the days that can be chosen */
  first: Day;
  last: Day;
  onChoose: (one: Day, other: Day) => void;
}

const WEEK = ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"];
const ARROWS: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };

/** One month of days: the first press begins a range, the second ends it, in either order. */
export function Calendar({ range, first, last, onChoose }: CalendarProps) {
  const [day, setDay] = useState(range.to);
  const [begun, begin] = useState<Day | null>(null);
  const [pointed, point] = useState<Day | null>(null);
  const body = useRef<HTMLTableSectionElement>(null);
  const isMoved = useRef(false);
  const bounded = (day: Day) => Math.min(Math.max(day, first), last);
  const month = monthStart(day);

  useLayoutEffect(() => {
    if (isMoved.current) body.current?.querySelector<HTMLElement>("[tabindex='0']")?.focus();
    isMoved.current = false;
  }, [day]);

  const move = (event: KeyboardEvent) => {
    const to =
      event.key in ARROWS
        ? day + (ARROWS[event.key] ?? 0)
        : event.key === "PageUp"
          ? monthStart(month - 1)
          : event.key === "PageDown"
            ? nextMonthStart(day)
            : null;
    if (to === null) return;
    event.preventDefault();
    event.stopPropagation();
    isMoved.current = true;
    setDay(bounded(to));
    if (begun !== null) point(bounded(to));
  };
  const choose = (pressed: Day) => {
    setDay(pressed);
    if (begun === null) return begin(pressed);
    begin(null);
    onChoose(begun, pressed);
  };
  const end = pointed ?? begun;
  const marked =
    begun === null || end === null
      ? range
      : { from: Math.min(begun, end), to: Math.max(begun, end) };
  return (
    <div class="calendar">
      <header>
        <Step name="Earlier month" sign="‹" to={month - 1} {...{ first, last, setDay, bounded }} />
        <strong aria-live="polite">{monthName(month)}</strong>
        <Step
          name="Later month"
          sign="›"
          to={nextMonthStart(month)}
          {...{ first, last, setDay, bounded }}
        />
      </header>
      <table onPointerLeave={() => point(null)}>
        <thead>
          <tr>
            {WEEK.map((name) => (
              <th scope="col" key={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body} onKeyDown={move}>
          {weeksOf(month).map((week) => (
            <tr key={week[0]}>
              {week.map((at) => (
                <td key={at} class={monthStart(at) === month ? placeOf(at, marked) : ""}>
                  {monthStart(at) === month && (
                    <button
                      type="button"
                      tabIndex={at === bounded(day) ? 0 : -1}
                      aria-label={weekdayAndDay(at)}
                      aria-pressed={at >= marked.from && at <= marked.to}
                      disabled={at < first || at > last}
                      onPointerEnter={() => point(at)}
                      onClick={() => choose(at)}
                    >
                      {at - month + 1}
                    </button>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface StepProps {
  name: string;
  sign: string;
  /** a day of the month that is stepped to */
  to: Day;
  first: Day;
  last: Day;
  bounded: (day: Day) => Day;
  setDay: (day: Day) => void;
}

function Step({ name, sign, to, first, last, bounded, setDay }: StepProps) {
  return (
    <button
      type="button"
      class="quiet"
      aria-label={name}
      disabled={nextMonthStart(to) <= first || monthStart(to) > last}
      onClick={() => setDay(bounded(to))}
    >
      {sign}
    </button>
  );
}

/** Weeks from Monday that hold the days of a month. */
function weeksOf(month: Day): Day[][] {
  const weeks: Day[][] = [];
  for (let monday = mondayOf(month); monday < nextMonthStart(month); monday += 7)
    weeks.push(Array.from({ length: 7 }, (_, i) => monday + i));
  return weeks;
}

function placeOf(day: Day, { from, to }: DayRange): string {
  if (day < from || day > to) return "";
  return `within ${day === from ? "begin" : ""} ${day === to ? "end" : ""}`;
}
