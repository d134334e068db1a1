import { useEffect, useState } from "preact/hooks";
import { scriptTag, siteCollector } from "../../../appliance/base/ports.ts";
import type { NewReadToken, Site } from "../../../appliance/control/wire.ts";
import { Snippet } from "../../shared/copy-button.tsx";
import { Field } from "../../shared/field.tsx";
import { visitorsUrl } from "../addresses.ts";
import { ask } from "../api.ts";
import { useShell } from "../context.ts";
import { HttpsHint } from "../https-hint.tsx";
import { Card, Form, Problem, Secret } from "../parts.tsx";
import { useAction } from "../use-action.ts";
import { EraseSite } from "./erase-site.tsx";
import { useNewSite } from "./new-site.tsx";
import { SiteCard } from "./site-card.tsx";
import { useActivity } from "./use-activity.ts";

const ACTIVITY_MS = 5_000;

/** A site with its token, as it was made here. */
interface Made {
  id: string;
  host: string | null;
  token: string;
}

export function SitesTab() {
  const { box, actions } = useShell();
  const [made, setMade] = useState<Made | null>(null);
  const activity = useActivity(ACTIVITY_MS);
  useEffect(() => {
    void actions.readSites();
  }, []);
  return (
    <div class="stack">
      <AddSite onMade={setMade} />
      {made !== null && (
        <Card id="made" title={`${made.id} is ready`}>
          <p>Put this line into the head of every page:</p>
          <Snippet
            text={scriptTag(siteCollector(visitorsUrl(box), made.host), made.id)}
            label="the script tag"
          />
          <Secret
            title={`The token of ${made.id}, to read its dashboard.`}
            token={made.token}
            label="the site's token"
          />
          <p class="hint">
            <HttpsHint />
          </p>
        </Card>
      )}
      {box.sites.length === 0 && made === null && (
        <p class="hint">No site yet. Add the first one above.</p>
      )}
      <div class="columns">
        {box.sites.map((site) => (
          <SiteCard key={site.id} site={site} activity={activity.get(site.id)} />
        ))}
      </div>
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

function AddSite({ onMade }: { onMade: (made: Made) => void }) {
  const { actions } = useShell();
  const { busy, problem, run } = useAction(actions.readSites);
  const { wish, fields, clear } = useNewSite();
  const [host, setHost] = useState("");
  const submit = () =>
    run(async () => {
      const site = await ask<Site>("POST", "api/sites", { ...wish, ...(host !== "" && { host }) });
      await actions.readSites();
      clear();
      setHost("");
      const { token } = await ask<NewReadToken>("POST", `api/sites/${site.id}/token`);
      onMade({ id: site.id, host: site.host, token });
    });
  return (
    <Form class="card stack" onSubmit={submit}>
      <h2>Add a site</h2>
      <div class="row">
        {fields}
        <Field
          label="Domain for the script (optional)"
          hint="A domain that leads to this machine, such as stats.example.com; not the site's own."
          value={host}
          onInput={(text) => setHost(text.trim())}
        />
        <button type="submit" class="primary" disabled={busy}>
          Add
        </button>
      </div>
      <Problem text={problem} />
    </Form>
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
