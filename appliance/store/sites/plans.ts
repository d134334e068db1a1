import { BOUNDS } from "../../base/bounds.ts";
import { isSiteId } from "../../base/names.ts";
import type { SiteKey } from "../counting.ts";
import type { WriteInput } from "../writes.ts";
import { planZone, zonePending } from "./day-zone.ts";
import { type Directory, retiredIn, type SiteOutcome, siteIn } from "./directory.ts";
import { Draft, type SiteChange } from "./draft.ts";

/** The outcome of a change, and the steps of a database for it: none unless it is done. */
interface SitePlan {
  readonly outcome: SiteOutcome;
  readonly changes: readonly SiteChange[];
}

/** The writes that have a SiteOutcome. */
export type PlannedWriteName =
  | "createSite"
  | "updateSite"
  | "renameSite"
  | "eraseSite"
  | "setSiteToken"
  | "shareSite"
  | "setSurveyLabels"
  | "setSiteAlarms";

/** The rules of sites, by the name of the write; see there. */
export const SITE_PLANS: {
  readonly [W in PlannedWriteName]: (directory: Directory, input: WriteInput<W>) => SitePlan;
} = {
  createSite(directory, { id, host, badge, zone }) {
    const draft = new Draft(directory);
    if (siteIn(directory, id)) return not("exists");
    if (!retiredIn(directory, id) && isFull(directory)) return not("too_many");
    if (draft.hasTwin(id)) return not("same_token_name");
    if (draft.isTaken({ id, host })) return not("host_taken");
    draft.add(id);
    draft.set(id, { host, badge });
    const days = zonePending(directory) ? planZone(directory, zone, 0).changes : [];
    return done([...days, ...draft.changes()]);
  },
  updateSite(directory, { id, host, badge }) {
    const draft = new Draft(directory);
    const site = siteIn(directory, id);
    if (!site) return not(absence(directory, id));
    if (site.declared) return not("declared");
    if (draft.isTaken({ id, host })) return not("host_taken");
    draft.set(id, { host, badge });
    return done(draft.changes());
  },
  renameSite(directory, { id, to }) {
    const draft = new Draft(directory);
    const site = siteIn(directory, id) ?? retiredIn(directory, id);
    if (!site) return not("not_found");
    // A name that cannot be declared any more is no longer the configuration's.
    if (site.declared && isSiteId(id)) return not("declared");
    if (siteIn(directory, to) ?? retiredIn(directory, to)) return not("exists");
    if (draft.hasTwin(to, id)) return not("same_token_name");
    draft.set(id, { id: to });
    return done(draft.changes());
  },
  eraseSite(directory, { id }) {
    const draft = new Draft(directory);
    const site = siteIn(directory, id) ?? retiredIn(directory, id);
    if (!site) return not("not_found");
    if (site.declared) return not("declared");
    draft.remove(id);
    return done(draft.changes());
  },
  setSiteToken: (directory, { id, hash }) =>
    ofSite(directory, id, (site) => ({ kind: "readToken", site, hash })),
  shareSite: (directory, { id, hash }) =>
    ofSite(directory, id, (site) => ({ kind: "shareToken", site, hash })),
  setSurveyLabels: (directory, { id, labels }) =>
    ofSite(directory, id, (site) => ({ kind: "labels", site, labels })),
  setSiteAlarms: (directory, { id, alarms }) =>
    ofSite(directory, id, (site) => ({ kind: "alarms", site, alarms })),
};

function isFull({ sites, retired }: Directory): boolean {
  return sites.length + retired.length >= BOUNDS.sites.count;
}

/** A change of what a site has that is not retired. */
function ofSite(directory: Directory, id: string, change: (site: SiteKey) => SiteChange): SitePlan {
  const site = siteIn(directory, id);
  return site ? done([change(site.key)]) : not(absence(directory, id));
}

/** Why a site is not found. */
function absence(directory: Directory, id: string): "retired" | "not_found" {
  return retiredIn(directory, id) ? "retired" : "not_found";
}

function done(changes: readonly SiteChange[]): SitePlan {
  return { outcome: "done", changes };
}

function not(outcome: Exclude<SiteOutcome, "done">): SitePlan {
  return { outcome, changes: [] };
}
