import type { ComponentChildren } from "preact";
import { sourceName } from "../../appliance/base/text/source-name.ts";
import type { SiteSource } from "../../appliance/traffic/collector/wire.ts";
import { shortDay } from "../shared/dates.ts";
import { counted } from "../shared/format.ts";
import { type DayRange, type History, isUntold } from "./history.ts";
import { Later } from "./later.tsx";
import { REST } from "./menu.tsx";
import type { Feed } from "./use-feed.ts";
import type { ChangeView } from "./use-view.ts";
import type { View } from "./view.ts";

interface NoticesProps {
  history: Pick<History, "warnings" | "pending">;
  feed: Feed;
  /** the browser does not keep the token */
  isForgetful: boolean;
  /** whether choices, like stars, are not kept, either */
  isUnkept?: boolean;
  refresh: () => void;
  children?: ComponentChildren;
}

/** The problems, above everything: the box's own warnings and a refresh that failed. */
export function Notices(props: NoticesProps) {
  const { history, feed, isForgetful, isUnkept, refresh, children } = props;
  return (
    <div class="notices" role="status">
      {feed.problem && (
        <p class="notice bad">
          {feed.problem.message} What you see is from the last answer.{" "}
          <button type="button" onClick={refresh}>
            Try again
          </button>
        </p>
      )}
      {feed.busy && feed.slow && <p class="notice">The machine takes its time to answer…</p>}
      {isForgetful && (
        <p class="notice">
          This browser keeps nothing for this page, so you will have to sign in again next time.
        </p>
      )}
      {isUnkept && (
        <p class="notice">
          This browser has no room for what you chose, so it lasts until you close this page.
        </p>
      )}
      {history.warnings.length > 0 && (
        <Later part={REST}>
          {({ WARNINGS }) =>
            history.warnings.map((code) => (
              <p class="notice bad" key={code}>
                {WARNINGS[code] ?? `Tallydeck warns: ${code}`}
              </p>
            ))
          }
        </Later>
      )}
      {history.pending > 0 && (
        <p class="notice">
          {counted(history.pending, "hit waits", "hits wait")} for the clock and will be counted
          then.
        </p>
      )}
      {children}
    </div>
  );
}

/** The days of a range that filters leave out, or would: what they lack is no zero. */
export function DaysNotice({ history, range }: { history: History; range: DayRange }) {
  const { since, where, last } = history;
  const length = range.to - range.from + 1;
  const days = Array.from({ length }, (_, i) => range.from + i);
  const left = days.filter((day) => day < since).length;
  const imported = days.filter((day) => isUntold(history, day, "hours")).length;
  const of = (n: number) => `${n} of ${counted(length, "day", "days")}`;
  if (where.length > 0)
    return left === 0 || since > last ? null : (
      <p class="notice">
        Filters count from {shortDay(since)} on: {of(left)} {left === 1 ? "is" : "are"} left out,
        imported or kept as totals.
      </p>
    );
  return imported === 0 ? null : (
    <p class="notice">
      {of(imported)} {imported === 1 ? "was imported: it has" : "were imported: they have"} no
      hours, and filters leave {imported === 1 ? "it" : "them"} out.
    </p>
  );
}

interface OnlyNoticeProps {
  only: SiteSource;
  tab: View["tab"];
  change: ChangeView;
}

/** A note about a source that is shown alone, and its missing data, with a link back to all. */
export function OnlyNotice({ only, tab, change }: OnlyNoticeProps) {
  return (
    <p class="notice">
      {tab === "surveys"
        ? "Surveys are of all sources."
        : `Only what was ${sourceName(only)} is shown. Who is there now is not told apart.`}{" "}
      <button type="button" onClick={() => change({ source: "" })}>
        Show all
      </button>
    </p>
  );
}
