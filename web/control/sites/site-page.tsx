import { useEffect, useRef, useState } from "preact/hooks";
import { siteCollector, siteTag } from "../../../appliance/base/ports.ts";
import type { NewReadToken, Site } from "../../../appliance/control/wire.ts";
import { Snippet } from "../../shared/copy-button.tsx";
import { wallOf } from "../../shared/dates.ts";
import type { Draft, DraftOf } from "../../shared/draft.ts";
import { counted, whole } from "../../shared/format.ts";
import { Help } from "../../shared/help.tsx";
import { lastViewName } from "../../shared/last-view.ts";
import { WeekLine } from "../../shared/week-line.tsx";
import { readersUrl, visitorsUrl } from "../addresses.ts";
import { ask } from "../api.ts";
import { AskFirst } from "../confirm.tsx";
import { useShell } from "../context.ts";
import { DashboardLink } from "../dashboard-link.tsx";
import { HttpsHint } from "../https-hint.tsx";
import { Fact, Input, Problem, Secret, Switch, useNow, VERBATIM } from "../parts.tsx";
import { useAction } from "../use-action.ts";
import { standingAlarms } from "./alarm-words.ts";
import { AlarmsField } from "./alarms-field.tsx";
import { DigestField } from "./digest-field.tsx";
import { EraseSite } from "./erase-site.tsx";
import { GoalsField } from "./goals-field.tsx";
import { LeftOutField } from "./left-out-field.tsx";
import { MarksField } from "./marks-field.tsx";
import { ExportField } from "./moving/export-field.tsx";
import { ImportField } from "./moving/import-field.tsx";
import { Section } from "./section.tsx";
import { ShareLinks } from "./share-links.tsx";
import { SurveyLabelsField } from "./survey-labels.tsx";
import type { SiteActivity } from "./use-activity.ts";
import { ValuesField } from "./values-field.tsx";
import { ViewsField } from "./views-field.tsx";

interface SitePageProps {
  site: Site;
  /** undefined until it is known */
  activity: SiteActivity | undefined;
}

/** The page of one site: what it counts, its tag, and a section for each thing that can be set. */
export function SitePage({ site, activity }: SitePageProps) {
  const { box, view } = useShell();
  const [draft] = useState(view.draft);
  const of = <Kind extends Draft["kind"]>(kind: Kind) =>
    draft?.kind === kind ? (draft as DraftOf<Kind>) : null;
  const title = useRef<HTMLHeadingElement>(null);
  // The row that was pressed is gone, and the focus with it.
  useEffect(() => {
    if (draft === null) title.current?.focus({ preventScroll: true });
  }, []);
  const path = `api/sites/${site.id}`;
  const readers = siteCollector(readersUrl(box), site.host);
  return (
    <section class="stack site" aria-labelledby={`site-${site.id}`}>
      <header class="entry">
        <ToSites />
        <h2 id={`site-${site.id}`} ref={title} tabIndex={-1}>
          {site.id}
        </h2>
        <Help of="counting" about="Sites" />
        {site.declared && <span class="tag">set in the configuration</span>}
        <span class="spacer" />
        <DashboardLink site={site.id} />
      </header>
      <div class="columns">
        <div class="card stack">
          <SiteGlance activity={activity} />
          <h3>Script tag</h3>
          <Snippet text={siteTag(site, visitorsUrl(box))} label={`the script tag of ${site.id}`} />
          {site.host === null && site.place !== null && (
            <p class="hint">
              <HttpsHint site={site} />
            </p>
          )}
        </div>
        <div class="card sections">
          <AlarmsField id={site.id} states={activity?.alarms} />
          <DigestField path={`${path}/digest`} zone={activity?.zone} />
          <ShareLinks site={site} base={readers} draft={of("share")} />
          <GoalsField site={path} draft={of("goal")} />
          <MarksField path={`${path}/marks`} draft={of("mark")} />
          <ViewsField
            path={`${path}/views`}
            dashboard={`${readers}/dashboard?site=${site.id}`}
            draft={of("view")}
          />
          <SurveyLabelsField path={`${path}/survey-labels`} />
          <LeftOutField site={path} />
          <ValuesField site={path} draft={of("value")} />
          <BadgeField site={site} />
          <ImportField site={site.id} />
          <ExportField site={site.id} />
          <TokenField site={site} />
          <More site={site} />
        </div>
      </div>
    </section>
  );
}

