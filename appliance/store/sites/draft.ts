import { comparableHost, tokenTwin } from "../../base/names.ts";
import type { SiteKey } from "../counting.ts";
import type { SiteAlarms, SurveyLabels } from "../reports.ts";
import type { Directory, SiteInput } from "./directory.ts";

/** What of a site can be changed. */
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
  /** With tokens, labels and alarms. What it counted is erased by upkeep. */
  | { readonly kind: "remove"; readonly key: SiteKey }
  /** Of the admin where `site` is null; a null hash revokes it. */
  | {
      readonly kind: "readToken";
      readonly site: SiteKey | null;
      readonly hash: Uint8Array | null;
    }
  | { readonly kind: "shareToken"; readonly site: SiteKey; readonly hash: Uint8Array | null }
  | { readonly kind: "labels"; readonly site: SiteKey; readonly labels: SurveyLabels }
  | { readonly kind: "alarms"; readonly site: SiteKey; readonly alarms: SiteAlarms };

/** Null while there is no such site yet. */
type DraftedSite = { -readonly [F in keyof SiteFields]: SiteFields[F] } & {
  readonly key: SiteKey | null;
};

/** The sites as they are to be, thought through before anything is written. */
export class Draft {
  readonly #before: readonly DraftedSite[];
  #sites: DraftedSite[];

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
    this.#sites = this.#before.map((site) => ({ ...site }));
  }

  /** True when another site than `id`, and than `but`, has a token of the same name. */
  hasTwin(id: string, but = id): boolean {
    const others = this.#sites.filter((site) => !site.retired && site.id !== but);
    return (
      tokenTwin(
        id,
        others.map((site) => site.id),
      ) !== undefined
    );
  }

  /** True when the host is another site's. */
  isTaken({ id, host }: SiteInput): boolean {
    if (host === undefined || host === null) return false;
    return this.#sites.some(
      (site) =>
        site.id !== id &&
        !site.retired &&
        site.host !== null &&
        comparableHost(site.host) === comparableHost(host),
    );
  }

  /** Adds a site, or brings back a retired one with its numbers and its token. */
  add(id: string): void {
    const fresh = { host: null, badge: false, retired: false };
    if (this.#sites.some((site) => site.id === id)) this.set(id, fresh);
    else this.#sites.push({ key: null, id, declared: false, ...fresh });
  }

  set(id: string, fields: { readonly [F in keyof SiteFields]?: SiteFields[F] | undefined }): void {
    const site = this.#sites.find((each) => each.id === id);
    if (site === undefined) throw new Error(`there is no site ${id}`);
    const given = Object.entries(fields).filter(([, value]) => value !== undefined);
    Object.assign(site, Object.fromEntries(given));
  }

  /** The site keeps its numbers, and neither counts nor shows anything. */
  retire(id: string): void {
    this.set(id, { retired: true, declared: false, host: null });
  }

  remove(id: string): void {
    this.#sites = this.#sites.filter((site) => site.id !== id);
  }

  /** What it takes to come here from the directory. */
  changes(): SiteChange[] {
    const before = new Map(this.#before.map((site) => [site.key, site]));
    const kept = new Set(this.#sites.map(({ key }) => key));
    return [
      ...this.#before.flatMap(({ key }): SiteChange[] =>
        key === null || kept.has(key) ? [] : [{ kind: "remove", key }],
      ),
      ...this.#sites.flatMap(({ key, ...site }): SiteChange[] => {
        if (key === null) return [{ kind: "add", site }];
        return isSame(before.get(key), site) ? [] : [{ kind: "change", key, site }];
      }),
    ];
  }
}

function isSame(one: SiteFields | undefined, other: SiteFields): boolean {
  return (Object.keys(other) as (keyof SiteFields)[]).every(
    (field) => one?.[field] === other[field],
  );
}
