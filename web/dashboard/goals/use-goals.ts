import { formatDay } from "../../../appliance/base/calendar.ts";
import { conditionText } from "../../../appliance/base/text/condition.ts";
import type { GoalsAnswer } from "../../../appliance/traffic/collector/wire.ts";
import type { Shown } from "../traffic/shown.ts";
import { useReading } from "../use-reading.ts";

/** The goals of the site, over the days that are shown and those beside them; undefined until they are known, null for none. */
export function useGoals({
  history,
  range,
  compared,
  token,
}: Pick<Shown, "history" | "range" | "compared" | "token">): GoalsAnswer | null | undefined {
  const from = Math.min(range.from, compared?.from ?? range.from);
  const { site, only } = history;
  const where = history.where.slice(history.bound.length).map(conditionText);
  const query = {
    site,
    source: only?.number,
    where,
    from: formatDay(from),
    to: formatDay(range.to),
  };
  const { answer, problem } = useReading<GoalsAnswer>("goals", query, token, history);
  if (answer?.site === site) return answer.goals.length > 0 ? answer : null;
  return problem === "" ? undefined : null;
}
