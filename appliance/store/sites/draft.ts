import { comparableHost, siteTokenKey } from "../../base/names.ts";
import type { Change } from "../changes.ts";
import type { SiteKey } from "../counting.ts";
import type { Directory, SiteInput, SiteRecord } from "./directory.ts";
import { KINDS_OF_SITES, SITES, type SiteBody } from "./kinds.ts";

/** The fields of a site that can be changed. */
export interface SiteFields extends Omit<SiteRecord, "key" | "others"> {
  readonly retired: boolean;
}

/** Null while there is no such site yet. */
type DraftedSite = { -readonly [F in keyof SiteFields]: SiteFields[F] } & {
  readonly key: SiteKey | null;
  readonly others?: SiteRecord["others"];
};

/** The sites as they are to be, thought through before anything is written. */
export class Draft {
  readonly #before: Before;
  /** Site before → site after; null for one that is removed. */
  readonly #touched = new Map<DraftedSite, DraftedSite | null>();
  readonly #added = new Set<DraftedSite>();
  /** The touched and the added sites that remain. */
  readonly #drafted = new Index();

  constructor(directory: Directory) {
    this.#before = new Before(directory);
  }

  /** Whether a site other than `id` and `but` has a token of the same name. */
  hasTwin(id: string, but = id): boolean {
    const key = siteTokenKey(id);
    const same = [...this.#untouched(this.#before.byToken(key)), ...this.#drafted.byToken(key)];
    return same.some((site) => !site.retired && site.id !== but && site.id !== id);
  }

  /** Whether the host is another site's. */
  isTaken({ id, host }: SiteInput): boolean {
    if (host === undefined || host === null) return false;
    const key = comparableHost(host);
    const same = [...this.#untouched(this.#before.byHost(key)), ...this.#drafted.byHost(key)];
    return same.some((site) => site.id !== id && !site.retired);
  }

  /** Adds a site, or brings back a retired one with its numbers and its token. */
  add(id: string): void {
    const fresh = { host: null, badge: false, retired: false };
    if (this.#find(id) !== undefined) {
      this.set(id, fresh);
      return;
    }
    const site = {
      key: null,
      id,
      declared: false,
      tokenHash: null,
      share: null,
      shares: [],
      ...fresh,
    };
    this.#added.add(site);
    this.#drafted.add(site);
  }

  set(id: string, fields: { readonly [F in keyof SiteFields]?: SiteFields[F] | undefined }): void {
    const site = this.#touch(id);
    if (site === undefined) throw new Error(`there is no site ${id}`);
    const given = Object.entries(fields).filter(([, value]) => value !== undefined);
    this.#drafted.remove(site);
    Object.assign(site, Object.fromEntries(given));
    this.#drafted.add(site);
  }

  /** The site keeps its numbers, and neither counts nor shows anything. */
  retire(id: string): void {
    this.set(id, { retired: true, declared: false, host: null });
  }

  remove(id: string): void {
    const site = this.#touch(id);
    if (site === undefined) return;
    this.#drafted.remove(site);
    this.#added.delete(site);
    for (const [before, after] of this.#touched)
      if (after === site) this.#touched.set(before, null);
  }

  /** The change that leads from the directory to here. */
  change(): Change {
    const gone = [...this.#touched].flatMap(([{ key }, after]) =>
      after === null && key !== null ? [key] : [],
    );
    const changed = [...this.#touched].flatMap(([before, after]) =>
      after === null || isSame(before, after) ? [] : [after],
    );
    const put = [...changed, ...this.#added].map((site) => ({
      id: site.key === null ? null : String(site.key),
      body: JSON.stringify(bodyOf(site)),
    }));
    if (gone.length + put.length === 0) return { documents: [] };
    const remove = gone.map(String);
    const { name, of } = SITES;
    const ofSites = gone.length === 0 ? [] : KINDS_OF_SITES;
    return {
      documents: [
        { kind: { name, ...(of && { of }) }, put, remove },
        ...ofSites.map((kind) => ({ kind: { name: kind.name }, put: [], remove })),
      ],
      erase: gone,
    };
  }

  #find(id: string): DraftedSite | undefined {
    const drafted = this.#drafted.byId(id);
    if (drafted !== undefined) return drafted;
    const before = this.#before.byId(id);
    return before !== undefined && this.#touched.has(before) ? undefined : before;
  }

