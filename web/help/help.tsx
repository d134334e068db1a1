import { useState } from "preact/hooks";
import { scriptTag } from "../../appliance/base/ports.ts";
import type { TagPlace } from "../../appliance/traffic/collector/wire.ts";
import { baseUrl } from "../shared/collector.ts";
import { Snippet } from "../shared/copy-button.tsx";
import { Field } from "../shared/field.tsx";
import { usePublicAddress } from "../shared/public-address.ts";
import { loadToken } from "../shared/token.ts";
import { CheckCard } from "./check-card.tsx";
import {
  collectorReachable,
  realTraffic,
  type Setup,
  scriptInstalled,
  secondProject,
  siteAndToken,
  TEST_PATH,
  testView,
} from "./checks.ts";
import { MoreSnippets, OwnVisits, PublicSite, ReadingToken } from "./sections.tsx";

const NEEDS_SITE = "Type the site id at the top of the page first.";
const NEEDS_TOKEN = "Type the token at the top of the page first.";

/** The guided setup, with five checks. */
export function Help() {
  const [setup, setSetup] = useState<Setup>(() => ({
    site: new URLSearchParams(location.search).get("site") ?? "",
    token: loadToken(),
    origin: "",
    otherSite: "",
    otherToken: "",
  }));
  const set = (key: keyof Setup) => (text: string) => setSetup({ ...setup, [key]: text.trim() });
  const site = setup.site || "my-site";
  const base = baseUrl(location.href);
  const { url: publicUrl, place } = usePublicAddress(setup.site, setup.token);
  const tagBase = place?.url ?? publicUrl ?? base;
  const tagSite = place?.site ?? site;
  return (
    <div class="page help">
      <header class="top">
        <img src="favicon.svg" alt="" width="26" height="26" />
        <h1>Setup</h1>
        <span class="spacer" />
        <a
          class="quiet"
          href={`dashboard${setup.site && `?site=${encodeURIComponent(setup.site)}`}`}
        >
          To the dashboard
        </a>
      </header>
      <main>
        <section class="card fields" aria-label="Your site">
          <Field
            label="Site id"
            value={setup.site}
            hint="Everything below is filled in with it."
            onInput={set("site")}
          />
          <Field
            label="Token"
            isSecret
            value={setup.token}
            hint="The site's own token. It stays in this page."
            onInput={set("token")}
          />
        </section>
        <section aria-labelledby="tag-title">
          <h2 id="tag-title">The tag</h2>
          <p>
            Put this line into the head of every page. It sets no cookie, asks no third party, and
            does nothing for visitors who ask not to be tracked.
          </p>
          <Snippet text={scriptTag(tagBase, tagSite)} label="the script tag" />
          {place !== null ? (
            <p class="hint">
              It names {place.name}, another Tallydeck of yours that counts this site.
            </p>
          ) : (
            publicUrl !== null && (
              <p class="hint">It names the public address, which visitors everywhere can open.</p>
            )
          )}
          <p class="hint">
            To try it on <code>localhost</code>, add <code>data-dev="1"</code> to the tag. On a
            domain mapped to the site, <code>data-site</code> may be left out.
          </p>
        </section>
        <section aria-labelledby="checks-title">
          <h2 id="checks-title">Checks</h2>
          <Checks setup={setup} set={set} place={place} />
        </section>
        <OwnVisits origin={setup.origin} />
        <ReadingToken site={site} />
        <PublicSite base={base} publicUrl={publicUrl} place={place} />
        <MoreSnippets
          site={tagSite}
          base={tagBase}
          badge={`${publicUrl ?? tagBase}/badge?site=${publicUrl === null ? tagSite : site}`}
        />
      </main>
    </div>
  );
}

interface ChecksProps {
  setup: Setup;
  set: (key: keyof Setup) => (text: string) => void;
  place: TagPlace | null;
}

function Checks({ setup, set, place }: ChecksProps) {
  const { token, origin, otherSite, site } = setup;
  const needsToken = token === "" ? NEEDS_TOKEN : "";
  return (
    <ol class="checks">
      <CheckCard
        title="1. This machine answers"
        button="Check the connection"
        setup={setup}
        missing=""
        check={collectorReachable}
      >
        <p>
          The machine answers at the address of this page, on this device. Whether visitors
          elsewhere get in is <a href="#reach">another question</a>.
        </p>
      </CheckCard>
      <CheckCard
        title="2. Site id and token"
        button="Check the token"
        setup={setup}
        missing={needsToken}
        check={siteAndToken}
      >
        <p>The token typed above opens the site typed above.</p>
      </CheckCard>
      <CheckCard
        title="3. Script tag installed"
        button="Check the tag"
        setup={setup}
        missing={needsToken}
        check={scriptInstalled}
      >
        <p>
          There were pageviews today or yesterday. One from a device on mobile data proves the whole
          way; your own, made at home, proves the tag.
        </p>
      </CheckCard>
      <CheckCard
        title="4. Real traffic"
        button="Check the traffic"
        setup={setup}
        missing={needsToken || (origin === "" ? "Type the address of your site first." : "")}
        check={realTraffic}
      >
        <Field
          label="Address of your site"
          value={origin}
          placeholder="https://example.com"
          hint="Where the tag was placed."
          onInput={set("origin")}
        />
      </CheckCard>
      <CheckCard
        title="5. Second project"
        button="Check the second site"
        setup={setup}
        missing={needsSecond(setup)}
        check={secondProject}
      >
        <Field label="Other site id" value={otherSite} onInput={set("otherSite")} />
        <Field
          label="Its token"
          isSecret
          value={setup.otherToken}
          hint="May be left empty if the token above is the admin token."
          onInput={set("otherToken")}
        />
      </CheckCard>
      <CheckCard
        title="A test view"
        button="Send a test view"
        setup={setup}
        missing={site === "" ? NEEDS_SITE : needsToken}
        check={(setup) => testView(setup, place)}
      >
        <p>
          Counts one view of <code>{TEST_PATH}</code>, as if a visitor had opened this page
          {place !== null && `: it goes to ${place.name}, and has to arrive here`}. It stays in the
          figures, and check 3 sees it too.
        </p>
      </CheckCard>
    </ol>
  );
}

function needsSecond({ site, token, otherSite, otherToken }: Setup): string {
  if (site === "") return NEEDS_SITE;
  if (otherSite === "") return "Type the id of the second site first.";
  return token === "" && otherToken === "" ? NEEDS_TOKEN : "";
}
