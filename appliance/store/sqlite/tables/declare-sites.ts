import { comparableHost, meansAdmin, siteTokenKey, tokenTwin } from "../../../base/names.ts";
import { ConfigRefused, Refusal } from "../../../base/refusal.ts";
import type { DeclaredSite, SiteRecord } from "../../sites/directory.ts";
import type { Database } from "../database.ts";
import { readDirectory } from "./sites.ts";

/**
 * Makes the declared sites, brings back those that were retired, retires those that are declared no
 * more, and takes declared hosts from whoever has them. Writes nothing when all is known already: a
 * service whose disk is full must still start.
 * @returns what the owner should know of it, a sentence each
 * @throws {ConfigRefused} when the token of one site would open another; nothing is changed then
 */
export function declareSites(db: Database, declared: readonly DeclaredSite[]): string[] {
  const { sites } = readDirectory(db);
  const ids = new Set(declared.map(({ id }) => id));
  const retiring = sites.filter((site) => site.declared && !ids.has(site.id));
  const others = sites.filter((site) => !site.declared && !ids.has(site.id));
  refuseTwins(
    declared.map(({ id }) => id),
    others.map(({ id }) => id),
  );
  const losses = lossesOf(sites, declared);
  if (retiring.length > 0 || losses.length > 0 || !areKnown(declared, sites))
    db.transaction(() => {
      const retire = db.prepare(
        "UPDATE site SET declared = 0, retired = 1, host = NULL WHERE key = ?",
      );
      for (const { key } of retiring) retire.run(key);
      const free = db.prepare("UPDATE site SET host = NULL WHERE key = ?");
      for (const { site } of losses) free.run(site.key);
      const declare = db.prepare(
        `INSERT INTO site (id, host, declared) VALUES (:id, :host, 1)
         ON CONFLICT (id) DO UPDATE SET host = excluded.host, declared = 1, retired = 0`,
      );
      for (const { id, host } of declared) declare.run({ id, host });
    }).immediate();
  return [
    ...retiring.map(
      ({ id }) =>
        `SITES names ${id} no more: it is retired, counts nothing and keeps its numbers. Name it again to bring it back, or erase it: tallydeck sites erase ${id} --confirm ${id}`,
    ),
    ...losses.map(({ site, to }) => `SITES gives ${to.host} to ${to.id}: ${site.id} has lost it.`),
    ...others.filter(({ id }) => meansAdmin(id)).map(({ id }) => ADMIN_SITE(id)),
  ];
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

/** Sites whose host is declared for another. */
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

function areKnown(declared: readonly DeclaredSite[], sites: readonly SiteRecord[]): boolean {
  return declared.every(({ id, host }) =>
    sites.some((site) => site.declared && site.id === id && site.host === host),
  );
}