/** A sentence in the place of a site that is not there. */
export function UnknownSite({ id }: { id: string }) {
  const isRetired = useShell().box.retired.some((site) => site.id === id);
  return (
    <div class="stack site">
      <div class="entry">
        <ToSites />
      </div>
      <p class="card" role="status">
        {isRetired
          ? `${id} is retired. Reactivate it in the list of sites.`
          : `There is no site “${id}”. Choose one in the list of sites, or add it there.`}
      </p>
    </div>
  );
}

/** The way back to the list. */
function ToSites() {
  const { change } = useShell();
  return (
    <button type="button" class="quiet" onClick={() => change({ site: "" })}>
      <span aria-hidden="true">←</span> All sites
    </button>
  );
}

/** The badge as every visitor sees it, and the Markdown for a README. */
function BadgeField({ site }: { site: Site }) {
  const { actions, box } = useShell();
  const { busy, problem, run } = useAction(actions.readSites);
  // A place shows its own views: one of this machine shows all of them, where readers reach it.
  const place = site.host === null && !box.public?.view.live ? site.place : null;
  const base = place?.url ?? siteCollector(visitorsUrl(box), site.host);
  const url = `${base}/badge?site=${place?.site ?? site.id}`;
  return (
    <Section title="Badge" state={site.badge ? "public" : "off"}>
      <Switch
        name="Public badge"
        isOn={site.badge}
        disabled={busy || site.declared}
        onSwitch={(badge) => void run(() => ask("PATCH", `api/sites/${site.id}`, { badge }))}
      />
      {site.badge && (
        <>
          <p class="hint">
            Anyone can read this number
            {place && `, which is of the views that ${place.name} counted`}. For a README:
          </p>
          <Snippet text={`![views](${url})`} label={`the badge of ${site.id}`} />
        </>
      )}
      <Problem text={problem} />
    </Section>
  );
}

/** The token that reads this site alone. */
function TokenField({ site: { id, hasToken } }: { site: Site }) {
  const { actions } = useShell();
  const { busy, problem, run } = useAction(actions.readSites);
  const [token, setToken] = useState("");
  const make = () =>
    run(async () => {
      setToken((await ask<NewReadToken>("POST", `api/sites/${id}/token`)).token);
    });
  return (
    <Section title="Token" state={hasToken ? "made" : "none"}>
      <p class="hint">It reads the numbers of this site, and no other's.</p>
      {token !== "" && (
        <Secret title={`The token of ${id}.`} token={token} label={`the token of ${id}`} />
      )}
      <Problem text={problem} />
      <div class="row">
        <AskFirst
          label={hasToken ? "New token" : "Make a token"}
          disabled={busy}
          asks={hasToken}
          title={`A new token for ${id}?`}
          text="The one it has stops working."
          yes="Make a new token"
          onYes={make}
        />
      </div>
    </Section>
  );
}

/** The collector's own domain, and the end of a site: of one that the configuration declares, both are its own. */
function More({ site: { id, host, declared } }: { site: Site }) {
  const { actions, change } = useShell();
  const { busy, problem, run } = useAction(actions.readSites);
  if (declared) return null;
  return (
    <Section title="More" state={host ?? undefined}>
      <Input
        label="Domain for the script"
        hint="A domain that leads to this machine, such as stats.example.com; not the site's own."
        {...VERBATIM}
        defaultValue={host ?? ""}
        placeholder="none"
        onSet={(text) => void run(() => ask("PATCH", `api/sites/${id}`, { host: text || null }))}
      />
      <Problem text={problem} />
      <div class="row">
        <EraseSite id={id} busy={busy} run={run} onErased={() => change({ site: "" })} />
      </div>
    </Section>
  );
}

/** Whether a site counts, at a glance: its week as a line, its numbers, its newest view. */
function SiteGlance({ activity }: { activity: SiteActivity | undefined }) {
  const now = useNow();
  // A placeholder takes the place of unknown activity, so that nothing moves.
  if (activity === undefined) return <div class="glance" aria-busy="true" />;
  const { week, total, last, live, alarms, zone } = activity;
  if (total === 0)
    return (
      <div class="glance">
        <WeekLine days={week} />
        <p class="hint">No view yet.</p>
      </div>
    );
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
          <Fact name="Today">{counted(week.at(-1) ?? 0, "view")}</Fact>
          <Fact name="Seven days">{counted(ofWeek, "view")}</Fact>
          <Fact name="In all">{whole(total)}</Fact>
        </dl>
      </div>
    </>
  );
}
