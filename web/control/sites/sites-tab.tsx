import { useEffect, useState } from "preact/hooks";
import type { Site } from "../../../appliance/control/wire.ts";
import { ask } from "../api.ts";
import { useShell } from "../context.ts";
import { Card, Problem } from "../parts.tsx";
import { useAction } from "../use-action.ts";
import { AddSite, type Made, MadeSite } from "./add-site.tsx";
import { EraseSite } from "./erase-site.tsx";
import { SiteList } from "./site-list.tsx";
import { SitePage, UnknownSite } from "./site-page.tsx";
import { useActivity } from "./use-activity.ts";

const ACTIVITY_MS = 5_000;

/** All sites, or the one that the address names. */
export function SitesTab() {
  const { box, actions, view } = useShell();
  const activity = useActivity(ACTIVITY_MS);
  useEffect(() => {
    void actions.readSites();
  }, []);
  if (view.site === "") return <AllSites activity={activity} />;
  const site = box.sites.find(({ id }) => id === view.site);
  if (site === undefined) return <UnknownSite id={view.site} />;
  return <SitePage key={site.id} site={site} activity={activity.get(site.id)} />;
}

function AllSites({ activity }: { activity: ReturnType<typeof useActivity> }) {
  const { box } = useShell();
  const [isAdding, setAdding] = useState(false);
  const [made, setMade] = useState<Made | null>(null);
  const isEmpty = box.sites.length === 0;
  const isForm = isAdding || (isEmpty && made === null);
  return (
    <div class="stack">
      {!isForm && (
        <div class="row">
          <span class="spacer" />
          <button
            type="button"
            onClick={() => {
              setMade(null);
              setAdding(true);
            }}
          >
            Add a site
          </button>
        </div>
      )}
      {isForm && (
        <AddSite
          onMade={(one) => {
            setMade(one);
            setAdding(false);
          }}
          onCancel={isEmpty ? undefined : () => setAdding(false)}
        />
      )}
      {made !== null && <MadeSite made={made} />}
      {!isEmpty && <SiteList activity={activity} />}
      {isEmpty && made === null && <p class="hint">No site yet. Add the first one above.</p>}
      {box.retired.length > 0 && (
        <Card id="retired" title="Retired">
          <p class="hint">
            These were set in the configuration and are no more. They count nothing, and their
            numbers are kept until they are erased.
          </p>
          <ul class="entries">
            {box.retired.map((site) => (
              <RetiredSite key={site.id} site={site} />
            ))}
          </ul>
        </Card>
      )}
    </div>
  );
}

/** A retired site, with buttons to reactivate or erase it. */
function RetiredSite({ site: { id } }: { site: Site }) {
  const { actions } = useShell();
  const { busy, problem, run } = useAction(actions.readSites);
  return (
    <li>
      <div class="entry">
        <div>
          <h3>{id}</h3>
        </div>
        <fieldset class="row" aria-label={id}>
          <button
            type="button"
            disabled={busy}
            onClick={() => run(() => ask("POST", "api/sites", { id }))}
          >
            Reactivate
          </button>
          <EraseSite id={id} busy={busy} run={run} />
        </fieldset>
      </div>
      <Problem text={problem} />
    </li>
  );
}
