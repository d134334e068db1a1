import { BOUNDS } from "../../base/bounds.ts";
import { VALUE_RULES, type ValueRules } from "../../base/input/value-rules.ts";
import { isSiteId } from "../../base/names.ts";
import { MAX_VALUE_RULES } from "../../base/text/dimensions.ts";
import type { Change, DocumentsChange } from "../changes.ts";
import type { SiteKey } from "../counting.ts";
import { documentsChange } from "../documents.ts";
import type { SiteAlarms } from "../reports.ts";
import type { PlannedWriteName, WriteInput, WriteResult } from "../writes.ts";
import { ALARM_SINCE, SITE_ALARMS } from "./alarms.ts";
import { planZone, zonePending } from "./day-zone.ts";
import {
  type Directory,
  type RuleOutcome,
  retiredIn,
  type ShareOutcome,
  type SiteOutcome,
  type SiteRecord,
  siteIn,
} from "./directory.ts";
import { Draft } from "./draft.ts";
import { SITE_SETTINGS } from "./kinds.ts";
import { FIRST_SHARE, MAX_SHARES, sharesChange, sharesOf } from "./shares.ts";
import { NO_VALUE_RULES, withRule } from "./value-rules.ts";

/** The outcome of a wish, and the change that it takes: none unless it is done. */
interface SitePlan<Outcome = SiteOutcome> {
  readonly result: Outcome;
  readonly change: Change;
}

/** The rules of sites, by the name of the write; see there. */
export const SITE_PLANS: {
  readonly [W in PlannedWriteName]: (
    directory: Directory,
    input: WriteInput<W>,
  ) => SitePlan<WriteResult<W>>;
} = {
  createSite(directory, { id, host, badge, zone }) {
    const draft = new Draft(directory);
    if (siteIn(directory, id)) return not("exists");
    if (!retiredIn(directory, id) && isFull(directory)) return not("too_many");
    if (draft.hasTwin(id)) return not("same_token_name");
    if (draft.isTaken({ id, host })) return not("host_taken");
    draft.add(id);
    draft.set(id, { host, badge });
    const days = zonePending(directory) ? planZone(directory, zone, 0).change : undefined;
    return done({ documents: [...(days?.documents ?? []), ...draft.change().documents] });
  },
  updateSite(directory, { id, host, badge }) {
    const draft = new Draft(directory);
    const site = siteIn(directory, id);
    if (!site) return not(absence(directory, id));
    if (site.declared) return not("declared");
    if (draft.isTaken({ id, host })) return not("host_taken");
    draft.set(id, { host, badge });
    return done(draft.change());
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
    return done(draft.change());
  },
  eraseSite(directory, { id }) {
    const draft = new Draft(directory);
    const site = siteIn(directory, id) ?? retiredIn(directory, id);
    if (!site) return not("not_found");
    if (site.declared) return not("declared");
    draft.remove(id);
    return done(draft.change());
  },
  setSiteToken: (directory, { id, hash }) => withSecret(directory, id, { tokenHash: hash }),
  shareSite(directory, { id, share }) {
    const site = siteIn(directory, id);
    if (!site) return not(absence(directory, id));
    if (sharesOf(site).length >= MAX_SHARES) return not("too_many_shares");
    return done({ documents: [sharesChange(site.key, [...site.shares, share])] });
  },
  unshareSite(directory, { id, share }) {
    const site = siteIn(directory, id);
    if (!site) return not(absence(directory, id));
    if (!sharesOf(site).some((one) => one.id === share)) return not("no_such_share");
    if (share === FIRST_SHARE) return withSecret(directory, id, { share: null });
    const left = site.shares.filter((one) => one.id !== share);
    return done({ documents: [sharesChange(site.key, left)] });
  },
  mergeValues(directory, { id, rule }) {
    const site = siteIn(directory, id);
    if (!site) return not(absence(directory, id));
    const rules = withRule(site.valueRules ?? NO_VALUE_RULES, rule);
    if (rules === "cycle") return not("cycle");
    if (Math.max(rules.rules.length, rules.due.length) > MAX_VALUE_RULES)
      return not("too_many_rules");
    return done(rulesChange(site, rules));
  },
  forgetRule(directory, { id, rule }) {
    const site = siteIn(directory, id);
    if (!site) return not(absence(directory, id));
    const { rules, due } = site.valueRules ?? NO_VALUE_RULES;
    const left = rules.filter(
      ({ dimension, from }) => dimension !== rule.dimension || from !== rule.from,
    );
    if (left.length === rules.length) return not("no_such_rule");
    return done(rulesChange(site, { rules: left, due }));
  },
  setOfSite: (directory, { id, kind: name, body }) =>
    ofSite(directory, id, ({ key }) => {
      const kind = SITE_SETTINGS.find((one) => one.name === name);
      if (kind === undefined) throw new Error(`sites have no ${name}: add it to SITE_SETTINGS`);
      const put = documentsChange(kind, { put: [{ id: String(key), body }] });
      return {
        documents: [put, ...(kind === SITE_ALARMS ? noMoreOf(body as SiteAlarms, key) : [])],
      };
    }),
};

function rulesChange({ key }: SiteRecord, body: ValueRules): Change {
  const documents = [documentsChange(VALUE_RULES, { put: [{ id: String(key), body }] })];
  return { documents, voids: true };
}

/** An alarm that is switched off stands no more. */
function noMoreOf(alarms: SiteAlarms, site: SiteKey): DocumentsChange[] {
  return (["silence", "rush"] as const)
    .filter((kind) => !alarms[kind])
    .map((kind) => documentsChange(ALARM_SINCE[kind], { remove: [String(site)] }));
}

function withSecret(
  directory: Directory,
  id: string,
  secret: Partial<Pick<SiteRecord, "tokenHash" | "share">>,
): SitePlan {
  return ofSite(directory, id, () => {
    const draft = new Draft(directory);
    draft.set(id, secret);
    return draft.change();
  });
}

function isFull({ sites, retired }: Directory): boolean {
  return sites.length + retired.length >= BOUNDS.sites.count;
}

/** Plans a change to a site that is not retired. */
function ofSite(directory: Directory, id: string, change: (site: SiteRecord) => Change): SitePlan {
  const site = siteIn(directory, id);
  return site ? done(change(site)) : not(absence(directory, id));
}

/** The reason that a site is not found. */
function absence(directory: Directory, id: string): "retired" | "not_found" {
  return retiredIn(directory, id) ? "retired" : "not_found";
}

function done(change: Change): SitePlan<"done"> {
  return { result: "done", change };
}

function not<Outcome extends Exclude<ShareOutcome | RuleOutcome, "done">>(
  outcome: Outcome,
): SitePlan<Outcome> {
  return { result: outcome, change: { documents: [] } };
}
