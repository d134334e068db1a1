import { comparableHost, meansAdmin, siteTokenKey, tokenTwin } from "../../base/names.ts";
import { ConfigRefused, Refusal } from "../../base/refusal.ts";
import type { Change } from "../changes.ts";
import {
  type DeclaredSite,
  type Directory,
  retiredIn,
  type SiteRecord,
  siteIn,
} from "./directory.ts";
import { Draft } from "./draft.ts";

/**
 * Plans the declared sites: creates new ones, brings back retired ones, retires those that are not declared any
 * more, and moves declared hosts to their sites.
 * @returns the change, empty where there is none, so that a service with a full disk still starts; and sentences
 *   for the owner
 * @throws {ConfigRefused} when the token of one site would open another
 */
export function planDeclared(
  directory: Directory,
  declared: readonly DeclaredSite[],
): { change: Change; sentences: readonly string[] } {
  const { sites } = directory;
  const ids = new Set(declared.map(({ id }) => id));
  const retiring = sites.filter((site) => site.declared && !ids.has(site.id));
  const others = sites.filter((site) => !site.declared && !ids.has(site.id));
  refuseTwins(
    declared.map(({ id }) => id),
    others.map(({ id }) => id),
  );
  const losses = lossesOf(sites, declared);
  const draft = new Draft(directory);
  for (const { id } of retiring) draft.retire(id);
  for (const { site } of losses) draft.set(site.id, { host: null });
  for (const { id, host } of declared) {
    if (!(siteIn(directory, id) ?? retiredIn(directory, id))) draft.add(id);
    draft.set(id, { host, declared: true, retired: false });
  }
  return {
    change: draft.change(),
    sentences: [
      ...retiring.map(
        ({ id }) =>
          `SITES names ${id} no more: it is retired, counts nothing and keeps its numbers. Name it again to bring it back, or erase it: tallydeck sites erase ${id} --confirm ${id}`,
      ),
      ...losses.map(
        ({ site, to }) => `SITES gives ${to.host} to ${to.id}: ${site.id} has lost it.`,
      ),
      ...others.filter(({ id }) => meansAdmin(id)).map(({ id }) => ADMIN_SITE(id)),
    ],
  };
}

const ADMIN_SITE = (id: string) =>
  `The site ${id} goes on counting, but its name means the admin token on the command line. Give it another: tallydeck sites rename ${id} NEW, and the same NEW in the tag on its pages.`;

function refuseTwins(declared: readonly string[], others: readonly string[]): void {
  const problems = others.flatMap((id, index) => {
    const rename = `tallydeck sites rename ${id} NEW`;
    const shared = `the token of both would be ${siteTokenKey(id)}`;
    const named = tokenTwin(id, declared);
    if (named !== undefined)
      return [
        `SITES names ${named}, and there is a site ${id}: ${shared}. Name another in SITES, or rename the one that is there: ${rename}`,
      ];
    const stored = tokenTwin(id, others.slice(index + 1));
    return stored === undefined
      ? []
      : [`There are sites ${id} and ${stored}: ${shared}. Rename one: ${rename}`];
  });
  if (problems.length > 0)
    throw new ConfigRefused(problems.map((problem) => new Refusal("invalid_config", problem)));
}

/** Sites that lose their host to a declared one. */
function lossesOf(
  sites: readonly SiteRecord[],
  declared: readonly DeclaredSite[],
): { site: SiteRecord; to: DeclaredSite }[] {
  const owners = new Map(
    declared.flatMap((site) => (site.host === null ? [] : [[comparableHost(site.host), site]])),
  );
  return sites.flatMap((site) => {
    const to = site.host === null ? undefined : owners.get(comparableHost(site.host));
    return to === undefined || to.id === site.id ? [] : [{ site, to }];
  });
}
