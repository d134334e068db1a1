import { wallOf } from "../../shared/dates.ts";
import { counted, whole } from "../../shared/format.ts";
import { lastViewName } from "../../shared/last-view.ts";
import { WeekLine } from "../../shared/week-line.tsx";
import { useNow } from "../parts.tsx";
import { standingAlarms } from "./alarm-words.ts";
import type { SiteActivity } from "./use-activity.ts";

/** Whether a site counts, at a glance: its week as a line, its total, its newest view. */
export function SiteGlance({ activity }: { activity: SiteActivity | undefined }) {
  const now = useNow();
  // It takes its place before it is known, so that nothing moves.
  if (activity === undefined) return <div class="glance" aria-busy="true" />;
  const { week, total, last, live, alarms, zone } = activity;
  if (total === 0) return <p class="glance hint">No view yet.</p>;
  const ofWeek = week.reduce((sum, n) => sum + n, 0);
  return (
    <>
      {standingAlarms(alarms, now).map((sentence) => (
        <p key={sentence} class="notice bad">
          {sentence}
        </p>
      ))}
      <div class="glance">
        <WeekLine days={week} />
        <dl>
          <div>
            <dt>Last view</dt>
            <dd>
              {live > 0
                ? "in these five minutes"
                : last === null
                  ? "long ago"
                  : lastViewName(last, wallOf(zone, now))}
            </dd>
          </div>
          <div>
            <dt>Seven days</dt>
            <dd>{counted(ofWeek, "view")}</dd>
          </div>
          <div>
            <dt>In all</dt>
            <dd>{whole(total)}</dd>
          </div>
        </dl>
      </div>
    </>
  );
}
