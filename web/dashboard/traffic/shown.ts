import type { Condition } from "../../../appliance/base/text/condition.ts";
import type { DayRange, History } from "../history.ts";
import type { ChangeView } from "../use-view.ts";
import type { View } from "../view.ts";
import type { Metric } from "./figures.ts";
import type { Star } from "./use-stars.ts";

/** The parts of the page are given some of this each. */
export interface Shown {
  history: History;
  range: DayRange;
  /** the days to compare with; null for none */
  compared: DayRange | null;
  /** the charted figure */
  metric: Metric;
  /** the wall clock by which days are counted: milliseconds since 1970 there */
  now: number;
  token: string;
  view: View;
  /** the requested conditions, even while the page still has the answer to earlier ones */
  where: Condition[];
  stars: Star[];
  bots: boolean;
  change: ChangeView;
  toggleBots: () => void;
  toggleStar: (star: Star) => void;
  /** called with whether the browser kept a choice */
  onKept: (isKept: boolean) => void;
}
