import { useState } from "preact/hooks";
import { conditionParts, filterable, TEST_NAMES } from "../../../appliance/base/text/condition.ts";
import { ONE_OF } from "../../../appliance/base/text/dimensions.ts";
import type { NewReadToken, Site } from "../../../appliance/control/wire.ts";
import { Field } from "../../shared/field.tsx";
import { ask } from "../api.ts";
import { AskFirst } from "../confirm.tsx";
import { useShell } from "../context.ts";
import { Problem, Secret } from "../parts.tsx";
import { useAction } from "../use-action.ts";
import { Section } from "./section.tsx";

interface ShareLinkProps {
  site: Site;
  /** where the site's collector answers, without a slash at the end */
  base: string;
}

/** The share link of a site's traffic, with buttons to create, replace and revoke it. */
export function ShareLink({ site: { id, shared, sharedWhere }, base }: ShareLinkProps) {
  const { actions } = useShell();
  const { busy, problem, run } = useAction(actions.readSites);
  const [token, setToken] = useState("");
  const [address, setAddress] = useState("");
  const where = filtersOf(address);
  const isUnclear = address !== "" && where.length === 0;
  const path = `api/sites/${id}/share`;
  const make = () =>
    run(async () => {
      setToken((await ask<NewReadToken>("POST", path, { where })).token);
      setAddress("");
    });
  const revoke = () =>
    run(async () => {
      await ask("DELETE", path);
      setToken("");
    });
  return (
    <Section
      title="Share"
      state={shared ? (sharedWhere.length > 0 ? "a part" : "all of it") : "no link"}
    >
      <p class="hint">
        {shared
          ? "Whoever has the link sees this site's traffic: no survey answers, no other site."
          : "A link of its own shows this site's traffic to whoever has it: no survey answers, no other site."}
      </p>
      {shared && <Filters said="It shows only:" where={sharedWhere} />}
      {token !== "" && (
        <Secret
          title={`The link to ${id}.`}
          token={`${base}/dashboard?site=${id}#share=${token}`}
          label={`the link to ${id}`}
        />
      )}
      <Problem text={problem} />
      <Field
        label={shared ? "A new link to a part only (optional)" : "A part only (optional)"}
        hint="Filter the dashboard, copy its address and paste it here: nothing else is shown then."
        value={address}
        onInput={setAddress}
      />
      {isUnclear && (
        <p class="hint" role="status">
          There is no filter in this. Press a value of a list on the dashboard, then copy the
          address of the page.
        </p>
      )}
      <Filters said="The new link will show only:" where={where} />
      <div class="row">
        <AskFirst
          label={shared ? "New link" : "Make a link"}
          disabled={busy || isUnclear}
          asks={shared}
          title={`A new link to ${id}?`}
          text="The one there is stops working."
          yes="Make a new link"
          onYes={make}
        />
        {shared && (
          <AskFirst
            label="Revoke…"
            class="danger"
            disabled={busy}
            title={`Revoke the link to ${id}?`}
            text="It opens nothing any more, whoever has it."
            yes="Revoke"
            onYes={revoke}
          />
        )}
      </div>
    </Section>
  );
}

/** The filters in an address of the dashboard, as texts like `path:is:/about`. */
function filtersOf(address: string): string[] {
  return new URLSearchParams(address.split("?")[1]?.split("#")[0]).getAll("where");
}

/** A list of filters in words; nothing without any. */
function Filters({ said, where }: { said: string; where: readonly string[] }) {
  if (where.length === 0) return null;
  return (
    <div>
      {said}
      <ul aria-label={said}>
        {where.map((text) => (
          <li key={text}>
            <b dir="auto">{inWords(text)}</b>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** `Page begins with /blog`; a text that is no filter as it is. */
function inWords(text: string): string {
  const [name, test, value] = conditionParts(text);
  const dimension = filterable(name);
  const known = Object.entries(TEST_NAMES).find(([one]) => one === test);
  return dimension && known ? `${ONE_OF[dimension]} ${known[1]} ${value}` : text;
}
