import { comparableHost, siteTokenKey } from "../../base/names.ts";
import type { Change } from "../changes.ts";
import type { SiteKey } from "../counting.ts";
import type { Directory, SiteInput, SiteRecord } from "./directory.ts";
import { KINDS_OF_SITES, SITES, type SiteBody } from "./kinds.ts";

/** The fields of a site that can be changed. */
export interface SiteFields {
  readonly id: string;
  readonly host: string | null;
  readonly badge: boolean;
  readonly declared: boolean;
  readonly retired: boolean;
  readonly tokenHash: Uint8Array | null;
  readonly shareHash: Uint8Array | null;
}

/** Null while there is no such site yet. */
type DraftedSite = { -readonly [F in keyof SiteFields]: SiteFields[F] } & {
  readonly key: SiteKey | null;
  readonly others?: SiteRecord["others"];
};

/** The sites as they are to be, thought through before anything is written. */
export class Draft {
  readonly #before: readonly DraftedSite[];
  readonly #sites = new Set<DraftedSite>();
  // An import may name thousands: none is looked for among all the others.
  readonly #byId = new Map<string, DraftedSite>();
  readonly #byToken = new Map<string, Set<DraftedSite>>();
  readonly #byHost = new Map<string, Set<DraftedSite>>();

  constructor({ sites, retired }: Directory) {
    const drafted = (isRetired: boolean) =>
      (isRetired ? retired : sites).map(
        (record): DraftedSite => ({ ...record, retired: isRetired }),
      );
    this.#before = [...drafted(false), ...drafted(true)];
    for (const site of this.#before) this.#put({ ...site });
  }

  /** True when another site than `id`, and than `but`, has a token of the same name. */
  hasTwin(id: string, but = id): boolean {
    const same = this.#byToken.get(siteTokenKey(id)) ?? [];
    return [...same].some((site) => !site.retired && site.id !== but && site.id !== id);
  }

  /** True when the host is another site's. */
  isTaken({ id, host }: SiteInput): boolean {
    if (host === undefined || host === null) return false;
    const same = this.#byHost.get(comparableHost(host)) ?? [];
    return [...same].some((site) => site.id !== id && !site.retired);
  }

  /** Adds a site, or brings back a retired one with its numbers and its token. */
  add(id: string): void {
    const fresh = { host: null, badge: false, retired: false };
    if (this.#byId.has(id)) this.set(id, fresh);
    else this.#put({ key: null, id, declared: false, tokenHash: null, shareHash: null, ...fresh });
  }

  set(id: string, fields: { readonly [F in keyof SiteFields]?: SiteFields[F] | undefined }): void {
    const site = this.#byId.get(id);
    if (site === undefined) throw new Error(`there is no site ${id}`);
    const given = Object.entries(fields).filter(([, value]) => value !== undefined);
    this.#unindex(site);
    Object.assign(site, Object.fromEntries(given));
    this.#put(site);
  }

  /** The site keeps its numbers, and neither counts nor shows anything. */
  retire(id: string): void {
    this.set(id, { retired: true, declared: false, host: null });
  }

  remove(id: string): void {
    const site = this.#byId.get(id);
    if (site === undefined) return;
    this.#unindex(site);
    this.#sites.delete(site);
  }

  /** One that is there already keeps its place. */
  #put(site: DraftedSite): void {
    this.#sites.add(site);
    this.#byId.set(site.id, site);
    join(this.#byToken, siteTokenKey(site.id), site);
    if (site.host !== null) join(this.#byHost, comparableHost(site.host), site);
  }

  #unindex(site: DraftedSite): void {
    this.#byId.delete(site.id);
    this.#byToken.get(siteTokenKey(site.id))?.delete(site);
    if (site.host !== null) this.#byHost.get(comparableHost(site.host))?.delete(site);
  }

  /** The change that leads from the directory to here. */
  change(): Change {
    const before = new Map(this.#before.map((site) => [site.key, site]));
    const kept = new Set([...this.#sites].map(({ key }) => key));
    const gone = this.#before.flatMap(({ key }) => (key === null || kept.has(key) ? [] : [key]));
    const changed = [...this.#sites].filter((site) => !isSame(before.get(site.key), site));
    if (gone.length + changed.length === 0) return { documents: [] };
    const remove = gone.map(String);
    const put = changed.map((site) => ({
      id: site.key === null ? null : String(site.key),
      body: JSON.stringify(bodyOf(site)),
    }));
    const { name, of } = SITES;
    return {
      documents: [
        { kind: { name, ...(of && { of }) }, put, remove },
        ...(gone.length === 0
          ? []
          : KINDS_OF_SITES.map(({ name: kind }) => ({ kind: { name: kind }, put: [], remove }))),
      ],
      erase: gone,
    };
  }
}

function join<K, V>(index: Map<K, Set<V>>, key: K, value: V): void {
  const all = index.get(key) ?? new Set();
  index.set(key, all.add(value));
}

function bodyOf(site: DraftedSite): SiteBody {
  const { id, host, badge, declared, retired, tokenHash, shareHash, others } = site;
  const hashes = { token: hexOf(tokenHash), share: hexOf(shareHash) };
  return { ...others, id, host, badge, declared, retired, ...hashes };
}

function hexOf(hash: Uint8Array | null): string | null {
  return hash && Buffer.from(hash).toString("hex");
}

function isSame(one: DraftedSite | undefined, other: DraftedSite): boolean {
  return (Object.keys(other) as (keyof DraftedSite)[]).every(
    (field) => one?.[field] === other[field],
  );
}
