import { UTC_DAYS } from "../../base/day-zone.ts";
import { comparableHost, tokenTwin, twinProblem } from "../../base/names.ts";
import { change, type DocumentsChange } from "../changes.ts";
import type { SiteKey } from "../counting.ts";
import { documentsChange } from "../documents.ts";
import { zoneChange } from "../sites/day-zone.ts";
import { type Directory, readDirectory, type SiteRecord, siteIn } from "../sites/directory.ts";
import { Draft } from "../sites/draft.ts";
import { SITE_SETTINGS } from "../sites/kinds.ts";
import { adminChange } from "../sites/writes.ts";
import type { Transaction } from "../sql.ts";
import type { CopyEnd } from "./end.ts";
import { CopyRefused, type CopySite } from "./engine.ts";
import { numberOf } from "./sources.ts";

/** A site on both sides. */
export interface Pair {
  readonly site: SiteKey;
  readonly id: string;
  /** The one it is in the target. */
  readonly there: { readonly id: string; readonly key: SiteKey };
}

/** A site of the source, and the one it is in the target, if it is there. */
interface Match {
  readonly site: CopySite;
  readonly found: CopySite | undefined;
}

/**
 * Sites that are there on both sides; nothing is changed.
 * @returns the ids of the others, too
 */
export async function pairsOf(
  from: CopyEnd,
  to: CopyEnd,
): Promise<{ pairs: readonly Pair[]; missing: readonly string[] }> {
  const matches = await match(from, to);
  return {
    pairs: matches.flatMap((each) => (each.found ? [pairOf(each, each.found)] : [])),
    missing: matches.flatMap(({ site, found }) => (found ? [] : [site.id])),
  };
}

/**
 * Creates sites that the target lacks, with all their settings. For other sites, the first run copies settings
 * that the target has none of; later runs copy none.
 * @param say takes a sentence for the owner
 * @throws {CopyRefused} where a site conflicts with another; nothing is changed then
 */
export async function bringSites(
  from: CopyEnd,
  to: CopyEnd,
  say: (sentence: string) => void,
): Promise<readonly Pair[]> {
  const matches = await match(from, to);
  refuseTwins(matches, await to.sites());
  await bringZone(from, to, say);
  const known = await to.read((access) => numberOf(access, from.origin));
  const isFirst = known === undefined;
  for (const each of matches)
    if (each.found === undefined || (isFirst && lacks(each.site, each.found))) {
      const loser = await to.transaction((access) => bring(each, access));
      if (loser !== undefined) say(loser);
    }
  if (isFirst) await bringAdminToken(from, to);
  return (await pairsOf(from, to)).pairs;
}

/** Whether anything is set of a site that is not set in the target. */
function lacks(site: CopySite, found: CopySite): boolean {
  const lacksTokens = Object.keys(tokensOf(site, found)).length > 0;
  return takesHost(site, found) || lacksTokens || settingsOf(site, found.key, found).length > 0;
}

function takesHost(site: CopySite, found: CopySite): boolean {
  return site.host !== null && found.host === null && !found.declared && !found.retired;
}

async function match(from: CopyEnd, to: CopyEnd): Promise<Match[]> {
  const sites = await from.sites();
  const there = await to.sites();
  return sites.map((site) => ({ site, found: there.find(({ id }) => id === site.id) }));
}

function refuseTwins(matches: readonly Match[], there: readonly CopySite[]): void {
  const ids = there.filter(({ retired }) => !retired).map(({ id }) => id);
  for (const { site, found } of matches) {
    const twin = site.retired || found ? undefined : tokenTwin(site.id, ids);
    if (twin !== undefined)
      throw new CopyRefused(
        `${site.id} cannot be copied. ${twinProblem(site.id, twin)} Rename it where it is: \`tallydeck sites rename ${site.id} NEW\`.`,
      );
  }
}

