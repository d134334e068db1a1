import type { Condition } from "../../../appliance/base/text/condition.ts";
import type { History } from "../history.ts";
import type { ChangeView } from "../use-view.ts";
import type { View } from "../view.ts";
import type { TrendOptions } from "./chart/trend-model.ts";
import type { Star } from "./use-stars.ts";

/** The parts of the page are given some of this each. */
export interface Shown extends TrendOptions {
  history: History;
  token: string;
  view: View;
  /** the requested conditions, even while the page still has the answer to earlier ones */
  where: Condition[];
  stars: Star[];
  change: ChangeView;
  toggleBots: () => void;
  toggleStar: (star: Star) => void;
  /** called with whether the browser kept a choice */
  onKept: (isKept: boolean) => void;
}
