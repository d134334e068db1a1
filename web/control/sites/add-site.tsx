import { useState } from "preact/hooks";
import { siteTag } from "../../../appliance/base/ports.ts";
import type { NewReadToken, Site } from "../../../appliance/control/wire.ts";
import { Snippet } from "../../shared/copy-button.tsx";
import { Field } from "../../shared/field.tsx";
import { visitorsUrl } from "../addresses.ts";
import { ask } from "../api.ts";
import { useShell } from "../context.ts";
import { HttpsHint } from "../https-hint.tsx";
import { Card, Form, Problem, Secret } from "../parts.tsx";
import { useAction } from "../use-action.ts";
import { useNewSite } from "./new-site.tsx";

/** A site with its token, as it was made here. */
export interface Made {
  site: Site;
  token: string;
}

interface AddSiteProps {
  onMade: (made: Made) => void;
  /** undefined where it cannot be left, because there is nothing else */
  onCancel: (() => void) | undefined;
}

/** The form of a new site, which makes its token at once. */
export function AddSite({ onMade, onCancel }: AddSiteProps) {
  const { actions } = useShell();
  const { busy, problem, run } = useAction(actions.readSites);
  // The button that was pressed is gone, and the focus with it.
  const { wish, fields } = useNewSite(onCancel !== undefined);
  const [host, setHost] = useState("");
  const submit = () =>
    run(async () => {
      const site = await ask<Site>("POST", "api/sites", { ...wish, ...(host !== "" && { host }) });
      const { token } = await ask<NewReadToken>("POST", `api/sites/${site.id}/token`);
      onMade({ site, token });
    });
  return (
    <div class="narrow">
      <Form class="card stack" onSubmit={submit}>
        <h2>Add a site</h2>
        {fields}
        <details>
          <summary>More</summary>
          <Field
            label="Domain for the script (optional)"
            hint="A domain that leads to this machine, such as stats.example.com; not the site's own."
            value={host}
            onInput={(text) => setHost(text.trim())}
          />
        </details>
        <Problem text={problem} />
        <div class="row">
          <button type="submit" class="primary" disabled={busy}>
            Add
          </button>
          {onCancel && (
            <button type="button" disabled={busy} onClick={onCancel}>
              Cancel
            </button>
          )}
        </div>
      </Form>
    </div>
  );
}

/** The tag and the token of a site that was just added. */
export function MadeSite({ made: { site, token } }: { made: Made }) {
  const { box } = useShell();
  const { id } = site;
  return (
    <Card id="made" title={`${id} is ready`}>
      <p>Put this line into the head of every page:</p>
      <Snippet text={siteTag(site, visitorsUrl(box))} label="the script tag" />
      <Secret
        title={`The token of ${id}, to read its dashboard.`}
        token={token}
        label="the site's token"
      />
      <p class="hint">
        <HttpsHint site={site} />
      </p>
    </Card>
  );
}
