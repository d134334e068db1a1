import { useState } from "preact/hooks";
import { messageOf } from "../../appliance/base/message-of.ts";
import type { SiteEntry } from "../../appliance/traffic/collector/wire.ts";
import { ReadError, readJson } from "../shared/api.ts";
import { Menu } from "./menu.tsx";
import { RefreshButton } from "./refresh-button.tsx";
import type { ChangeView } from "./use-view.ts";
import type { View } from "./view.ts";

interface HeaderProps {
  site: string;
  tab: View["tab"];
  token: string;
  /** opened by a share link, which shows only the traffic of this site */
  isShared: boolean;
  /** whether any survey response ever came */
  hasSurveys: boolean;
  /** the token opens other sites, too */
  hasMore: boolean;
  busy: boolean;
  change: ChangeView;
  refresh: () => void;
  signOut: () => void;
  showKeys: () => void;
}

const TABS: [View["tab"], string][] = [
  ["traffic", "Traffic"],
  ["surveys", "Surveys"],
];

/** The choices that belong to the site that was looked at are left behind. */
const leaveFor = (site: string) => ({
  site,
  source: "",
  where: [],
  filter: "",
  open: [],
  question: "",
});

export function Header(props: HeaderProps) {
  const { site, tab, token, isShared, hasSurveys, hasMore, busy } = props;
  const { change, refresh, signOut, showKeys } = props;
  return (
    <header class="top">
      <img src="favicon.svg" alt="Tallydeck" width="26" height="26" />
      {hasMore && <AllSites onOpen={() => change({ ...leaveFor(""), tab: "traffic" })} />}
      {isShared ? (
        <bdi class="site-title">{site}</bdi>
      ) : (
        <SiteMenu site={site} token={token} change={change} signOut={signOut} />
      )}
      {(hasSurveys || tab === "surveys") && <Tabs {...{ tab, hasSurveys, change }} />}
      <span class="spacer" />
      <RefreshButton busy={busy} refresh={refresh} />
      <button type="button" class="quiet keys" title="Key: ?" onClick={showKeys}>
        Shortcuts
      </button>
    </header>
  );
}

/** The way back to where all sites are. */
function AllSites({ onOpen }: { onOpen: () => void }) {
  return (
    <button type="button" class="quiet" aria-label="All sites" onClick={onOpen}>
      ‹ All <span class="word">sites</span>
    </button>
  );
}

/** The sections of a site. One without surveys has no tab for them, and needs none at its traffic. */
function Tabs({ tab, hasSurveys, change }: Pick<HeaderProps, "tab" | "hasSurveys" | "change">) {
  return (
    <nav aria-label="Sections" class="tabs">
      {TABS.filter(([id]) => id === "traffic" || hasSurveys).map(([id, name]) => (
        <button
          key={id}
          type="button"
          aria-current={tab === id ? "page" : undefined}
          onClick={() => change({ tab: id })}
        >
          {name}
        </button>
      ))}
    </nav>
  );
}

type SiteMenuProps = Pick<HeaderProps, "site" | "token" | "change" | "signOut">;

type Listing = { sites: SiteEntry[] } | { problem: string } | null;

/** The site's name, with a menu of other sites. They are requested when it opens, since only the admin token lists them. */
function SiteMenu({ site, token, change, signOut }: SiteMenuProps) {
  const [listing, setListing] = useState<Listing>(null);
  const list = async () => {
    if (listing === null || "problem" in listing) setListing(await listSites(token));
  };
  return (
    <Menu class="sites" buttonClass="site-name" label={<bdi>{site}</bdi>} onOpen={list}>
      {(close) => (
        <>
          {listing === null && <p>Looking for sites…</p>}
          {listing !== null && "problem" in listing && <p>{listing.problem}</p>}
          {listing !== null && "sites" in listing && (
            <ul>
              {listing.sites.map(({ id, host }) => (
                <li key={id}>
                  <button
                    type="button"
                    aria-current={id === site ? "true" : undefined}
                    onClick={() => {
                      close();
                      change(leaveFor(id));
                    }}
                  >
                    {id} {host !== null && <small>{host}</small>}
                  </button>
                </li>
              ))}
            </ul>
          )}
          <a href={`help?site=${encodeURIComponent(site)}`}>Setup and checks</a>
          <button type="button" onClick={signOut}>
            Sign out
          </button>
        </>
      )}
    </Menu>
  );
}

async function listSites(token: string): Promise<Listing> {
  try {
    const answer = await readJson<SiteEntry[]>("sites", {}, token);
    return answer.unchanged ? null : { sites: answer.body };
  } catch (error) {
    if (error instanceof ReadError && error.kind === "unauthorized") {
      return { problem: "This token opens this site only. The admin token lists all of them." };
    }
    return { problem: messageOf(error) };
  }
}
