import type { ZoneSetting } from "../../base/day-zone.ts";
import { comparableHost, siteTokenKey } from "../../base/names.ts";
import type { SiteKey } from "../counting.ts";
import type { SiteAlarms, SurveyLabels } from "../reports.ts";
import type { Directory, SiteInput } from "./directory.ts";

/** The fields of a site that can be changed. */
export interface SiteFields {
  readonly id: string;
  readonly host: string | null;
  readonly badge: boolean;
  readonly declared: boolean;
  readonly retired: boolean;
}

/** One thing that a database has to change, in the order given. */
export type SiteChange =
  | { readonly kind: "add"; readonly site: SiteFields }
  | { readonly kind: "change"; readonly key: SiteKey; readonly site: SiteFields }
  /** With tokens, labels and alarms. Its counts are erased by upkeep. */
  | { readonly kind: "remove"; readonly key: SiteKey }
  /** Of the admin where `site` is null; a null hash revokes it. */
  | {
      readonly kind: "readToken";
      readonly site: SiteKey | null;
      readonly hash: Uint8Array | null;
    }
  | { readonly kind: "shareToken"; readonly site: SiteKey; readonly hash: Uint8Array | null }
  | { readonly kind: "labels"; readonly site: SiteKey; readonly labels: SurveyLabels }
  | { readonly kind: "alarms"; readonly site: SiteKey; readonly alarms: SiteAlarms }
  /** By which days of all sites begin. */
  | { readonly kind: "dayZone"; readonly setting: ZoneSetting };

/** Null while there is no such site yet. */
type DraftedSite = { -readonly [F in keyof SiteFields]: SiteFields[F] } & {
  readonly key: SiteKey | null;
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
        ({ key, id, host, badge, declared }): DraftedSite => ({
          key,
          id,
          host,
          badge,
          declared,
          retired: isRetired,
        }),
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
    else this.#put({ key: null, id, declared: false, ...fresh });
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

  /** The changes that lead from the directory to here. */
  changes(): SiteChange[] {
    const before = new Map(this.#before.map((site) => [site.key, site]));
    const kept = new Set([...this.#sites].map(({ key }) => key));
    return [
      ...this.#before.flatMap(({ key }): SiteChange[] =>
        key === null || kept.has(key) ? [] : [{ kind: "remove", key }],
      ),
      ...[...this.#sites].flatMap(({ key, ...site }): SiteChange[] => {
        if (key === null) return [{ kind: "add", site }];
        return isSame(before.get(key), site) ? [] : [{ kind: "change", key, site }];
      }),
    ];
  }
}

function join<K, V>(index: Map<K, Set<V>>, key: K, value: V): void {
  const all = index.get(key) ?? new Set();
  index.set(key, all.add(value));
}

function isSame(one: SiteFields | undefined, other: SiteFields): boolean {
  return (Object.keys(other) as (keyof SiteFields)[]).every(
    (field) => one?.[field] === other[field],
  );
}
