import { useEffect, useState } from "preact/hooks";
import { parseDay } from "../../../appliance/base/calendar.ts";
import {
  conditionText,
  readCondition,
  TEST_NAMES,
} from "../../../appliance/base/text/condition.ts";
import { ONE_OF } from "../../../appliance/base/text/dimensions.ts";
import { shortened } from "../../../appliance/base/text/listing.ts";
import { MAX_SHARE_NAME } from "../../../appliance/base/tokens.ts";
import type { NewShare, Share, SharesAnswer, Site } from "../../../appliance/control/wire.ts";
import { longDay } from "../../shared/dates.ts";
import type { DraftOf } from "../../shared/draft.ts";
import { Field } from "../../shared/field.tsx";
import { counted } from "../../shared/format.ts";
import { ask } from "../api.ts";
import { AskFirst } from "../confirm.tsx";
import { useShell } from "../context.ts";
import { Form, Problem, Secret } from "../parts.tsx";
import { useAction } from "../use-action.ts";
import { Section } from "./section.tsx";

interface ShareLinksProps {
  site: Site;
  /** where the site's collector answers, without a slash at the end */
  base: string;
  /** what a link of the dashboard asks to share */
  draft: DraftOf<"share"> | null;
}

/** The links by which a site's traffic is shared, each of which is taken back alone, and a form for another one. */
export function ShareLinks({ site, base, draft }: ShareLinksProps) {
  const { actions } = useShell();
  const [shares, setShares] = useState<readonly Share[]>([]);
  const [fresh, setFresh] = useState<(NewShare & { name: string }) | null>(null);
  const path = `api/sites/${site.id}/shares`;
  const { busy, problem, run } = useAction(async () => {
    setShares((await ask<SharesAnswer>("GET", path)).shares);
  });
  useEffect(() => void run(async () => {}), []);
  const make = (name: string, where: readonly string[]) =>
    run(async () => {
      setFresh({ ...(await ask<NewShare>("POST", path, { name, where })), name });
      await actions.readSites();
    });
  const revoke = ({ id }: Share) =>
    run(async () => {
      await ask("DELETE", `${path}/${id}`);
      if (fresh?.id === id) setFresh(null);
      await actions.readSites();
    });
  return (
    <Section
      title="Share"
      state={site.shares === 0 ? "no link" : counted(site.shares, "link")}
      isOpen={draft !== null}
    >
      <p class="hint">
        A link shows this site's traffic to whoever has it: no survey answers, no other site. Make
        one for each who gets it, so that one can be taken back without the others.
      </p>
      {fresh !== null && (
        <Secret
          title={`The link “${fresh.name}”.`}
          token={`${base}/dashboard?site=${site.id}#share=${fresh.token}`}
          label={`the link ${fresh.name}`}
        />
      )}
      <Problem text={problem} />
      {shares.length > 0 && (
        <ul class="entries" aria-label={`Links to ${site.id}`}>
          {shares.map((share) => (
            <li key={share.id} class="entry">
              <div>
                <bdi>{share.name}</bdi>
                <small dir="auto">{shown(share)}</small>
                <small>
                  {share.lastUsed === null
                    ? "never used"
                    : `last used ${longDay(parseDay(share.lastUsed) ?? 0)}`}
                </small>
              </div>
              <AskFirst
                label="Revoke…"
                class="danger"
                disabled={busy}
                aria-label={`Revoke ${share.name}…`}
                title={`Revoke “${share.name}”?`}
                text="It opens nothing any more, whoever has it. Other links stay."
                yes="Revoke"
                onYes={() => revoke(share)}
              />
            </li>
          ))}
        </ul>
      )}
      <NewLink
        busy={busy}
        initial={draft && draftOf(draft, `${base}/dashboard?site=${site.id}`)}
        onMake={make}
      />
    </Section>
  );
}

interface NewLinkProps {
  busy: boolean;
  /** what it begins with, where something has filled it in */
  initial: { name: string; address: string } | null;
  onMake: (name: string, where: readonly string[]) => Promise<boolean>;
}

function NewLink({ busy, initial, onMake }: NewLinkProps) {
  const [name, setName] = useState(initial?.name ?? "");
  const [address, setAddress] = useState(initial?.address ?? "");
  const where = filtersOf(address);
  const isUnclear = address !== "" && where.length === 0;
  const submit = async () => {
    if (!(await onMake(name, where))) return;
    setName("");
    setAddress("");
  };
  return (
    <Form onSubmit={submit} filled={initial && {}}>
      <Field
        label="New link for"
        placeholder="A client"
        isRequired
        value={name}
        onInput={setName}
      />
      <Field
        label="A part only (optional)"
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
      {where.length > 0 && <p class="hint">It will show {shown({ where })}.</p>}
      <div class="row">
        <button type="submit" disabled={busy || isUnclear}>
          Make a link
        </button>
      </div>
    </Form>
  );
}

/** The name and the address that say what a draft is of. @param dashboard the address of the site's */
function draftOf({ where }: DraftOf<"share">, dashboard: string): NewLinkProps["initial"] {
  const name = where.map(({ test, value }) => (test === "not" ? `not ${value}` : value)).join(", ");
  const filters = new URLSearchParams(where.map((one) => ["where", conditionText(one)]));
  return {
    name: shortened(name, MAX_SHARE_NAME),
    address: where.length === 0 ? "" : `${dashboard}&${filters}`,
  };
}

/** The filters in an address of the dashboard, as texts like `path:is:/about`. */
function filtersOf(address: string): string[] {
  return new URLSearchParams(address.split("?")[1]?.split("#")[0]).getAll("where");
}

/** `all traffic`; `only Page begins with /blog, Country is DE` */
function shown({ where }: Pick<Share, "where">): string {
  return where.length === 0 ? "all traffic" : `only ${where.map(inWords).join(", ")}`;
}

/** `Page begins with /blog`; a text that is no filter as it is. */
export function inWords(text: string): string {
  const one = readCondition(text);
  return one ? `${ONE_OF[one.dimension]} ${TEST_NAMES[one.test]} ${one.value}` : text;
}
