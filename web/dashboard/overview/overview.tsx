import {
  dayOf,
  hourName,
  hourOf,
  parseDay,
  WEEKDAYS,
  weekdayOf,
} from "../../../appliance/base/calendar.ts";
import type { OverviewAnswer, SiteWeek } from "../../../appliance/traffic/collector/wire.ts";
import { weekdayAndDay, zoneNote } from "../../shared/dates.ts";
import { counted, whole } from "../../shared/format.ts";
import { lastViewName } from "../../shared/last-view.ts";
import { WeekLine } from "../../shared/week-line.tsx";
import type { DashboardProps } from "../dashboard.tsx";
import { Notices } from "../notices.tsx";
import { RefreshButton } from "../refresh-button.tsx";
import { delta } from "../traffic/figures.ts";
import { formatView } from "../view.ts";

interface OverviewProps extends Omit<DashboardProps, "history" | "token"> {
  overview: OverviewAnswer;
}

/** A card for each site, the one with the most views of the week first. */
export function Overview(props: OverviewProps) {
  const { overview, feed, view, isForgetful, change, refresh, signOut } = props;
  const { sites, warnings = [], left = 0 } = overview;
  const pending = sites.reduce((sum, site) => sum + (site.pending ?? 0), 0);
  const open = (site: string) => {
    change({ site });
    scrollTo(0, 0);
  };
  return (
    <div class="page dashboard">
      <header class="top">
        <img src="favicon.svg" alt="Tallydeck" width="26" height="26" />
        <h1 class="site-title">All sites</h1>
        <span class="spacer" />
        <RefreshButton busy={feed.busy} refresh={refresh} />
        <button type="button" class="quiet" onClick={signOut}>
          Sign out
        </button>
      </header>
      <Notices history={{ warnings, pending }} {...{ feed, isForgetful, refresh }} />
      <main>
        <p class="hint overview-hint">
          Pageviews of seven days, and of today against {baseline(feed.hour)}
          {zoneNote(overview.zone)}.
        </p>
        <ul class="overview">
          {sites.map((site) => (
            <li key={site.id}>
              <SiteLink
                site={site}
                to={overview.to}
                now={feed.hour}
                href={`dashboard${formatView({ ...view, site: site.id })}`}
                onOpen={() => open(site.id)}
              />
            </li>
          ))}
        </ul>
        {left > 0 && (
          <p class="hint">
            {counted(left, "site")} with fewer views {left === 1 ? "is" : "are"} not shown here.
          </p>
        )}
      </main>
    </div>
  );
}

/** `Saturday a week ago, by 13:00` */
function baseline(now: number): string {
  const weekday = WEEKDAYS[weekdayOf(dayOf(now))];
  return `${weekday} a week ago, by ${hourName(hourOf(now) + 1)}:00`;
}

interface SiteLinkProps {
  site: SiteWeek;
  /** the last day of the week, `2026-03-04` */
  to: string;
  /** the wall clock by which days are counted: milliseconds since 1970 there */
  now: number;
  href: string;
  onOpen: () => void;
}

function SiteLink({ site, to, now, href, onOpen }: SiteLinkProps) {
  const { id, live, week, before, last } = site;
  const today = week.at(-1) ?? 0;
  const moved = delta("pv", today, before);
  const sum = week.reduce((total, n) => total + n, 0);
  const open = (event: MouseEvent) => {
    // The browser itself opens other tabs and windows.
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    onOpen();
  };
  return (
    <a class="card site-link" href={href} onClick={open} title={daysOf(week, to)}>
      <span class="line">
        <bdi class="id">{id}</bdi>
        {live > 0 && <span class="live">{whole(live)} now</span>}
      </span>
      <span class="line">
        <span class="figure">{whole(today)}</span>
        {before !== null && before > 0 && (
          <>
            <span class={`delta ${moved.verdict}`}>{moved.text}</span>
            <span class="was">from {whole(before)}</span>
          </>
        )}
        <span class="day">today</span>
      </span>
      <WeekLine days={week} />
      <span class="line foot">
        <span>{counted(sum, "view")} in 7 days</span>
        <span>{last === null ? "no view yet" : `last view ${lastViewName(last, now)}`}</span>
      </span>
    </a>
  );
}

/** The days and their views, line by line. */
function daysOf(week: readonly number[], to: string): string {
  const last = parseDay(to) ?? 0;
  return week.map((n, i) => `${weekdayAndDay(last - week.length + 1 + i)}: ${whole(n)}`).join("\n");
}
