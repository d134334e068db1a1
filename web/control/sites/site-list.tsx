import { useMemo } from "preact/hooks";
import { WEEKDAYS } from "../../../appliance/base/calendar.ts";
import type { Site, SiteSettings, SiteSettingsAnswer } from "../../../appliance/control/wire.ts";
import { counted, whole } from "../../shared/format.ts";
import { WeekLine } from "../../shared/week-line.tsx";
import { useShell } from "../context.ts";
import { usePolled } from "../use-polled.ts";
import { formatView } from "../view/view.ts";
import type { SiteActivity } from "./use-activity.ts";

const SETTINGS_MS = 30_000;

interface SiteListProps {
  /** by their ids; none until it is known */
  activity: ReadonlyMap<string, SiteActivity>;
}

/** A row for each site, which leads to its page. */
export function SiteList({ activity }: SiteListProps) {
  const { box } = useShell();
  const [answer] = usePolled<SiteSettingsAnswer>("api/site-settings", SETTINGS_MS);
  const settings = useMemo(() => new Map(answer?.sites.map((site) => [site.id, site])), [answer]);
  return (
    <table class="card site-list">
      <thead>
        <tr>
          <th scope="col">Site</th>
          <th scope="col" class="week">
            <span class="offscreen">Its week</span>
          </th>
          <th scope="col">Today</th>
          <th scope="col">Seven days</th>
        </tr>
      </thead>
      <tbody>
        {box.sites.map((site) => (
          <tr key={site.id}>
            <th scope="row">
              <SiteLink id={site.id} />
              <Chips
                site={site}
                alarms={activity.get(site.id)?.alarms}
                settings={settings.get(site.id)}
              />
            </th>
            <Figures activity={activity.get(site.id)} />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function SiteLink({ id }: { id: string }) {
  const { view, change } = useShell();
  const open = (event: MouseEvent) => {
    // The browser itself opens other tabs and windows.
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    change({ site: id });
    scrollTo(0, 0);
  };
  return (
    <a href={formatView({ ...view, tab: "sites", site: id })} onClick={open}>
      {id}
    </a>
  );
}

interface ChipsProps {
  site: Site;
  alarms: SiteActivity["alarms"] | undefined;
  settings: SiteSettings | undefined;
}

/** The settings of a site, in a few words each; an alarm that stands comes first. */
function Chips({ site, alarms, settings }: ChipsProps) {
  const standing = [
    ...(alarms?.silence.state === "firing" ? ["silent"] : []),
    ...(alarms?.rush.state === "firing" ? ["rush"] : []),
  ];
  const chips = [
    ...(settings?.alarms ? ["alarm on"] : []),
    ...(settings?.digest ? [digestChip(settings.digest)] : []),
    ...(site.shares > 0 ? ["shared"] : []),
    ...(settings?.goals ? [counted(settings.goals, "goal")] : []),
    ...(site.badge ? ["badge"] : []),
  ];
  return (
    <ul class="chips-of">
      {standing.map((chip) => (
        <li key={chip} class="tag firing">
          {chip}
        </li>
      ))}
      {chips.map((chip) => (
        <li key={chip}>{chip}</li>
      ))}
    </ul>
  );
}

function digestChip({ every, weekday }: NonNullable<SiteSettings["digest"]>): string {
  return every === "day" ? "digest daily" : `digest ${WEEKDAYS[weekday]?.slice(0, 3)}`;
}

function Figures({ activity }: { activity: SiteActivity | undefined }) {
  // Its place is kept while it is not known, so that nothing moves.
  if (activity === undefined) return <td colSpan={3} aria-busy="true" />;
  const { week, total } = activity;
  if (total === 0)
    return (
      <td colSpan={3} class="none">
        No view yet.
      </td>
    );
  return (
    <>
      <td class="week">
        <WeekLine days={week} />
      </td>
      <td>{whole(week.at(-1) ?? 0)}</td>
      <td>{whole(week.reduce((sum, n) => sum + n, 0))}</td>
    </>
  );
}