  /** The site, which may be changed. */
  #touch(id: string): DraftedSite | undefined {
    const found = this.#find(id);
    if (found === undefined || this.#before.byId(id) !== found) return found;
    const site = { ...found };
    this.#touched.set(found, site);
    this.#drafted.add(site);
    return site;
  }

  #untouched(sites: readonly DraftedSite[]): DraftedSite[] {
    return sites.filter((site) => !this.#touched.has(site));
  }
}

/** The existing sites. There may be very many, so each index is built when it is needed. */
class Before {
  readonly #sites: readonly DraftedSite[];
  #byId: Map<string, DraftedSite> | undefined;
  #byToken: Map<string, DraftedSite[]> | undefined;
  #byHost: Map<string, DraftedSite[]> | undefined;

  constructor({ sites, retired }: Directory) {
    const drafted = (isRetired: boolean) => (site: SiteRecord) => ({ ...site, retired: isRetired });
    this.#sites = [...sites.map(drafted(false)), ...retired.map(drafted(true))];
  }

  byId(id: string): DraftedSite | undefined {
    this.#byId ??= new Map(this.#sites.map((site) => [site.id, site]));
    return this.#byId.get(id);
  }

  byToken(key: string): readonly DraftedSite[] {
    this.#byToken ??= Map.groupBy(this.#sites, ({ id }) => siteTokenKey(id));
    return this.#byToken.get(key) ?? [];
  }

  byHost(key: string): readonly DraftedSite[] {
    this.#byHost ??= Map.groupBy(this.#sites, ({ host }) => comparableHost(host ?? ""));
    return this.#byHost.get(key) ?? [];
  }
}

/** Sites that are to be. */
class Index {
  readonly #byId = new Map<string, DraftedSite>();
  readonly #byToken = new Map<string, Set<DraftedSite>>();
  readonly #byHost = new Map<string, Set<DraftedSite>>();

  add(site: DraftedSite): void {
    this.#byId.set(site.id, site);
    join(this.#byToken, siteTokenKey(site.id), site);
    if (site.host !== null) join(this.#byHost, comparableHost(site.host), site);
  }

  remove(site: DraftedSite): void {
    this.#byId.delete(site.id);
    this.#byToken.get(siteTokenKey(site.id))?.delete(site);
    if (site.host !== null) this.#byHost.get(comparableHost(site.host))?.delete(site);
  }

  byId(id: string): DraftedSite | undefined {
    return this.#byId.get(id);
  }

  byToken(key: string): Iterable<DraftedSite> {
    return this.#byToken.get(key) ?? [];
  }

  byHost(key: string): Iterable<DraftedSite> {
    return this.#byHost.get(key) ?? [];
  }
}

function join<K, V>(index: Map<K, Set<V>>, key: K, value: V): void {
  const all = index.get(key) ?? new Set();
  index.set(key, all.add(value));
}

function bodyOf(site: DraftedSite): SiteBody {
  const { id, host, badge, declared, retired, tokenHash, share, others } = site;
  const where = share?.where ?? [];
  const hash = hexOf(share?.hash ?? null);
  return {
    ...others,
    id,
    host,
    badge,
    declared,
    retired,
    token: hexOf(tokenHash),
    share: where.length > 0 ? null : hash,
    ...(where.length > 0 && hash !== null && { sharePart: { hash, where } }),
  };
}

function hexOf(hash: Uint8Array | null): string | null {
  return hash && Buffer.from(hash).toString("hex");
}

function isSame(one: DraftedSite | undefined, other: DraftedSite): boolean {
  return (Object.keys(other) as (keyof DraftedSite)[]).every(
    (field) => one?.[field] === other[field],
  );
}
