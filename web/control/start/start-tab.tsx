import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { siteTag } from "../../../appliance/base/ports.ts";
import type { Site } from "../../../appliance/control/wire.ts";
import { Snippet } from "../../shared/copy-button.tsx";
import { keepChoice, loadChoice } from "../../shared/token.ts";
import { isThisMachine, visitorsUrl } from "../addresses.ts";
import { ask } from "../api.ts";
import { useShell } from "../context.ts";
import { HttpsHint } from "../https-hint.tsx";
import { Form, Problem } from "../parts.tsx";
import { useNewSite } from "../sites/new-site.tsx";
import { useActivity } from "../sites/use-activity.ts";
import { useAction } from "../use-action.ts";
import type { Box } from "../use-box.ts";
import { BeAgain } from "./again.tsx";
import { KeyStep, keyOf } from "./key-step.tsx";

/** The page is open beside the one that is tried: its view is to show at once. */
const AGAIN_MS = 500;
const CHOICE = "start";

/** Whether the first view is still to come, unless the owner has dismissed the steps. */
export function isStarting({ hasCounts }: Pick<Box, "hasCounts">): boolean {
  return !hasCounts && loadChoice(CHOICE) !== "off";
}

/**
 * The steps from an empty box to a number on a key. The box says which are done.
 */
export function StartTab() {
  const { box, change } = useShell();
  const [made, setMade] = useState("");
  const site = box.sites.find(({ id }) => id === made) ?? box.sites[0];
  const hasViews = (useActivity(AGAIN_MS).get(site?.id ?? "")?.total ?? 0) > 0;
  const isOnKey = site !== undefined && keyOf(box.decks, site.id) !== undefined;
  return (
    <div class="start">
      <p>Four steps, and you see the first number of your own.</p>
      <ol class="steps">
        <Step title="Name your site" isDone={site !== undefined} isOpen>
          {site === undefined ? (
            <NameSite onMade={setMade} />
          ) : (
            <p>
              Its visits are counted as <code>{site.id}</code>.
            </p>
          )}
        </Step>
        <Step title="Copy the tag" isDone={hasViews} isOpen={site !== undefined}>
          {site !== undefined && <Tag site={site} collector={visitorsUrl(box)} />}
        </Step>
        <Step title="Watch it arrive" isDone={hasViews} isOpen={site !== undefined}>
          {site !== undefined && (
            <Arrival site={site} collector={visitorsUrl(box)} hasViews={hasViews} />
          )}
        </Step>
        <Step title="See it every day" isDone={isOnKey} isOpen={site !== undefined}>
          {site !== undefined && <KeyStep site={site.id} />}
        </Step>
      </ol>
      {box.sites.length === 0 && <BeAgain />}
      {hasViews && <p>That is all. Add further sites under Sites.</p>}
      {isStarting(box) && (
        <p>
          <button
            type="button"
            class="quiet"
            onClick={() => {
              keepChoice(CHOICE, "off");
              change({ tab: box.decks.length > 0 ? "deck" : "sites" });
            }}
          >
            Do not show this again
          </button>
        </p>
      )}
    </div>
  );
}

interface StepProps {
  title: string;
  isDone: boolean;
  /** whether the step before is done */
  isOpen: boolean;
  children: ComponentChildren;
}

function Step({ title, isDone, isOpen, children }: StepProps) {
  return (
    <li class={isDone ? "card done" : "card"}>
      <h2>
        {title}
        {isDone && <span class="offscreen"> (done)</span>}
      </h2>
      {isOpen && <div class="stack">{children}</div>}
    </li>
  );
}

function NameSite({ onMade }: { onMade: (id: string) => void }) {
  const { actions } = useShell();
  const { busy, problem, run } = useAction(actions.readSites);
  const site = useNewSite(true);
  const submit = () =>
    run(async () => onMade((await ask<Site>("POST", "api/sites", site.wish)).id));
  return (
    <Form onSubmit={submit}>
      <div class="row">
        {site.fields}
        <button type="submit" class="primary" disabled={busy}>
          Add
        </button>
      </div>
      <Problem text={problem} />
    </Form>
  );
}

function Tag({ site, collector }: { site: Site; collector: string }) {
  const { hostname } = new URL(collector);
  return (
    <>
      <p>Put this line into the head of every page:</p>
      <Snippet text={siteTag(site, collector)} label="the script tag" />
      <p class="hint">
        {site.host === null && site.place === null && isThisMachine(hostname) ? (
          <>
            <code>{hostname}</code> leads here from this machine alone. For visitors from elsewhere,
            open this page by the machine's name or number on your network.{" "}
          </>
        ) : null}
        <HttpsHint site={site} />
      </p>
    </>
  );
}

interface ArrivalProps {
  site: Site;
  collector: string;
  hasViews: boolean;
}

function Arrival({ site, collector, hasViews }: ArrivalProps) {
  return (
    <>
      <p role="status" class={hasViews ? "arrival good" : "arrival"}>
        <span class="beacon" aria-hidden="true" />
        {hasViews ? `The first view of ${site.id} has arrived.` : "Waiting for the first view…"}
      </p>
      {!hasViews && (
        <>
          <p class="hint">
            Open a page of your site now. A browser that asks not to be tracked is not counted. A
            page on <code>localhost</code> counts with this tag:
          </p>
          <Snippet text={siteTag(site, collector, true)} label="the script tag for localhost" />
        </>
      )}
    </>
  );
}
