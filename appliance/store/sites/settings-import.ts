import type { Change } from "../changes.ts";
import type { SiteKey } from "../counting.ts";
import type { BeforeImport } from "../writes.ts";
import type { Directory, SiteInput, SiteRecord } from "./directory.ts";
import { Draft } from "./draft.ts";

type SitesBefore = BeforeImport["sites"];

/**
 * Adds and changes sites and tokens from settings, and deletes none. Sites that the configuration declares stay as
 * they are.
 * @throws {Error} when a host or the name of a token belongs to another site, which the caller has to check before
 */
export function importSites(
  directory: Directory,
  sites: readonly SiteInput[],
): { before: SitesBefore; change: Change } {
  const draft = new Draft(directory);
  const known = byId(directory.sites);
  for (const { id } of sites) {
    if (known.has(id)) continue;
    if (draft.hasTwin(id)) throw new Error(`the token of ${id} belongs to another site`);
    draft.add(id);
  }
  const [taken] = settle(
    draft,
    sites.filter(({ id }) => !known.get(id)?.declared),
  );
  if (taken !== undefined) throw new Error(`${taken.host} belongs to another site`);
  return { before: sitesBefore(directory, sites), change: draft.change() };
}

/** The sites that an import has added: those with numbers by now are not to be undone. */
export function addedBy(sites: SitesBefore, directory: Directory): SiteKey[] {
  const known = byId(directory.sites);
  return sites.flatMap(({ id, was }) => {
    const site = was === "none" ? known.get(id) : undefined;
    return site?.declared === false ? [site.key] : [];
  });
}

/**
 * Undoes an import.
 * @param counting the sites of `addedBy` that have counts
 * @returns the change, and the ids of sites that stay as they are: new ones with counts, and those whose host
 *   belongs to another site by now
 */
export function undoImportOfSites(
  directory: Directory,
  sites: SitesBefore,
  counting: ReadonlySet<SiteKey>,
): { stay: string[]; change: Change } {
  const draft = new Draft(directory);
  const known = byId(directory.sites);
  const there = sites.filter(({ id }) => known.get(id)?.declared === false);
  const added = there.filter(({ was }) => was === "none");
  const hasNumbers = ({ id }: SiteInput) => counting.has(known.get(id)?.key ?? 0);
  const stay = added.filter(hasNumbers);
  for (const site of added) if (!hasNumbers(site)) draft.remove(site.id);
  for (const { id, was } of there) if (was === "retired") draft.retire(id);
  const taken = settle(
    draft,
    there.filter(({ was }) => was === "there"),
  );
  return { stay: [...stay, ...taken].map(({ id }) => id), change: draft.change() };
}

function byId(sites: readonly SiteRecord[]): ReadonlyMap<string, SiteRecord> {
  return new Map(sites.map((site) => [site.id, site]));
}

/** Changes sites, which may swap their hosts. @returns sites whose host belongs to another one */
function settle(draft: Draft, sites: readonly SiteInput[]): SiteInput[] {
  for (const { id, host } of sites) if (host !== undefined) draft.set(id, { host: null });
  return sites.filter(({ id, host, badge }) => {
    if (draft.isTaken({ id, host })) return true;
    draft.set(id, { host, badge });
    return false;
  });
}

function sitesBefore(directory: Directory, sites: readonly SiteInput[]): SitesBefore {
  const [known, retired] = [byId(directory.sites), byId(directory.retired)];
  return sites.map(({ id }) => {
    const site = known.get(id);
    const { host, badge } = site ?? { host: null, badge: false };
    const was = site ? "there" : retired.has(id) ? "retired" : "none";
    return { id, was, host, badge };
  });
}
