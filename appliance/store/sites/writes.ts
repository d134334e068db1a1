import { ONLY, SESSION } from "../../base/documents.ts";
import { comparableHost, meansAdmin, siteTokenKey, tokenTwin } from "../../base/names.ts";
import { ConfigRefused, Refusal } from "../../base/refusal.ts";
import { type Change, change, type DocumentRow, type DocumentsChange } from "../changes.ts";
import type { SiteKey } from "../counting.ts";
import type { Soon } from "../counts/site-counts.ts";
import { sitesThatCount } from "../counts/sites-that-count.ts";
import { documentsChange } from "../documents.ts";
import type { Transaction } from "../sql.ts";
import type {
  BeforeImport,
  PlannedWriteName,
  SharedWriteName,
  WriteInput,
  WriteResult,
} from "../writes.ts";
import { planFleetZone, planZone } from "./day-zone.ts";
import {
  type DeclaredSite,
  type Directory,
  readDirectory,
  retiredIn,
  type SiteInput,
  type SiteRecord,
  siteIn,
} from "./directory.ts";
import { Draft } from "./draft.ts";
import { ADMIN_TOKEN } from "./kinds.ts";
import { SITE_PLANS } from "./plans.ts";

/**
 * Makes a change that is planned by the sites there are, which nobody else changes meanwhile.
 * @throws {Refusal} as `change`
 */
async function changeSites<T>(
  sql: Transaction,
  plan: (directory: Directory) => Soon<{ readonly change: Change; readonly result: T }>,
): Promise<T> {
  await sql.lock();
  const { change: planned, result } = await plan(await readDirectory(sql));
  if (planned.documents.length > 0) await change(sql, planned);
  return result;
}

/** The writes that are planned by the sites there are; see there. */
export const SITE_WRITES: {
  readonly [W in PlannedWriteName | SharedWriteName]: (
    sql: Transaction,
    input: WriteInput<W>,
  ) => Promise<WriteResult<W>>;
} = {
  createSite: planned("createSite"),
  updateSite: planned("updateSite"),
  renameSite: planned("renameSite"),
  eraseSite: planned("eraseSite"),
  setSiteToken: planned("setSiteToken"),
  shareSite: planned("shareSite"),
  unshareSite: planned("unshareSite"),
  mergeValues: planned("mergeValues"),
  forgetRule: planned("forgetRule"),
  setOfSite: planned("setOfSite"),
  setAdminToken: (sql, { hash, kept }) =>
    changeSites(sql, ({ adminHash }) => {
      const sessions = { kind: { name: SESSION }, put: [], remove: [], keepOnly: kept };
      const documents = [adminChange(hash), ...(adminHash === null ? [] : [sessions])];
      return { change: { documents }, result: undefined };
    }),
  importSettings: (sql, { sites, documents }) =>
    changeSites(sql, async (directory) => {
      const { before, change } = importSites(directory, sites);
      const back: DocumentsChange[] = [];
      for (const each of documents) back.push(await wayBack(sql, each));
      return {
        change: { ...change, documents: [...change.documents, ...documents] },
        result: { documents: back, sites: before },
      };
    }),
  undoImport: (sql, { sites, documents }) =>
    changeSites(sql, async (directory) => {
      const added = addedBy(sites, directory);
      const counting = new Set(await sitesThatCount(sql.snapshot, sql.rows, added));
      const { stay, change } = undoImportOfSites(directory, sites, counting);
      return {
        change: { ...change, documents: [...change.documents, ...documents] },
        result: stay,
      };
    }),
};

function planned<W extends PlannedWriteName>(name: W) {
  return (sql: Transaction, input: WriteInput<W>) =>
    changeSites(sql, (directory) => SITE_PLANS[name](directory, input));
}

/** The admin token is another one, or, where its hash is null, there is none. */
export function adminChange(hash: Uint8Array | null): DocumentsChange {
  if (hash === null) return documentsChange(ADMIN_TOKEN, { remove: [ONLY] });
  const body = { hash: Buffer.from(hash).toString("hex") };
  return documentsChange(ADMIN_TOKEN, { put: [{ id: ONLY, body }] });
}

/** The change that restores the present documents after another change. */
async function wayBack(
  { rows }: Transaction,
  { kind, put, remove }: DocumentsChange,
): Promise<DocumentsChange> {
  const ids = new Set([...put.flatMap(({ id }) => id ?? []), ...remove]);
  const all = await rows<DocumentRow>(
    "SELECT id, body, revision FROM document WHERE kind = $1 AND body IS NOT NULL",
    [kind.name],
  );
  const known = all.filter(({ id }) => ids.has(id));
  for (const { id } of known) ids.delete(id);
  return {
    kind,
    put: known.map(({ id, body, revision }) => ({ id, body, ...(revision === 0 && { revision }) })),
    remove: [...ids],
  };
}

/**
 * Changes the sites to those that the configuration declares.
 * @returns sentences for the owner
 * @throws {ConfigRefused} when the token of one site would open another; nothing is changed then
 */
export function declareSites(
  sql: Transaction,
  declared: readonly DeclaredSite[],
): Promise<string[]> {
  return changeSites(sql, (directory) => {
    const { change, sentences } = planDeclared(directory, declared);
    return { change, result: [...sentences] };
  });
}

interface NamedZone {
  /** Undefined leaves it as it is. */
  readonly zone: string | undefined;
  /** Whether others share the zone, so that the first named one stays. */
  readonly isShared?: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
}

/**
 * Sets the zone of days.
 * @returns sentences for the owner
 */
export async function nameZone(
  sql: Transaction,
  { zone, isShared = false, now }: NamedZone,
): Promise<string[]> {
  if (zone === undefined) return [];
  return changeSites(sql, (directory) => {
    const planned = isShared ? planFleetZone : planZone;
    const { change, sentences } = planned(directory, zone, now);
    return { change, result: [...sentences] };
  });
}

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

type SitesBefore = BeforeImport["sites"];

/**
 * Adds and changes sites and tokens from settings, and deletes none. Sites that the configuration declares stay as
 * they are.
 * @throws {Error} when a host or the name of a token belongs to another site, which the caller has to check before
 */
function importSites(
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
  const [taken] = setFree(
    draft,
    sites.filter(({ id }) => !known.get(id)?.declared),
  );
  if (taken !== undefined) throw new Error(`${taken.host} belongs to another site`);
  return { before: sitesBefore(directory, sites), change: draft.change() };
}

/** The sites that an import has added: those with numbers by now are not to be undone. */
function addedBy(sites: SitesBefore, directory: Directory): SiteKey[] {
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
function undoImportOfSites(
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
  const taken = setFree(
    draft,
    there.filter(({ was }) => was === "there"),
  );
  return { stay: [...stay, ...taken].map(({ id }) => id), change: draft.change() };
}

function byId(sites: readonly SiteRecord[]): ReadonlyMap<string, SiteRecord> {
  return new Map(sites.map((site) => [site.id, site]));
}

/** Changes sites, which may swap their hosts. @returns sites whose host belongs to another one */
function setFree(draft: Draft, sites: readonly SiteInput[]): SiteInput[] {
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
