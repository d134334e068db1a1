import { useState } from "preact/hooks";
import { scriptTag, siteCollector } from "../../../appliance/base/ports.ts";
import type { NewReadToken, Site } from "../../../appliance/control/wire.ts";
import { Snippet } from "../../shared/copy-button.tsx";
import { wallOf } from "../../shared/dates.ts";
import { counted, whole } from "../../shared/format.ts";
import { Help } from "../../shared/help.tsx";
import { lastViewName } from "../../shared/last-view.ts";
import { WeekLine } from "../../shared/week-line.tsx";
import { readersUrl, visitorsUrl } from "../addresses.ts";
import { ask } from "../api.ts";
import { AskFirst } from "../confirm.tsx";
import { useShell } from "../context.ts";
import { DashboardLink } from "../dashboard-link.tsx";
import { Fact, Input, Problem, Secret, Switch, useNow, VERBATIM } from "../parts.tsx";
import { useAction } from "../use-action.ts";
import { standingAlarms } from "./alarm-words.ts";
import { AlarmsField } from "./alarms-field.tsx";
import { DigestField } from "./digest-field.tsx";
import { EraseSite } from "./erase-site.tsx";
import { GoalsField } from "./goals-field.tsx";
import { MarksField } from "./marks-field.tsx";
import { ExportField } from "./moving/export-field.tsx";
import { ImportField } from "./moving/import-field.tsx";
import { ShareLink } from "./share-link.tsx";
import { SurveyLabelsField } from "./survey-labels.tsx";
import type { SiteActivity } from "./use-activity.ts";

interface SiteCardProps {
  site: Site;
  /** undefined until it is known */
  activity: SiteActivity | undefined;
}

/** One site: its activity, tag, badge and token, and a button to erase it. */
export function SiteCard({ site, activity }: SiteCardProps) {
  const { box, actions } = useShell();
  const { busy, problem, run } = useAction(actions.readSites);
  const [token, setToken] = useState("");
  const path = `api/sites/${site.id}`;
  const base = siteCollector(visitorsUrl(box), site.host);

  const patch = (change: { host?: string | null; badge?: boolean }) =>
    run(() => ask("PATCH", path, change));
  const makeToken = () =>
    run(async () => setToken((await ask<NewReadToken>("POST", `${path}/token`)).token));

  return (
    <section class="card stack site" aria-labelledby={`site-${site.id}`}>
      <header class="entry">
        <h2 id={`site-${site.id}`}>{site.id}</h2>
        <Help of="counting" about="Sites" />
        {site.declared && <span class="tag">set in the configuration</span>}
        <span class="spacer" />
        <DashboardLink site={site.id} />
      </header>
      <SiteGlance activity={activity} />
      <details>
        <summary>Script tag</summary>
        <Snippet text={scriptTag(base, site.id)} label={`the script tag of ${site.id}`} />
      </details>
      {!site.declared && (
        <Input
          label="Domain for the script"
          {...VERBATIM}
          defaultValue={site.host ?? ""}
          placeholder="none"
          onSet={(host) => void patch({ host: host || null })}
        />
      )}
      <Switch
        name="Public badge"
        isOn={site.badge}
        disabled={busy || site.declared}
        onSwitch={(badge) => void patch({ badge })}
      />
      {site.badge && <Badge base={base} site={site.id} />}
      <AlarmsField id={site.id} states={activity?.alarms} />
      <DigestField path={`${path}/digest`} zone={activity?.zone} />
      <ShareLink site={site} base={siteCollector(readersUrl(box), site.host)} />
      <GoalsField path={`${path}/goals`} />
      <MarksField path={`${path}/marks`} />
      <ImportField site={site.id} />
      <ExportField site={site.id} />
      <SurveyLabelsField path={`${path}/survey-labels`} />
      {token !== "" && (
        <Secret
          title={`The token of ${site.id}.`}
          token={token}
          label={`the token of ${site.id}`}
        />
      )}
      <Problem text={problem} />
      <div class="row">
        <AskFirst
          label={site.hasToken ? "New token" : "Make a token"}
          disabled={busy}
          asks={site.hasToken}
          title={`A new token for ${site.id}?`}
          text="The one it has stops working."
          yes="Make a new token"
          onYes={makeToken}
        />
        {!site.declared && <EraseSite id={site.id} busy={busy} run={run} />}
      </div>
    </section>
  );
}

/** The badge as every visitor sees it, and the Markdown for a README. */
function Badge({ base, site }: { base: string; site: string }) {
  const url = `${base}/badge?site=${site}`;
  return (
    <>
      <p class="hint">Anyone can read this number. For a README:</p>
      <Snippet text={`![views](${url})`} label={`the badge of ${site}`} />
    </>
  );
}

/** Whether a site counts, at a glance: its week as a line, its total, its newest view. */
function SiteGlance({ activity }: { activity: SiteActivity | undefined }) {
  const now = useNow();
  // A placeholder takes the place of unknown activity, so that nothing moves.
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
          <Fact name="Last view">
            {live > 0
              ? "in these five minutes"
              : last === null
                ? "long ago"
                : lastViewName(last, wallOf(zone, now))}
          </Fact>
          <Fact name="Seven days">{counted(ofWeek, "view")}</Fact>
          <Fact name="In all">{whole(total)}</Fact>
        </dl>
      </div>
    </>
  );
}
