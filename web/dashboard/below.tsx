import { rangeName } from "../shared/dates.ts";
import { Goals } from "./goals/goals.tsx";
import type { useGoals } from "./goals/use-goals.ts";
import { usePart } from "./later.tsx";
import { Breakdowns } from "./traffic/breakdowns.tsx";
import type { Shown } from "./traffic/shown.ts";
import { useStars } from "./traffic/use-stars.ts";
import { ValueTiles } from "./traffic/value-tiles.tsx";
import type { View } from "./view.ts";
import { useWebUi } from "./web-ui/use-web-ui.ts";

export { Empty } from "./empty.tsx";
export { Asking } from "./filters/asking.tsx";
export { ViewChips } from "./filters/view-chips.tsx";
export { KeyList, OwnerLinks, PeriodPanel, saveCsv, WARNINGS } from "./panels.tsx";

export type BelowProps = Pick<
  Shown,
  "history" | "range" | "compared" | "now" | "token" | "where" | "change" | "onKept"
> &
  Pick<View, "filter" | "layout" | "open" | "front"> & {
    /** the figure that the hours of the week are of */
    heated: Shown["metric"];
    /** undefined until they are known */
    goals: ReturnType<typeof useGoals>;
  };

/** Values with a star, goals, and the lists. */
export function Below(props: BelowProps) {
  const { history, range, compared, token, goals, now, where, change, onKept, ...lists } = props;
  const [stars, toggleStar] = useStars(history.site, onKept);
  const webUi = useWebUi(history.site, token);
  const starred = { history, range, where, stars, change, toggleStar };
  return (
    <>
      {range.hour !== undefined && (
        <p class="hint">What follows counts both days whole: {rangeName(range.from, range.to)}.</p>
      )}
      {usePart(ValueTiles, { ...starred, compared })}
      {goals && <Goals {...{ history, range, compared, now, answer: goals }} />}
      {usePart(Breakdowns, { ...starred, ...lists, token, now, webUi }, goals !== undefined)}
    </>
  );
}
