import { dayOf, parseDay } from "../../../appliance/base/calendar.ts";
import type { GoalsAnswer } from "../../../appliance/traffic/collector/wire.ts";
import { rangeName } from "../../shared/dates.ts";
import { NO_FIGURE, percent, ratio, whole } from "../../shared/format.ts";
import { Help } from "../../shared/help.tsx";
import { addNumbers, type DayRange, seriesOf } from "../history.ts";
import { delta } from "../traffic/figures.ts";
import type { Shown } from "../traffic/shown.ts";
import { Figure } from "../traffic/tiles.tsx";

interface GoalsProps extends Pick<Shown, "history" | "range" | "compared" | "now"> {
  answer: GoalsAnswer;
}

/** The goals of the site, as its owner has set them: how often each was reached, and by how many of the visitors. */
export function Goals({ history, range, compared, now, answer }: GoalsProps) {
  const visitors = addNumbers(seriesOf(history, "uv", range));
  const isWhole = compared !== null && compared.from >= history.first;
  const runs = range.to === dayOf(now);
  // Goals are not kept by the hour: a day that runs stays out of both sides.
  const [over, before] = [range, isWhole ? compared : null].map((days) => overDays(days, runs));
  const most = Math.max(...answer.goals.map(({ daily }) => reachedIn(answer, daily, range)));
  return (
    <section class="card goals" aria-labelledby="goals-title">
      <header>
        <h2 id="goals-title">Goals</h2>
        <Help of="dashboard#goals" about="Goals" />
      </header>
      <table>
        <thead>
          <tr>
            <th scope="col">
              <span class="offscreen">Goal</span>
            </th>
            <th scope="col">Reached</th>
            <th scope="col">Per visitor</th>
            {compared && <th scope="col">Change</th>}
          </tr>
        </thead>
        <tbody>
          {answer.goals.map((goal) => {
            const reached = reachedIn(answer, goal.daily, range);
            const was = before ? reachedIn(answer, goal.daily, before) : null;
            const moved = delta("pv", over ? reachedIn(answer, goal.daily, over) : null, was);
            return (
              <tr
                key={`${goal.kind} ${goal.value} ${goal.name}`}
                style={{ "--bar": most > 0 ? reached / most : 0 }}
              >
                <th
                  scope="row"
                  dir="auto"
                  title={`${goal.kind === "event" ? "The event" : "The page"} ${goal.value}`}
                >
                  {goal.name}
                  {goal.sums && (
                    <small class="sum" title="The sum of the numbers that these events carry">
                      {sumText(reachedIn(answer, goal.sums, range), goal.unit ?? "")}
                    </small>
                  )}
                </th>
                <td class="count">
                  <Figure metric="pv" value={reached} />
                </td>
                <td class="share" title="By all visitors">
                  {partOf(reached, visitors)}
                </td>
                {compared && (
                  <td
                    class={`delta ${moved.verdict}`}
                    title={
                      before && over
                        ? `${rangeName(over.from, over.to)} beside ${rangeName(before.from, before.to)}: ${whole(was ?? 0)}`
                        : ""
                    }
                  >
                    {moved.text}
                  </td>
                )}
              </tr>
            );
          })}
        </tbody>
      </table>
      {compared && runs && (
        <p class="hint">
          {before
            ? "The change is of the days that are over: goals are not known by the hour."
            : "Today is not over, and goals are not known by the hour, so there is no change to tell."}
        </p>
      )}
    </section>
  );
}

/** The days of a range that are over; null for none. */
function overDays(range: DayRange | null | undefined, runs: boolean): DayRange | null {
  if (!range || !runs) return range ?? null;
  return range.to > range.from ? { from: range.from, to: range.to - 1 } : null;
}

function reachedIn({ from }: GoalsAnswer, daily: readonly number[], range: DayRange): number {
  const first = parseDay(from) ?? 0;
  return addNumbers(
    daily.slice(Math.max(0, range.from - first), Math.max(0, range.to - first + 1)),
  );
}

const SUM = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });

/** `1,234.5 €` @param sum thousandths */
const sumText = (sum: number, unit: string): string => `${SUM.format(sum / 1_000)} ${unit}`;

/** The reached goals of each visitor; more than one of them is no percentage. */
function partOf(reached: number, visitors: number): string {
  if (visitors === 0) return NO_FIGURE;
  return reached > visitors ? `× ${ratio(reached / visitors)}` : percent(reached / visitors);
}