/** @returns a sentence for the owner where some settings of the site could not be copied */
async function bring({ site, found }: Match, sql: Transaction): Promise<string | undefined> {
  await sql.lock();
  const directory = await readDirectory(sql);
  const draft = new Draft(directory);
  const id = found?.id ?? site.id;
  const owner = ownerOf(site.host, directory, id);
  const host = owner === undefined ? site.host : null;
  if (found === undefined) draft.add(id);
  if (found === undefined) draft.set(id, { host, badge: site.badge });
  else if (takesHost(site, found)) draft.set(id, { host });
  draft.set(id, tokensOf(site, found));
  await change(sql, draft.change());
  const key = found?.key ?? keyOf(await readDirectory(sql), id);
  await change(sql, { documents: settingsOf(site, key, found) });
  if (found === undefined && site.retired) await retire(sql, id);
  return owner && `${site.host} belongs to ${owner.id} in the target: ${id} is there without it.`;
}

async function retire(sql: Transaction, id: string): Promise<void> {
  const draft = new Draft(await readDirectory(sql));
  draft.retire(id);
  await change(sql, draft.change());
}

/** The tokens of the site that it does not have in the target. */
function tokensOf(
  { tokenHash, share }: CopySite,
  found: CopySite | undefined,
): Partial<Pick<CopySite, "tokenHash" | "share">> {
  return {
    ...(tokenHash !== null && !found?.tokenHash && { tokenHash }),
    ...(share !== null && !found?.share && { share }),
  };
}

/** The settings of the site that are not set in the target. */
function settingsOf(site: CopySite, key: SiteKey, found: CopySite | undefined): DocumentsChange[] {
  const { settings } = site;
  const id = String(key);
  const isSet = (body: unknown) => Object.keys(body ?? {}).length > 0;
  return SITE_SETTINGS.flatMap((kind): DocumentsChange[] => {
    const body = settings.get(kind.name);
    const isLacking = isSet(body) && !isSet(found?.settings.get(kind.name));
    return isLacking ? [documentsChange(kind, { put: [{ id, body }] })] : [];
  });
}

/**
 * Copies the time zone, for later days, unless the target has one of its own. Copied days stay as they are.
 * @param say takes a sentence for the owner where the zones differ
 */
async function bringZone(from: CopyEnd, to: CopyEnd, say: (sentence: string) => void) {
  const { dayZone: setting } = await from.directory();
  const takes = ({ dayZone, sites, retired }: Directory) =>
    setting !== null && dayZone === null && sites.length + retired.length === 0;
  if (takes(await to.directory()))
    await to.transaction(async (sql) => {
      await sql.lock();
      if (setting !== null && takes(await readDirectory(sql)))
        await change(sql, zoneChange(setting));
    });
  const zone = ((await to.directory()).dayZone ?? UTC_DAYS).zone;
  const there = (setting ?? UTC_DAYS).zone;
  if (there !== zone)
    say(
      `Days begin by ${there} in ${from.name}, and by ${zone} in ${to.name}: what is copied stays on the days it was counted on.`,
    );
}

async function bringAdminToken(from: CopyEnd, to: CopyEnd): Promise<void> {
  const { adminHash: hash } = await from.directory();
  if (hash === null || (await to.directory()).adminHash !== null) return;
  await to.transaction(async (sql) => {
    await sql.lock();
    const { adminHash } = await readDirectory(sql);
    if (adminHash === null) await change(sql, { documents: [adminChange(hash)] });
  });
}

function ownerOf(host: string | null, { sites }: Directory, id: string): SiteRecord | undefined {
  if (host === null) return undefined;
  return sites.find(
    (site) =>
      site.id !== id && site.host !== null && comparableHost(site.host) === comparableHost(host),
  );
}

function keyOf(directory: Directory, id: string): SiteKey {
  const site = siteIn(directory, id);
  if (site === undefined) throw new Error(`the site ${id} was not made`);
  return site.key;
}

function pairOf({ site }: Match, { key, id }: { key: SiteKey; id: string }): Pair {
  return { site: site.key, id: site.id, there: { key, id } };
}
